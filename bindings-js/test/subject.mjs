// The package under test, as a user gets it: by `import` or by `require`, as TOOLMEND_ENTRY says.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const entry = process.env.TOOLMEND_ENTRY ?? "import";

/** The exports of the WebAssembly instance in use, and a way to make the next call into it fail. */
export const wasm = { exports: undefined, made: 0, trap: undefined };

const { Instance } = WebAssembly;
WebAssembly.Instance = class {
  constructor(module, imports) {
    const { exports } = new Instance(module, imports);
    wasm.exports = exports;
    wasm.made += 1;
    // Not a proxy: the exports cannot be changed, and a proxy may not say otherwise.
    this.exports = Object.fromEntries(
      Object.entries(exports).map(([name, it]) => [name, typeof it === "function" ? trapping(name, it) : it]),
    );
  }
};

function trapping(name, call) {
  return (...args) => {
    if (wasm.trap === name) {
      wasm.trap = undefined;
      throw new WebAssembly.RuntimeError("unreachable");
    }
    return call(...args);
  };
}

export const toolmend = entry === "require" ? createRequire(import.meta.url)("toolmend") : await import("toolmend");

export const { compile, POLICIES } = toolmend;

/** Every shared case, with the file it is from. */
export function cases() {
  const folder = process.env.TOOLMEND_CASES;
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")).map((it) => ({ ...it, file })));
}

/** The contract of a case. */
export function contractOf({ schema, tool, options }, policy) {
  return compile(schema, { ...options, policy, name: tool });
}

/** A number as it is written, so that 5.0 and 5 differ and no digit is lost; objects whatever their order. */
export function exact(json) {
  return JSON.parse(
    json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
      token.startsWith('"') ? `"$${token.slice(1)}` : `"#${token}"`,
    ),
  );
}

/** Freezes `value` all the way down. */
export function frozen(value) {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
