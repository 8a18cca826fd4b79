// Laws 1, 2, 4, 5, 6 and 9 over generated schemas and arguments. TOOLMEND_RUNS and TOOLMEND_SEED say how many and which.

import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { compile, frozen, POLICIES } from "./subject.mjs";

const settings = {
  numRuns: Number(process.env.TOOLMEND_RUNS ?? 300),
  ...(process.env.TOOLMEND_SEED ? { seed: Number(process.env.TOOLMEND_SEED) } : {}),
};

const key = fc.constantFrom("a", "b", "some_key", "someKey", "__proto__", "items", "");
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("1", "true", "null", "[1]", '{"a":1}', '["x"]', "a,b", "One", "one"),
);
// A whole number that is not safe is a bigint from text, and from data the caller's own number: numbers.test.mjs.
const number = fc
  .oneof(fc.integer({ min: -9, max: 9 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  .filter((it) => !Number.isInteger(it) || Number.isSafeInteger(it))
  .map((it) => it + 0);
const scalar = fc.oneof(fc.constant(null), fc.boolean(), number, text);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map(record),
}));

const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("string", "integer", "number", "boolean", "null").map((type) => ({ type })),
    fc.constant({ type: "string", enum: ["one", "two"] }),
    tie("schema").map((items) => ({ type: "array", items })),
    fc.tuple(tie("schema"), tie("schema")).map((anyOf) => ({ anyOf })),
    tie("object"),
  ),
  object: fc
    .tuple(fc.array(fc.tuple(key, tie("schema")), { maxLength: 3 }).map(record), fc.boolean(), fc.boolean())
    .map(([properties, isClosed, isRequired]) => ({
      type: "object",
      properties,
      ...(isClosed ? { additionalProperties: false } : {}),
      ...(isRequired ? { required: Object.keys(properties) } : {}),
    })),
}));

/** Own properties, `__proto__` included. */
function record(entries) {
  return Object.fromEntries(entries);
}

function law(name, ...args) {
  test(name, () => fc.assert(fc.property(...args), settings));
}

law("data and text give the same answer", schema, value, fc.constantFrom(...POLICIES), (schema, value, policy) => {
  fc.pre(typeof value === "object" && value !== null);
  const contract = compile(schema, { policy });
  const one = contract.repair(value);
  const two = contract.repair(JSON.stringify(value));
  assert.equal(one.status, two.status);
  assert.equal(one.json, two.json);
  assert.deepEqual(one.value, two.value);
  assert.deepEqual(one.repairs, two.repairs);
  assert.deepEqual(spanless(one.issues), spanless(two.issues));
  assert.deepEqual(spanless(one.warnings), spanless(two.warnings));
});

law("nothing of the caller's is changed", schema, value, fc.constantFrom(...POLICIES), (schema, value, policy) => {
  const before = [structuredClone(schema), structuredClone(value)];
  const outcome = compile(frozen(schema), { policy }).repair(frozen(value));
  assert.equal(JSON.parse(outcome.wire).status, outcome.status);
  assert.deepEqual([schema, value], before);
  if (outcome.status === "unchanged" && typeof value !== "string") {
    assert.ok(Object.is(outcome.value, value));
  }
});

law("what is accepted is valid, and is repaired no further", schema, value, (schema, value) => {
  const strict = compile(schema, { policy: "strict" });
  let narrower;
  for (const policy of POLICIES) {
    const contract = compile(schema, { policy });
    const outcome = contract.repair(JSON.stringify(value));
    if (outcome.ok) {
      assert.equal(strict.repair(outcome.json).status, "unchanged");
      assert.deepEqual(contract.repair(outcome.json).status, "unchanged");
      assert.equal(contract.repair(outcome.json).json, outcome.json);
    } else {
      assert.equal(outcome.value, undefined);
      assert.ok(outcome.issues.length > 0);
    }
    if (narrower?.ok) {
      assert.deepEqual(outcome.value, narrower.value);
    }
    narrower = outcome;
  }
});

law(
  "any text has an answer",
  schema,
  fc.oneof(fc.string({ unit: "binary" }), fc.string(), cut()),
  fc.constantFrom(...POLICIES),
  (schema, text, policy) => {
    const outcome = compile(schema, { policy }).repair(text);
    const wire = JSON.parse(outcome.wire);
    assert.equal(wire.status, outcome.status);
    assert.equal(outcome.ok, outcome.issues.length === 0);
  },
);

law(
  "any data has an answer",
  schema,
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withBoxedValues: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
  }),
  (schema, value) => {
    const outcome = compile(schema, { policy: "lenient" }).repair(value);
    assert.equal(JSON.parse(outcome.wire).status, outcome.status);
  },
);

/** JSON text that ends early. */
function cut() {
  return fc.tuple(value, fc.nat({ max: 40 })).map(([value, end]) => JSON.stringify(value).slice(0, end));
}

function spanless(issues) {
  return issues.map(({ span: _, ...issue }) => issue);
}
