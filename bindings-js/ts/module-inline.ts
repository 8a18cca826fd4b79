/** The module from bytes that are part of the JavaScript: works everywhere without configuration, and synchronously. */

import base64 from "toolmend:base64";

let module: WebAssembly.Module | undefined;

export function load(): WebAssembly.Module {
  module ??= new WebAssembly.Module(bytes());
  return module;
}

export async function prepare(): Promise<void> {
  module ??= await WebAssembly.compile(bytes());
}

function bytes(): Uint8Array<ArrayBuffer> {
  if (typeof Buffer === "function") {
    return new Uint8Array(Buffer.from(base64, "base64"));
  }
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    bytes[index] = text.charCodeAt(index);
  }
  return bytes;
}
