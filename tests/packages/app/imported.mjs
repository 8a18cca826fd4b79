// By `import`, in Node, Deno and Bun.

import * as toolmend from "toolmend";

import { checkAtOnce } from "./check.mjs";

checkAtOnce(toolmend);
