// The entry for Cloudflare Workers: a bundler finds it by its condition, and the module comes as an import.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

const worker = `
  import { compile } from "toolmend";
  // Tools are compiled while a Worker starts, where it has no randomness.
  const contract = compile({ type: "object", properties: { names: { type: "array" } } });
  export default (text) => contract.repair(text).json;
`;

for (const [specifier, conditions] of [
  ["toolmend", ["workerd"]],
  ["toolmend/workerd", []],
]) {
  test(`${specifier} ${conditions}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolmend-workerd-"));
    const outfile = join(folder, "worker.mjs");
    const { metafile } = await build({
      stdin: { contents: worker.replace("toolmend", specifier), resolveDir: import.meta.dirname },
      bundle: true,
      format: "esm",
      outfile,
      conditions,
      metafile: true,
      // As wrangler does it.
      loader: { ".wasm": "copy" },
    });
    const files = Object.keys(metafile.outputs).filter((file) => file.endsWith(".wasm"));
    assert.equal(files.length, 2);
    assert.ok(readFileSync(outfile).length < 200_000, "the bytes are not in the code");

    // Node has no modules of this kind without a flag: what a Worker is given is put in by hand.
    const code = readFileSync(outfile, "utf8").replaceAll(
      /import (\w+) from "\.\/([^"]*\.wasm)";/g,
      'const $1 = globalThis.compiled["$2"];',
    );
    writeFileSync(outfile, code);
    globalThis.compiled = Object.fromEntries(
      files.map((file) => [basename(file), new WebAssembly.Module(readFileSync(file))]),
    );
    const { getRandomValues } = globalThis.crypto;
    globalThis.crypto.getRandomValues = () => {
      throw new Error("disallowed operation called within global scope");
    };
    try {
      const { default: run } = await import(pathToFileURL(outfile));
      assert.equal(run('{"names": "a"}'), '{"names":["a"]}');
    } finally {
      globalThis.crypto.getRandomValues = getRandomValues;
    }
  });
}
