/** The small module, whose bytes are part of the JavaScript. */

import base64 from "toolmend:small";

import { decoded } from "./base64.js";

let module: WebAssembly.Module | undefined;

/** The module, compiled at once if it is not yet. */
export function small(): WebAssembly.Module {
  module ??= new WebAssembly.Module(decoded(base64));
  return module;
}

/** Compiles it without blocking. */
export async function prepareSmall(): Promise<void> {
  module ??= await WebAssembly.compile(decoded(base64));
}
