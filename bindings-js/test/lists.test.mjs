// The literal types are the core's closed lists.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile, toolmend, wasm } from "./subject.mjs";

test("the lists are those of the module", () => {
  compile(true);
  const [start, length] = wasm.exports.lists();
  const lists = JSON.parse(new TextDecoder().decode(new Uint8Array(wasm.exports.memory.buffer, start, length)));
  assert.deepEqual(toolmend.CODES, lists.codes);
  assert.deepEqual(toolmend.RULES, lists.rules);
  assert.deepEqual(toolmend.POLICIES, lists.policies);
  assert.deepEqual(toolmend.STATUSES, lists.statuses);
  // What has no list of its own in the package shows in its messages.
  const named = (act) => {
    const known = (error) => [...error.message.split(":")[1].matchAll(/`(\w+)`/g)].map(([, name]) => name);
    try {
      return act();
    } catch (error) {
      return known(error);
    }
  };
  const contract = compile(true);
  assert.deepEqual(
    named(() => contract.repair("{}", { finish: "zzz" })),
    Object.keys(lists.finishes),
  );
  for (const [finish, isCut] of Object.entries(lists.finishes)) {
    assert.equal(contract.repair("{}", { finish }).ok, !isCut);
  }
  assert.deepEqual(
    named(() => contract.repair("").feedback({ format: "zzz" })),
    lists.feedbackFormats,
  );
});
