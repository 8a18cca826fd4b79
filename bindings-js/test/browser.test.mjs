// A runtime without Node's `Buffer`, without `isWellFormed` and without finalizers, as some browsers and edges are.

import assert from "node:assert/strict";
import { test } from "node:test";

delete String.prototype.isWellFormed;
delete globalThis.FinalizationRegistry;
globalThis.Buffer = undefined;

const { compile, toolmend } = await import("./subject.mjs");

test("works with what every browser has", async () => {
  await toolmend.ready();
  const contract = compile({ type: "object", properties: { a: { type: "array" } } });
  assert.equal(contract.repair('{"a": "\u00e4\ud83e\udd84"}').json, '{"a":["\u00e4\ud83e\udd84"]}');
  assert.equal(contract.repair('{"a": "\ud83e"}').issues[0].code, "invalid_unicode");
  assert.equal(contract.repair({ a: ["\ud83e"] }).issues[0].code, "invalid_unicode");
  contract.free();
  assert.ok(contract.repair({ a: [] }).ok);
});
