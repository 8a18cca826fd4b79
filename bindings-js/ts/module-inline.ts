/** The small module as it comes with the JavaScript; the full one from a chunk that a bundler leaves apart. */

import { decoded } from "./base64.js";
import { prepareSmall } from "./small.js";

export { small } from "./small.js";

let module: WebAssembly.Module | undefined;

export function full(): WebAssembly.Module | undefined {
  return module;
}

export async function prepare(wantsFull: boolean): Promise<void> {
  await prepareSmall();
  if (wantsFull && module === undefined) {
    const { base64 } = await import("toolmend:full");
    module = await WebAssembly.compile(decoded(base64));
  }
}
