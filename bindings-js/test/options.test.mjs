// The options of `compile`: passed on to the core as they are, and refused in its words.

import assert from "node:assert/strict";
import { test } from "node:test";

import * as z from "zod";

import { compile, frozen } from "./subject.mjs";

const schema = frozen({
  type: "object",
  properties: {
    query: { type: ["string", "null"] },
    tags: { type: "array", items: { type: "string" } },
    mode: { enum: ["fast", "slow"] },
    size: { type: "integer", default: 10n ** 30n },
  },
  required: ["query"],
  additionalProperties: false,
});

/** The repairs that `options` alone allow. */
function repaired(args, options) {
  assert.ok(!compile(schema, { policy: "strict" }).repair(args).ok);
  const outcome = compile(schema, frozen({ policy: "strict", ...options })).repair(args);
  assert.equal(outcome.status, "repaired", outcome.wire);
  return outcome.repairs;
}

test("policy, name and limits", () => {
  assert.equal(compile(schema).policy, "narrow");
  const contract = compile(schema, frozen({ policy: "lenient", name: "tool", limits: { depth: 5 } }));
  assert.deepEqual([contract.policy, contract.name, contract.limits.depth], ["lenient", "tool", 5]);
  assert.ok(Object.values(contract.limits).every((limit) => limit > 0));
  const { limits } = compile(schema, { limits: { bytes: 2 ** 40, depth: 2 ** 40, work: 2 ** 40, issues: 0 } });
  assert.deepEqual([limits.depth, limits.issues], [256, 1]);
  assert.ok(limits.bytes > 2 ** 29 && limits.work > 2 ** 31);
  assert.equal(compile(schema, { policy: undefined, limits: { depth: undefined } }).limits.depth, 128);
});

test("formats", () => {
  const format = { type: "object", properties: { at: { type: "string", format: "date" } } };
  const warned = compile(format).repair('{"at": "soon"}');
  assert.deepEqual([warned.ok, warned.warnings[0]?.code], [true, "format_mismatch"]);
  assert.equal(compile(format, { formats: "assert" }).repair('{"at": "soon"}').issues[0].code, "format_mismatch");
});

test("documents in every form", () => {
  const document = { type: "object", properties: { n: { type: "integer", maximum: 9007199254740993n } } };
  const text = '{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9007199254740993}}}';
  for (const form of [document, text, z.object({ n: z.int() })]) {
    const contract = compile(
      { $ref: "https://example.com/n.json" },
      { schemas: { "https://example.com/n.json": form } },
    );
    assert.ok(contract.repair('{"n": 1}').ok);
    assert.ok(!contract.repair('{"n": 9007199254740994}').ok);
  }
  assert.ok(compile({ $ref: "__proto__" }, { schemas: JSON.parse('{"__proto__": true}') }).repair("{}").ok);
});

test("rules are switched on and off", () => {
  const args = '{"query": "a", "tags": "b"}';
  assert.deepEqual(repaired(args, { rules: { wrap_in_array: true } }), [
    { rule: "wrap_in_array", path: "/tags", before: "b", after: ["b"] },
  ]);
  const without = compile(schema, { policy: "lenient", rules: { wrap_in_array: false } });
  assert.deepEqual(
    without.repair(args).issues.map(({ path }) => path),
    ["/tags"],
  );
});

test("rules that a host asks for", () => {
  const contract = compile(schema, { rules: { apply_default: true, null_for_missing: true, drop_unknown: true } });
  const outcome = contract.repair('{"other": [1]}');
  assert.deepEqual(outcome.value, { query: null, size: 10n ** 30n });
  const byRule = Object.fromEntries(outcome.repairs.map(({ rule, ...repair }) => [rule, repair]));
  assert.deepEqual(byRule, {
    drop_unknown: { path: "/other", before: [1], lossy: true },
    apply_default: { path: "/size", after: 10n ** 30n },
    null_for_missing: { path: "/query", after: null },
  });
  const added = outcome.patch().filter(({ op }) => op === "add");
  assert.deepEqual(Object.fromEntries(added.map(({ path, value }) => [path, value])), {
    "/size": 10n ** 30n,
    "/query": null,
  });
  assert.ok(!compile(schema, { policy: "lenient" }).repair("{}").ok);
});

