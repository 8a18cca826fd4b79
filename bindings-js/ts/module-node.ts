/** The small module as it comes with the JavaScript; the full one from a file of the package. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import folder from "toolmend:folder";

import { prepareSmall } from "./small.js";

export { small } from "./small.js";

let module: WebAssembly.Module | undefined;

/** `undefined` where a bundler has left the file behind. */
export function full(): WebAssembly.Module | undefined {
  if (module === undefined) {
    let bytes: Buffer<ArrayBuffer>;
    try {
      bytes = readFileSync(join(folder(), "toolmend-full.wasm"));
    } catch {
      return undefined;
    }
    module = new WebAssembly.Module(bytes);
  }
  return module;
}

export async function prepare(wantsFull: boolean): Promise<void> {
  await prepareSmall();
  if (wantsFull) {
    full();
  }
}
