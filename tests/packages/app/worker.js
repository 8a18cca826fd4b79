// A Worker, for Cloudflare or for an edge. Tools are compiled while it starts, where it has no randomness.

import * as toolmend from "toolmend";

import { checkAtOnce } from "./check.mjs";

let verdict = "right";
try {
  checkAtOnce(toolmend);
} catch (error) {
  verdict = error.stack;
}

export default { fetch: () => new Response(verdict) };
