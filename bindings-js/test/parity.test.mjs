// Same everywhere: the wire text of every case at every policy is the core's, byte for byte.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { cases, contractOf } from "./subject.mjs";

const file = process.env.TOOLMEND_OUTCOMES;

test("agrees with the core on every byte", { skip: file ? false : "TOOLMEND_OUTCOMES names no file" }, () => {
  const byName = new Map(cases().map((it) => [it.name, it]));
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  assert.ok(lines.length > 0);
  for (const line of lines) {
    const expected = JSON.parse(line);
    const outcome = contractOf(byName.get(expected.case), expected.policy).repair(byName.get(expected.case).input);
    assert.equal(outcome.wire, expected.outcome, `${expected.case} at \`${expected.policy}\``);
  }
});