test("overrides and aliases", () => {
  const list = '{"query": "a", "tags": "b, c"}';
  assert.deepEqual(repaired(list, { overrides: { "/tags": { single_item: true, rules: { wrap_in_array: true } } } }), [
    { rule: "wrap_in_array", path: "/tags", before: "b, c", after: ["b, c"] },
  ]);
  const overrides = { "": { keys: { q: "query" } }, "/mode": { aliases: { quick: "fast" }, other: "slow" } };
  assert.deepEqual(repaired({ query: "a", mode: "quick" }, { overrides }), [
    { rule: "alias", path: "/mode", before: "quick", after: "fast" },
  ]);
  assert.deepEqual(repaired({ query: "a", mode: "any" }, { overrides }), [
    { rule: "alias", path: "/mode", before: "any", after: "slow" },
  ]);
  assert.deepEqual(repaired({ q: "a" }, { overrides }), [
    { rule: "rename_key", path: "/q", before: "q", after: "query" },
  ]);
  assert.deepEqual(compile(schema, { overrides }).repair({ q: "a" }).patch(), [
    { op: "move", from: "/q", path: "/query" },
  ]);
  const big = { "/size": { aliases: { all: 9007199254740993n } } };
  assert.equal(compile(schema, { overrides: big }).repair({ query: null, size: "all" }).value.size, 9007199254740993n);
});

test("undeclared keys", () => {
  const open = { type: "object", properties: { a: { type: "string" } } };
  const taken = compile(open).repair('{"b": 1}');
  assert.deepEqual([taken.ok, taken.warnings[0].path], [true, "/b"]);
  assert.equal(compile(open, { undeclared: "refuse" }).repair('{"b": 1}').issues[0].code, "unknown_property");
});

test("what cannot be understood is a TypeError in the core's words", () => {
  const cycle = {};
  cycle.rules = cycle;
  const getter = Object.defineProperty({}, "policy", { get: () => assert.fail(), enumerable: true });
  for (const [options, message] of [
    [{ polcy: "strict" }, "unknown option `polcy`: did you mean `policy`?"],
    [{ policy: "loose" }, "unknown policy `loose`: expected one of `strict`, `narrow`, `adapter`, `lenient`"],
    [{ policy: 5 }, "`policy` must be a string"],
    [{ name: 5 }, "`name` must be a string"],
    [{ rules: { drop_nul: true } }, "unknown rule `drop_nul`: did you mean `drop_null`?"],
    [{ rules: { drop_null: 1 } }, "`drop_null` must be true or false"],
    [{ undeclared: "refus" }, "`undeclared` is `warn` or `refuse`, not `refus`"],
    [{ formats: "no" }, "`formats` is `warn` or `assert`, not `no`"],
    [{ numbers: "no" }, '`numbers` is `bigint` or `refuse`, not "no"'],
    [{ limits: { dept: 5 } }, "unknown limit `dept`: did you mean `depth`?"],
    [{ limits: { depth: -1 } }, "`depth` must be a whole number, 0 or more"],
    [{ limits: { depth: 1.5 } }, "`depth` must be a whole number, 0 or more"],
    [{ limits: 5 }, "`limits` must be an object"],
    [{ schemas: 5 }, "`schemas` must be an object"],
    [
      { overrides: { "/tags": { singleItem: true } } },
      "unknown setting of a property `singleItem`: did you mean `single_item`?",
    ],
    [null, "the options must be an object"],
    ["strict", "the options must be an object"],
    [{ rules: () => {} }, "the options at /rules: a function is no JSON"],
    [cycle, "the options at /rules: this object holds itself"],
    [getter, "the options at /policy: a getter is not run: pass plain data"],
  ]) {
    assert.throws(() => compile(schema, options), { name: "TypeError", message });
  }
});

test("what does not go with the schema is a SchemaError", () => {
  for (const [overrides, message] of [
    [{ "/tag": {} }, /did you mean `tags`/],
    [{ "/mode": { aliases: { quick: "quickest" } } }, /does not allow the alias's value/],
    [{ "/mode": { aliases: { quick: "fast", fast: "slow" } } }, /alias chain/],
    [{ "": { keys: { q: "quarry" } } }, /did you mean `query`/],
  ]) {
    assert.throws(() => compile(schema, { overrides }), { name: "SchemaError", path: "", message });
  }
  assert.throws(() => compile(schema, { schemas: { u: "{" } }), {
    name: "SchemaError",
    message: /the document `u` is no JSON: /,
  });
});
