// The literal types are the core's closed lists.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile, toolmend, wasm } from "./subject.mjs";

test("codes, rules, policies and statuses are those of the module", () => {
  compile(true);
  const [start, length] = wasm.exports.lists();
  const lists = JSON.parse(new TextDecoder().decode(new Uint8Array(wasm.exports.memory.buffer, start, length)));
  assert.deepEqual(toolmend.CODES, lists.codes);
  assert.deepEqual(toolmend.RULES, lists.rules);
  assert.deepEqual(toolmend.POLICIES, lists.policies);
  assert.deepEqual(toolmend.STATUSES, lists.statuses);
});
