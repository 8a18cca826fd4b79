/** The modules as imports: Cloudflare Workers compile them when they are deployed, and refuse to compile bytes. */

import smallModule from "./toolmend.wasm";
import fullModule from "./toolmend-full.wasm";

export function small(): WebAssembly.Module {
  return smallModule;
}

export function full(): WebAssembly.Module {
  return fullModule;
}

export async function prepare(): Promise<void> {}
