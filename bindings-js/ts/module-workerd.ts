/** The module as an import: Cloudflare Workers compile it when they are deployed, and refuse to compile bytes. */

import module from "./toolmend.wasm";

export function load(): WebAssembly.Module {
  return module;
}

export async function prepare(): Promise<void> {}
