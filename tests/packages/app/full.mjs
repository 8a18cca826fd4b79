// The entry with the full module inside, which reads no file.

import * as toolmend from "toolmend/full";

import { checkAtOnce } from "./check.mjs";

checkAtOnce(toolmend);
