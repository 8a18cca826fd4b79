/**
 * The modules from the package's own files: Node reads bytes faster than it parses them as JavaScript. A bundler leaves
 * the files behind; then the small module is there all the same, as base64 in a chunk that the bundle holds.
 *
 * This entry is for `require` in either kind of program: no `import` could fetch that chunk at once, when it is needed.
 */

import { decoded } from "./base64.js";

declare const __dirname: string;
declare function require(path: "./small-module.js"): { readonly base64: string };
declare function require<T>(path: string): T;

const modules: { small?: WebAssembly.Module; full?: WebAssembly.Module | undefined } = {};

export function small(): WebAssembly.Module {
  modules.small ??= new WebAssembly.Module(bytes("toolmend.wasm") ?? decoded(require("./small-module.js").base64));
  return modules.small;
}

/** `undefined` where a bundler has left the file behind. */
export function full(): WebAssembly.Module | undefined {
  if (modules.full === undefined) {
    const found = bytes("toolmend-full.wasm");
    modules.full = found && new WebAssembly.Module(found);
  }
  return modules.full;
}

export async function prepare(wantsFull: boolean): Promise<void> {
  small();
  if (wantsFull) {
    full();
  }
}

function bytes(file: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const { readFileSync } = builtin<typeof import("node:fs")>("node:fs");
    const { join } = builtin<typeof import("node:path")>("node:path");
    return readFileSync(join(__dirname, "..", "esm", file));
  } catch {
    return undefined;
  }
}

/** A bundle that is an ES module has no `require` for what is Node's own; Node 20.16 and later need none. */
function builtin<T>(name: string): T {
  return typeof process.getBuiltinModule === "function" ? (process.getBuiltinModule(name) as T) : require<T>(name);
}
