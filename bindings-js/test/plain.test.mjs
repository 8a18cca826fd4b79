// Data that is told to be plainly valid in JavaScript: it says yes only where the module says `unchanged`, and touches
// the data as the reader does.

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { cases, compile, contractOf, POLICIES, wasm } from "./subject.mjs";

const settings = {
  numRuns: Number(process.env.TOOLMEND_RUNS ?? 300),
  ...(process.env.TOOLMEND_SEED ? { seed: Number(process.env.TOOLMEND_SEED) } : {}),
};

const anything = compile(true);

/** Whether the module was not asked. */
function isPlain(contract, value) {
  wasm.trap = "repair";
  try {
    contract.repair(value);
    return wasm.trap === "repair";
  } catch (error) {
    assert.equal(error.name, "InternalError");
    return false;
  } finally {
    wasm.trap = undefined;
  }
}

/** Whether it is unchanged; what was told at once is what the module answers, whose own the wire text always is. */
function isUnchanged(contract, value) {
  const outcome = contract.repair(value);
  const { status, warnings } = outcome;
  const wire = JSON.parse(outcome.wire);
  assert.deepEqual([wire.status, wire.warnings.length], [status, warnings.length]);
  return status === "unchanged";
}

function tagged(kind) {
  const at = { type: "object", properties: { x: { type: "integer" } }, required: ["x"] };
  return { type: "object", properties: { kind: { const: kind }, at }, required: ["kind", "at"] };
}

const union = { anyOf: ["click", "type"].map(tagged) };

test("plain data does not go into the module", () => {
  const contract = compile({
    type: "object",
    properties: {
      title: { type: "string", minLength: 1, maxLength: 20 },
      wide: { type: "string", minLength: 2 },
      state: { enum: ["open", "closed", 3, null, true] },
      count: { type: "integer", minimum: 1, exclusiveMaximum: 10, multipleOf: 3 },
      share: { type: "number", minimum: 0, maximum: 1 },
      code: { type: "string", pattern: "^[A-Z]{2,3}-\\d+$" },
      day: { type: "string", format: "date" },
      tags: { type: "array", items: { type: "string" }, maxItems: 3 },
      pair: { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] },
      scalar: { anyOf: [{ type: "integer" }, { type: "string" }, { type: "null" }] },
      action: union,
      free: { type: "object", additionalProperties: { type: "boolean" } },
    },
    required: ["title"],
    additionalProperties: false,
  });
  const value = {
    title: "\ud83e\udd84",
    wide: "ab",
    state: "open",
    count: 9,
    share: 0.35,
    code: "AB-12",
    day: "2026-12-31",
    tags: ["a", "b"],
    pair: [1, "x", { y: [null] }],
    scalar: null,
    action: { kind: "type", at: { x: 1 } },
    free: { yes: true, no: false },
  };
  assert.ok(isPlain(contract, value));
  assert.ok(isPlain(contract, Object.fromEntries(Object.entries(value).toReversed())));
  assert.equal(contract.repair(value).value, value);
  assert.ok(isUnchanged(contract, value));
  const others = [
    { title: "" },
    { title: "x".repeat(21) },
    { wide: "\ud83e\udd84" },
    { state: "Open" },
    { state: 4 },
    { state: false },
    { count: 10 },
    { count: 0 },
    { count: 4 },
    { count: "3" },
    { share: 1.5 },
    { share: -0.5 },
    { code: "ab-12" },
    { day: "2026-02-30" },
    { tags: ["a", 1] },
    { tags: ["a", "b", "c", "d"] },
    { pair: ["x"] },
    { scalar: true },
    { action: { kind: "Click", at: { x: 1 } } },
    { action: { kind: "click" } },
    { action: { at: { x: 1 } } },
    { free: { yes: 1 } },
    { extra: 1 },
    { title: undefined },
  ];
  for (const other of others) {
    assert.equal(isPlain(contract, { ...value, ...other }), false, JSON.stringify(other));
    isUnchanged(contract, { ...value, ...other });
  }
});

