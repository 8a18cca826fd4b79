// The outcome, and the life of what is behind it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile, toolmend, wasm } from "./subject.mjs";

const schema = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" } } },
  required: ["names"],
  additionalProperties: false,
};

test("unchanged, repaired and refused", () => {
  const contract = compile(schema);
  const unchanged = contract.repair('{"names": ["a"]}');
  assert.deepEqual([unchanged.ok, unchanged.status, unchanged.value], [true, "unchanged", { names: ["a"] }]);
  assert.deepEqual([unchanged.repairs, unchanged.issues, unchanged.warnings, unchanged.feedback()], [[], [], [], ""]);
  assert.equal(unchanged.json, '{"names":["a"]}');

  const repaired = contract.repair('{"names": "a"}');
  assert.deepEqual([repaired.ok, repaired.status, repaired.value], [true, "repaired", { names: ["a"] }]);
  assert.deepEqual(repaired.repairs, [{ rule: "wrap_in_array", path: "/names", before: "a", after: ["a"] }]);
  assert.equal(repaired.value, repaired.value);
  assert.deepEqual(repaired.patch(), [{ op: "replace", path: "/names", value: ["a"] }]);

  const refused = contract.repair("{}");
  assert.deepEqual([refused.ok, refused.status, refused.value, refused.json], [false, "refused", undefined, undefined]);
  assert.deepEqual(
    refused.issues.map(({ code, path }) => [code, path]),
    [["missing_property", "/names"]],
  );
  assert.match(refused.feedback(), /\/names/);
  assert.ok(JSON.parse(refused.feedback({ format: "json" })).issues.length > 0);
  assert.ok(Buffer.byteLength(refused.feedback({ maxBytes: 60 })) <= 60);
});

test("what may stand in a log", () => {
  const contract = compile(schema);
  const about = { schema: contract.fingerprint, tool: null, policy: "narrow" };
  const nothing = { repairs: [], issues: [], warnings: [] };
  assert.deepEqual(contract.repair('{"names": ["a"]}').log(), { ...about, ...nothing, status: "unchanged" });
  const repairs = [{ rule: "wrap_in_array", path: "/names" }];
  assert.deepEqual(contract.repair({ names: "a" }).log(), { ...about, ...nothing, status: "repaired", repairs });
  const issues = [{ code: "unsupported_value", path: "/*" }];
  assert.deepEqual(contract.repair({ x: new Date() }).log(), { ...about, ...nothing, status: "refused", issues });
  const exact = compile(schema, { name: "t", numbers: "refuse", policy: "lenient" });
  assert.equal(exact.repair("{").log().tool, "t");
});

test("JSON.stringify gives the wire shape", () => {
  for (const text of ['{"names": ["a"]}', '{"names": "a"}', "{}", "{"]) {
    const outcome = compile(schema).repair(text);
    assert.equal(JSON.stringify(outcome), outcome.wire);
    assert.deepEqual(Object.keys(JSON.parse(outcome.wire)).at(0), "status");
  }
});

test("an outcome tells the same whenever it is asked", () => {
  const contract = compile(schema);
  const outcomes = ['{"names": ["a"]}', '{"names": "a"}', "{}", "{"].map((text) => contract.repair(text));
  const host = contract.repair({ names: "b" });
  const first = outcomes.map((outcome) => outcome.wire);
  const again = outcomes.toReversed().map((outcome) => compile(schema).repair("[]") && outcome.feedback());
  assert.deepEqual(
    again.toReversed().map((text) => text !== ""),
    [false, false, true, true],
  );
  assert.deepEqual(
    outcomes.map((outcome) => JSON.stringify(outcome)),
    first,
  );
  assert.deepEqual(host.value, { names: ["b"] });
  assert.equal(host.json, '{"names":["b"]}');
});

test("a contract that was freed, and its outcomes, still work", () => {
  const contract = compile(schema);
  const outcome = contract.repair('{"names": "a"}');
  contract.free();
  contract.free();
  compile(schema).repair("{}").wire;
  assert.equal(outcome.json, '{"names":["a"]}');
  assert.ok(contract.repair('{"names": "a"}').ok);
  contract[Symbol.dispose]();
});

test("a trap ends the instance and not the process", () => {
  const contract = compile(schema);
  const before = contract.repair('{"names": "a"}');
  const made = wasm.made;
  wasm.trap = "repair";
  assert.throws(
    () => contract.repair('{"names": "a"}'),
    (error) => error instanceof toolmend.InternalError && error.cause instanceof WebAssembly.RuntimeError,
  );
  assert.equal(wasm.made, made);
  assert.deepEqual(contract.repair('{"names": "a"}').value, { names: ["a"] });
  assert.equal(wasm.made, made + 1);
  assert.deepEqual(before.value, { names: ["a"] });
  wasm.trap = "compile";
  assert.throws(() => compile(schema), toolmend.InternalError);
  assert.ok(compile(schema).repair('{"names": "a"}').ok);
});

test("calls leave no memory behind", () => {
  const contract = compile(schema);
  const long = `{"names": "${"x".repeat(100_000)}"}`;
  const size = () => wasm.exports.memory.buffer.byteLength;
  for (let index = 0; index < 50; index += 1) {
    assert.ok(contract.repair(long).wire.length > 100_000);
  }
  const before = size();
  for (let index = 0; index < 1000; index += 1) {
    contract.repair(long);
    contract.repair("{}").feedback();
    contract.repair({ names: "x" }).wire;
  }
  assert.equal(size(), before);
});

test("contracts that are freed leave no memory behind", () => {
  const cycle = () => {
    const contract = compile(schema);
    contract.repair("{}").wire;
    contract.free();
  };
  for (let index = 0; index < 50; index += 1) {
    cycle();
  }
  const before = wasm.exports.memory.buffer.byteLength;
  for (let index = 0; index < 300; index += 1) {
    cycle();
  }
  assert.equal(wasm.exports.memory.buffer.byteLength, before);
});

test("ready is there for who needs it", async () => {
  assert.equal(await toolmend.ready(), undefined);
});
