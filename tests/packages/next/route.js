// A route on Next's edge runtime.

import * as toolmend from "toolmend";

import { checkAtOnce } from "../../check.mjs";

export const runtime = "edge";

export function GET() {
  checkAtOnce(toolmend);
  return new Response("right");
}
