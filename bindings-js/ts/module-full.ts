/** One module for everything, from bytes that come with the JavaScript: nothing is loaded later. */

import { base64 } from "toolmend:full";

import { decoded } from "./base64.js";

let module: WebAssembly.Module | undefined;

export function small(): WebAssembly.Module {
  module ??= new WebAssembly.Module(decoded(base64));
  return module;
}

export const full = small;

export async function prepare(): Promise<void> {
  module ??= await WebAssembly.compile(decoded(base64));
}
