// What `compile` takes, and how it says no.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as z from "zod";

import { compile, toolmend } from "./subject.mjs";

const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

test("objects, booleans, JSON text and tool definitions", () => {
  for (const [it, name] of [
    [schema],
    [JSON.stringify(schema)],
    [{ type: "function", function: { name: "tool", parameters: schema } }, "tool"],
    [{ type: "function", name: "tool", parameters: schema, strict: true }, "tool"],
    [{ name: "tool", input_schema: schema }, "tool"],
    [{ name: "tool", inputSchema: schema }, "tool"],
  ]) {
    const contract = compile(it);
    assert.ok(contract.repair('{"n": 1}').ok);
    assert.ok(!contract.repair('{"n": "x"}').ok);
    assert.equal(contract.name, name);
  }
  assert.ok(compile(true).repair("5").ok);
  assert.ok(!compile(false).repair("5").ok);
});

test("zod and other makers of schemas, alone and in a tool definition", () => {
  const made = z.object({ n: z.int(), tags: z.array(z.string()).default([]) });
  for (const contract of [
    compile(made),
    compile(z.toJSONSchema(made, { io: "input" })),
    compile({ name: "t", inputSchema: made }),
  ]) {
    assert.ok(contract.repair('{"n": 1}').ok);
    assert.deepEqual(contract.repair('{"n": 1, "tags": "a"}').value, { n: 1, tags: ["a"] });
    assert.ok(!contract.repair('{"n": 1.5}').ok);
  }
  const changed = z.toJSONSchema(z.object({ n: z.int() }));
  changed.properties.n = { type: "string" };
  assert.ok(compile(changed).repair('{"n": "x"}').ok);

  const older = { "~standard": { version: 1, vendor: "zod" }, toJSONSchema: () => schema };
  assert.ok(compile(older).repair('{"n": 1}').ok);
  const callable = Object.assign(() => {}, {
    "~standard": { version: 1, vendor: "ark", jsonSchema: { input: () => schema } },
  });
  assert.ok(compile(callable).repair('{"n": 1}').ok);
  const mute = { "~standard": { version: 1, vendor: "mute" } };
  assert.throws(() => compile({ name: "t", parameters: mute }), { name: "SchemaError", path: "/parameters" });
  assert.throws(() => compile(z.object({ d: z.date() })), { name: "SchemaError", message: /zod/ });
});

test("a bad schema says where and why", () => {
  for (const [bad, path] of [
    [{ type: "nope" }, "/type"],
    [{ properties: { a: { type: 5 } } }, "/properties/a/type"],
    [{ name: "t", parameters: { properties: { a: { minimum: "x" } } } }, "/parameters/properties/a/minimum"],
    [{ properties: { a: () => {} } }, "/properties/a"],
    [{ const: Number.NaN }, "/const"],
    ["{", ""],
    ["[]", ""],
    [[], ""],
  ]) {
    assert.throws(
      () => compile(bad),
      (error) => {
        assert.ok(error instanceof toolmend.SchemaError, String(error));
        assert.equal(error.path, path);
        assert.notEqual(error.reason, "");
        return true;
      },
    );
  }
  assert.throws(() => compile("{"), { name: "SchemaError", reason: /^the schema is no JSON: / });
  for (const bad of [{ pattern: "(" }, { $ref: "#/$defs/none" }, { $ref: "https://example.com/other.json" }]) {
    assert.throws(() => compile(bad), { name: "SchemaError" });
  }
  let deep = {};
  for (let index = 0; index < 100_000; index += 1) {
    deep = { not: deep };
  }
  assert.throws(() => compile(deep), { name: "SchemaError" });
  assert.throws(() => compile(`${'{"not":'.repeat(100_000)}true${"}".repeat(100_000)}`), { name: "SchemaError" });
  const cycle = {};
  cycle.not = cycle;
  assert.throws(() => compile(cycle), { name: "SchemaError", path: "/not" });
});

test("what is no schema at all is a TypeError", () => {
  for (const bad of [undefined, null, 5, Symbol("x")]) {
    assert.throws(() => compile(bad), { name: "TypeError" });
  }
});

test("bad options of repair and feedback are a TypeError that lists the good ones", () => {
  assert.throws(() => compile(schema).repair("{}", { finish: "cut" }), { name: "TypeError", message: /`length`/ });
  assert.throws(() => compile(schema).repair("{}", { finsh: "stop" }), { name: "TypeError", message: /`finish`/ });
  const refused = compile(schema).repair("");
  assert.throws(() => refused.feedback({ format: "xml" }), { name: "TypeError", message: /`json`/ });
  assert.throws(() => refused.feedback({ maxBytes: -1 }), { name: "TypeError", message: /`maxBytes`/ });
  assert.notEqual(refused.feedback({ maxBytes: 2 ** 40 }), "");
  assert.equal(refused.feedback({ maxBytes: 2 }), "");
});

test("hints", () => {
  const contract = compile({
    properties: { names: { type: "array", items: { type: "string" } } },
    required: ["names"],
  });
  const hints = contract.hints();
  assert.match(hints, /names/);
  assert.equal(contract.hints({ maxBytes: 2 ** 40 }), hints);
  assert.ok(Buffer.byteLength(contract.hints({ maxBytes: 20 })) <= 20);
  assert.equal(contract.hints({ maxBytes: 0 }), "");
  contract.free();
  assert.equal(contract.hints({}), hints);
  assert.throws(() => contract.hints({ maxBytes: "1" }), { name: "TypeError", message: /`maxBytes`/ });
  assert.throws(() => contract.hints({ max: 1 }), { name: "TypeError", message: /`maxBytes`/ });
});

test("fingerprint", () => {
  const { fingerprint } = compile({ type: "object", title: "a" });
  assert.match(fingerprint, /^[0-9a-f]{16}$/);
  assert.equal(compile('{"title": "a", "type": "object"}', { policy: "lenient" }).fingerprint, fingerprint);
  assert.notEqual(compile({ type: "object", title: "b" }).fingerprint, fingerprint);
});
