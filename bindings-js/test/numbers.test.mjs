// Numbers: a bigint where JavaScript has no safe number, or a refusal; the texts are always exact.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile } from "./subject.mjs";

const id = { type: "object", properties: { id: { type: "integer" }, x: { type: "number" } }, required: ["id"] };

test("an unsafe integer is a bigint, and its neighbours are what JSON.parse gives", () => {
  const outcome = compile(id).repair(
    ' { "id" : -9007199254740993, "x": 0.5, "s": "\\"9007199254740993\\\\", "l": [true, null] } ',
  );
  assert.deepEqual(outcome.value, {
    id: -9007199254740993n,
    x: 0.5,
    s: '"9007199254740993\\',
    l: [true, null],
  });
  assert.equal(outcome.json, '{"id":-9007199254740993,"x":0.5,"s":"\\"9007199254740993\\\\","l":[true,null]}');
});

test("the last safe integer is a number", () => {
  assert.deepEqual(compile(id).repair('{"id": 9007199254740991}').value, { id: 9007199254740991 });
  assert.deepEqual(compile(id).repair('{"id": 9007199254740992}').value, { id: 9007199254740992n });
});

test("bigints stand beside __proto__", () => {
  const { value } = compile(true).repair('{"__proto__": {"id": 9007199254740993}}');
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(Object.getOwnPropertyDescriptor(value, "__proto__").value.id, 9007199254740993n);
});

test("repaired values and reports keep every digit", () => {
  const outcome = compile(id, { policy: "lenient" }).repair('{"id": "9007199254740993"}');
  assert.equal(outcome.status, "repaired");
  assert.deepEqual(outcome.value, { id: 9007199254740993n });
  assert.equal(outcome.repairs[0].after, 9007199254740993n);
  assert.match(outcome.wire, /"after":9007199254740993/);
});

test("bounds in a schema keep every digit", () => {
  const schema = '{"type": "object", "properties": {"id": {"type": "integer", "maximum": 9007199254740993}}}';
  assert.equal(compile(schema).repair('{"id": 9007199254740993}').status, "unchanged");
  assert.equal(compile(schema).repair('{"id": 9007199254740994}').status, "refused");
  const object = { type: "object", properties: { id: { type: "integer", maximum: 9007199254740993n } } };
  assert.equal(compile(object).repair('{"id": 9007199254740994}').status, "refused");
});

test("JSON.stringify never throws and never rounds an integer", () => {
  const text = JSON.stringify(compile(id).repair('{"id": 9007199254740993}'));
  assert.match(text, /"id":"?9007199254740993"?/);
});

test("`refuse` refuses what a double does not hold, at each place", () => {
  const contract = compile(true, { numbers: "refuse" });
  const outcome = contract.repair('{"a": [1, 9007199254740993], "b/c": 0.12345678901234567890, "d": 1.10}');
  assert.equal(outcome.status, "refused");
  assert.deepEqual(
    outcome.issues.map(({ code, path }) => [code, path]),
    [
      ["number_precision", "/a/1"],
      ["number_precision", "/b~1c"],
    ],
  );
  assert.deepEqual(outcome.issues[0].received, { type: "integer", preview: "9007199254740993" });
  assert.match(outcome.feedback(), /\/a\/1/);
  assert.ok(outcome.feedback({ format: "json" }).includes('"number_precision"'));
  assert.equal(contract.repair('{"a": 9007199254740991, "b": 0.1}').status, "unchanged");
});

test("a number's issue is at the place it was sent in", () => {
  const contract = compile(
    { type: "object", properties: { item_ids: { type: "array", items: { type: "integer" } } }, required: ["item_ids"] },
    { policy: "adapter", numbers: "refuse" },
  );
  for (const sent of ['{"itemIds": [1, 9007199254740993]}', '{"itemIds": "[1, 9007199254740993]"}']) {
    assert.deepEqual(
      contract.repair(sent).issues.map(({ path }) => path),
      ["/itemIds/1"],
    );
  }
});

test("what is beyond every double is refused either way", () => {
  for (const numbers of ["bigint", "refuse"]) {
    for (const text of ["1e400", "-1e400", '{"a": [1e400]}', "1e-400"]) {
      const outcome = compile(true, { numbers }).repair(text);
      assert.equal(outcome.issues[0]?.code, "number_precision", `${text}: ${outcome.wire}`);
    }
  }
});
