/**
 * The modules as imports: edges compile them when they are deployed, and refuse to compile bytes. Where Cloudflare says
 * `./toolmend.wasm`, Vercel says `./toolmend.wasm?module`: the build makes one entry for each.
 */

import smallModule from "./toolmend.wasm";
import fullModule from "./toolmend-full.wasm";

export function small(): WebAssembly.Module {
  return smallModule;
}

export function full(): WebAssembly.Module {
  return fullModule;
}

export async function prepare(): Promise<void> {}
