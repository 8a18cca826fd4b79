/** The small module from bytes that are part of the JavaScript; the full one from the file beside it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import folder from "toolmend:folder";
import base64 from "toolmend:small";

import { decoded } from "./base64.js";

let smallModule: WebAssembly.Module | undefined;
let fullModule: WebAssembly.Module | undefined;

export function small(): WebAssembly.Module {
  smallModule ??= new WebAssembly.Module(decoded(base64));
  return smallModule;
}

/** `undefined` where a bundler has left the file behind. */
export function full(): WebAssembly.Module | undefined {
  if (fullModule === undefined) {
    let bytes: Buffer<ArrayBuffer>;
    try {
      bytes = readFileSync(join(folder(), "toolmend-full.wasm"));
    } catch {
      return undefined;
    }
    fullModule = new WebAssembly.Module(bytes);
  }
  return fullModule;
}

export async function prepare(wantsFull: boolean): Promise<void> {
  small();
  if (wantsFull) {
    full();
  }
}
