// The small module, which is the default, and the full one: the same answers, and how the full one is had.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { build } from "esbuild";

import { cases, compile, contractOf, entry, POLICIES, wasm } from "./subject.mjs";

const require = createRequire(import.meta.url);
const load = (name) => (entry === "require" ? require(name) : import(name));

/** A keyword that only the full validator understands. */
const beyond = { type: "object", properties: { a: { type: "string" } }, unevaluatedProperties: false };
const usual = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };

test("a usual schema takes the small module alone, another one loads the full one", () => {
  wasm.made = 0;
  assert.equal(compile(usual).repair('{"a": "x"}').json, '{"a":["x"]}');
  assert.ok(wasm.made <= 1);
  const contract = compile(beyond);
  assert.equal(contract.repair('{"a": "x"}').status, "unchanged");
  assert.equal(contract.repair('{"b": "x"}').issues[0].code, "unknown_property");
  assert.match(contract.fingerprint, /^[0-9a-f]{16}$/);
});

test("a schema that is none is told by the full module", () => {
  assert.throws(() => compile({ type: "objekt" }), { name: "SchemaError", path: "/type" });
});

test("the full module says the same of every case", async () => {
  const full = await load("toolmend/full");
  for (const it of cases()) {
    for (const policy of POLICIES) {
      const other = full.compile(it.schema, { ...it.options, policy, name: it.tool });
      const small = contractOf(it, policy);
      assert.equal(small.repair(it.input).wire, other.repair(it.input).wire, `${it.name} at ${policy}`);
      small.free();
      other.free();
    }
  }
});

test("a page that has not loaded the full module is told what to do", async () => {
  const page = await load("toolmend/inline");
  assert.equal(page.compile(usual).repair('{"a": "x"}').json, '{"a":["x"]}');
  assert.throws(() => page.compile(beyond), { name: "NotReadyError", message: /ready\(\{ full: true \}\)/ });
  await page.ready({ full: true });
  assert.equal(page.compile(beyond).repair('{"a": "x"}').status, "unchanged");
});

test("a program that was bundled for Node has the small module with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolmend-bundled-"));
  try {
    const contents = `import { compile } from "toolmend";
      const usual = compile(${JSON.stringify(usual)}).repair('{"a": "x"}').json;
      let beyond = "";
      try { compile(${JSON.stringify(beyond)}); } catch (error) { beyond = error.name; }
      console.log(usual, beyond);`;
    for (const [format, file] of [
      ["esm", "bundle.mjs"],
      ["cjs", "bundle.cjs"],
    ]) {
      const outfile = join(folder, file);
      await build({
        stdin: { contents, resolveDir: import.meta.dirname },
        bundle: true,
        platform: "node",
        format,
        outfile,
        logLevel: "error",
      });
      const told = execFileSync(process.execPath, [outfile], { encoding: "utf8" });
      assert.equal(told, '{"a":["x"]} NotReadyError\n', format);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("text is never plainer than it is", () => {
  const contract = compile({
    type: "object",
    properties: { n: { type: "integer" }, x: { type: "number" }, s: { type: "string" }, open: { type: "object" } },
  });
  for (const [text, status, warnings] of [
    ['{"n": 1}', "unchanged", 0],
    ['{"n": 1.0}', "repaired", 0],
    ['{"n": 1, "n": 1}', "refused", 0],
    ['{"open": {"a": 1, "a": 2}}', "refused", 0],
    ['{"open": {"a": {"b": [1, 2.5, "x", null, true]}}}', "unchanged", 0],
    ['{"n": 12345678901234567890}', "unchanged", 0],
    ['{"x": 0.1234567890123456789}', "unchanged", 0],
    ['{"s": "\\ud800"}', "refused", 0],
    ['{"s": "\ud800"}', "refused", 0],
    ['{"s": "[1]"}', "unchanged", 1],
    ['{"s": "\\n{} "}', "unchanged", 1],
    ['{"typo": 1}', "unchanged", 1],
    ['{"n": 1', "refused", 0],
    ['{"n": 01}', "refused", 0],
    ['{"n": 1,}', "refused", 0],
    ['{"s": "a\nb"}', "refused", 0],
    ['\ufeff{"n": 1}', "refused", 0],
  ]) {
    const outcome = contract.repair(text);
    assert.deepEqual([outcome.status, outcome.warnings.length], [status, warnings], text);
  }
  assert.equal(contract.repair('{"n": 12345678901234567890}').value.n, 12345678901234567890n);
});
