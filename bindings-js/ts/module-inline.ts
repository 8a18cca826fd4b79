/** The small module from bytes that are part of the JavaScript; the full one from a chunk that a bundler leaves apart. */

import base64 from "toolmend:small";

import { decoded } from "./base64.js";

let smallModule: WebAssembly.Module | undefined;
let fullModule: WebAssembly.Module | undefined;

export function small(): WebAssembly.Module {
  smallModule ??= new WebAssembly.Module(decoded(base64));
  return smallModule;
}

export function full(): WebAssembly.Module | undefined {
  return fullModule;
}

export async function prepare(wantsFull: boolean): Promise<void> {
  smallModule ??= await WebAssembly.compile(decoded(base64));
  if (wantsFull && fullModule === undefined) {
    const full = await import("toolmend:full");
    fullModule = await WebAssembly.compile(decoded(full.base64));
  }
}
