// A page's code: it leaves its verdict where the test looks for it.

import * as toolmend from "toolmend";

import { checkOnDemand } from "./check.mjs";

globalThis.verdict = checkOnDemand(toolmend).then(
  () => "right",
  (error) => error.stack,
);