test("whatever is not certain goes into the module", () => {
  const cycle = { list: [] };
  cycle.list.push(cycle);
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  const odd = [
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.MAX_SAFE_INTEGER,
    2 ** 60,
    0.1 + 0.2,
    1e-7,
    1e300,
    1n,
    "\ud800",
    '{"a": 1}',
    " [1] ",
    "\u0085{}",
    "\ufeff{}\u00a0",
    () => {},
    Symbol("s"),
    // biome-ignore lint/suspicious/noSparseArray: what is tested
    [1, , 2],
    [undefined],
    new Array(4_000_000_000),
    new Date(0),
    new Map(),
    new (class Point {})(),
    Object("x"),
    Object.create({ a: 1 }),
    { "\udc00": 1 },
    { [Symbol("k")]: 1 },
    { toJSON: () => 1 },
    { a: undefined },
    cycle,
    nested(128),
  ];
  for (const value of odd) {
    assert.equal(isPlain(anything, { value }), false, typeof value);
    isUnchanged(anything, { value });
  }
  assert.ok(isPlain(anything, nested(128)));
  assert.equal(isPlain(compile(true, { limits: { bytes: 10 } }), ["long enough"]), false);
  assert.equal(isPlain(compile({ type: "object", not: { required: ["a"] } }), {}), false);
  const slow = { type: "array", items: { type: "string", pattern: "^(a+)+$" } };
  assert.equal(isPlain(compile(slow), ["aaaa"]), false);
});

test("no accessor runs", () => {
  const ran = () => assert.fail("code of the caller's ran");
  for (const accessor of [{ get: ran }, { set: ran }, { get: ran, set: ran }]) {
    const own = Object.defineProperty({ b: 1 }, "a", { ...accessor, enumerable: true });
    const element = Object.defineProperty([1], 0, { ...accessor, enumerable: true });
    for (const value of [own, element, { x: own }, [element]]) {
      assert.equal(isPlain(anything, value), false);
      assert.equal(anything.repair(value).issues[0].code, "unsupported_value");
    }
    assert.equal(anything.repair(Object.defineProperty({ b: 1 }, "a", accessor)).json, '{"b":1}');
  }
  const tag = Object.defineProperty({ at: { x: 1 } }, "kind", { get: ran, enumerable: true });
  assert.equal(isPlain(compile(union), tag), false);
});

test("a proxy's traps are those that the reader runs", () => {
  /** The traps that run, each with the key that it is asked for. */
  const traps = (contract, target) => {
    const seen = new Set();
    const spy =
      (trap) =>
      (...args) => {
        seen.add(typeof args[1] === "string" ? `${trap} ${args[1]}` : trap);
        return Reflect[trap](...args);
      };
    const handler = new Proxy({}, { get: (_, trap) => spy(trap) });
    contract.repair(new Proxy(target, handler));
    return [...seen].sort();
  };
  const described = (...keys) => keys.map((key) => `getOwnPropertyDescriptor ${key}`);
  const action = { at: { x: 1 }, kind: "type" };
  assert.deepEqual(traps(compile(union), action), [...described("at", "kind"), "getPrototypeOf", "ownKeys"]);
  assert.deepEqual(traps(compile(union), { at: 1 }), [...described("at"), "getPrototypeOf", "ownKeys"]);
  assert.deepEqual(traps(anything, [1, 2]), ["get length", ...described(0, 1)]);
});

test("pollution does not mislead it", () => {
  const ran = () => assert.fail("code of the caller's ran");
  const schema = {
    type: "object",
    properties: { a: { type: "integer" } },
    required: ["a"],
    additionalProperties: false,
  };
  const getter = Object.defineProperty({}, "a", { get: ran, enumerable: true });
  const dirty = { value: 1, a: 1, least: 5, others: 0, members: [], 0: 1, 1: { rule: 1 }, unknown: true };
  for (const [key, value] of Object.entries(dirty)) {
    for (const prototype of [Object.prototype, Array.prototype]) {
      prototype[key] = value;
      try {
        const contract = compile(schema);
        assert.equal(contract.repair({ a: 1 }).status, "unchanged");
        assert.equal(contract.repair({ a: 1, b: 1 }).status, "refused");
        assert.equal(contract.repair({}).status, "refused");
        assert.equal(contract.repair(getter).status, "refused");
        // biome-ignore lint/suspicious/noSparseArray: what is tested
        assert.equal(anything.repair([,]).status, "refused");
      } finally {
        delete prototype[key];
      }
    }
  }
});

