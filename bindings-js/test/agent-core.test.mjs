// What a host adds to a contract: refusals of its own, validation alone, digests, batches.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { toolmend } from "./subject.mjs";

const { compile } = toolmend;
const schema = {
  type: "object",
  properties: { id: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
  required: ["id"],
};

test("a refusal of the host has the shape of all others", () => {
  const contract = compile(schema, { name: "t" });
  const refused = contract.refuse({ path: "/id", hint: "the order is closed", reason: "order_closed" });
  assert.deepEqual(
    [refused.ok, refused.value, refused.digest, refused.issues],
    [
      false,
      undefined,
      undefined,
      [{ code: "precondition_failed", path: "/id", hint: "the order is closed", reason: "order_closed" }],
    ],
  );
  assert.match(refused.feedback(), /\n\/id: the order is closed$/);
  contract.repair("{}");
  assert.equal(refused.issues.length, 1, "told again after another answer");
  assert.equal(contract.refuse([{ hint: "one\ud800" }, { hint: "two" }]).issues[0].hint, "one\ufffd");
});

test("what is no refusal is a TypeError", () => {
  const contract = compile(schema);
  for (const bad of [
    [],
    {},
    { hint: 5 },
    { hint: "h", code: "truncated" },
    { hint: "h", path: "id" },
    { hint: "h", x: 1 },
    "h",
    null,
  ]) {
    assert.throws(() => contract.refuse(bad), TypeError, JSON.stringify(bad));
  }
});

test("check validates and repairs nothing, whatever the policy", () => {
  const contract = compile(schema, { policy: "lenient" });
  const data = { id: 1, tags: ["a"] };
  assert.equal(contract.check(data).value, data);
  assert.equal(contract.check({ id: "1" }).issues[0].code, "type_mismatch");
  assert.equal(contract.check({ id: 1, tags: "a" }).issues[0].path, "/tags");
  assert.equal(contract.check('{"id": 1}').issues[0].code, "type_mismatch", "text is a string here");
  assert.equal(contract.check(() => 1).issues[0].code, "unsupported_value");
});

test("a digest is SHA-256 over RFC 8785, and tells long ids apart", () => {
  const contract = compile(schema, { name: "t" });
  const sha = (text) => createHash("sha256").update(text).digest("hex");
  const want = sha('{"arguments":{"id":1,"tags":["é"]},"name":"t"}');
  assert.equal(contract.repair('{"tags": ["\\u00e9"], "id": 1.0}').digest, want);
  assert.equal(contract.repair({ tags: ["é"], id: 1 }).digest, want);
  assert.equal(
    contract.repair('{"id": 1234567890123456789}').digest,
    sha('{"arguments":{"id":1234567890123456800},"name":"t","numbers":{"/id":"1234567890123456789"}}'),
  );
});

test("many calls are answered each as by itself", () => {
  const contract = compile(schema);
  const calls = ['{"id": 1}', { id: 2, tags: "a" }, "{", undefined];
  const wires = contract.repairMany(calls).map((outcome) => outcome.wire);
  assert.deepEqual(
    wires,
    calls.map((call) => contract.repair(call).wire),
  );
});