test("a plain outcome is read when it is asked for more", () => {
  const value = { a: [1] };
  const outcome = compile(true, { name: "tool" }).repair(value);
  assert.deepEqual([outcome.ok, outcome.repairs, outcome.issues, outcome.warnings], [true, [], [], []]);
  assert.equal(outcome.json, '{"a":[1]}');
  assert.equal(outcome.log().tool, "tool");
  assert.deepEqual([outcome.patch(), outcome.feedback()], [[], ""]);
  assert.equal(JSON.stringify(outcome), outcome.wire);
  assert.equal(outcome.value, value);
});

test("agrees with the module on every shared case", () => {
  let plain = 0;
  for (const it of cases()) {
    for (const policy of POLICIES) {
      const contract = contractOf(it, policy);
      const { value } = contract.repair(it.input);
      if (typeof value === "object" && isUnchanged(contract, value) && isPlain(contract, value)) {
        plain += 1;
      }
    }
  }
  assert.ok(plain > 100, `${plain} are plain`);
});

const word = fc.constantFrom("a", "ab", "abc", "A-1", "2026-12-02", "2026-02-29", "x@y.zz", "[1]", "\ud83e\udd84", "");
const number = fc.constantFrom(0, -0, 1, 2, 3, 6, 0.5, 1.25, 893.01, 1e-7, 1e21, 1e15, -3, 2 ** 53);
const flag = fc.constantFrom(true, false, null);
const scalar = fc.oneof(word, fc.string({ unit: "binary", maxLength: 4 }), number, fc.double(), flag);
const key = fc.constantFrom("a", "b", "kind", "__proto__", "0", "");

/** Own properties, `__proto__` included. */
const record = (entries) => Object.fromEntries(entries);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(record),
}));

/** Schemas with three values each, of which many are valid. */
const { example, object } = fc.letrec((tie) => ({
  example: fc.oneof(
    { depthSize: "small" },
    leaf({ type: "string" }, word),
    leaf({ type: "string", minLength: 1, maxLength: 2 }, word),
    leaf({ type: "string", pattern: "^[a-c]+$" }, word),
    leaf({ type: "string", pattern: "^.$" }, word),
    leaf({ type: "string", pattern: "-[0-9]" }, word),
    leaf({ type: "string", format: "date" }, word),
    leaf({ type: "string", format: "email" }, word),
    leaf({ enum: ["a", "ab", 1, null] }, fc.oneof(word, number)),
    leaf({ type: "integer", minimum: 1, maximum: 3 }, number),
    leaf({ type: "integer", multipleOf: 3 }, number),
    leaf({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 3 }, number),
    leaf({ type: ["boolean", "null"] }, flag),
    leaf({}, value),
    fc.tuple(tie("example"), fc.boolean()).map(([{ schema, values }, uniqueItems]) => ({
      schema: { type: "array", items: schema, uniqueItems, maxItems: 2 },
      values: [[], values.slice(0, 1), values],
    })),
    fc.tuple(tie("example"), tie("example"), fc.constantFrom("anyOf", "oneOf")).map(([one, other, keyword]) => ({
      schema: { [keyword]: [one.schema, other.schema] },
      values: [one.values[0], ...other.values.slice(0, 2)],
    })),
    tie("object"),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(key, tie("example")), { maxLength: 3 }), fc.boolean(), fc.boolean())
    .map(([entries, isClosed, isRequired]) => {
      const members = Object.entries(record(entries));
      const schema = {
        type: "object",
        properties: record(members.map(([key, { schema }]) => [key, schema])),
        ...(isClosed ? { additionalProperties: false } : {}),
        ...(isRequired ? { required: members.map(([key]) => key) } : {}),
      };
      return { schema, values: [0, 1, 2].map((at) => record(members.map(([key, { values }]) => [key, values[at]]))) };
    }),
}));

function leaf(schema, value) {
  return fc.array(value, { minLength: 3, maxLength: 3 }).map((values) => ({ schema, values }));
}

test("agrees with the module on whatever is generated", () => {
  let plain = 0;
  const agrees = ({ schema, values }, other, policy) => {
    const contract = compile(schema, { policy });
    for (const value of [...values, other]) {
      if (isUnchanged(contract, value) && typeof value === "object" && isPlain(contract, value)) {
        plain += 1;
      }
    }
  };
  fc.assert(fc.property(fc.oneof(example, object), value, fc.constantFrom(...POLICIES), agrees), settings);
  assert.ok(plain > settings.numRuns / 10, `${plain} are plain`);
});
