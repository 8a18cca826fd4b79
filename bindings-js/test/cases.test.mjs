// The shared cases of tests/cases, at every policy.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cases, contractOf, exact, POLICIES } from "./subject.mjs";

for (const it of cases()) {
  test(`${it.file.replace(".json", "")}: ${it.name}`, () => {
    for (const policy of POLICIES) {
      const outcome = contractOf(it, policy).repair(it.input);
      const told = `at \`${policy}\`: ${outcome.wire}`;
      if (it.expect.codes) {
        refused(it.expect, policy, outcome, told);
      } else {
        accepted(it.expect, policy, outcome, told);
      }
    }
  });
}

function accepted({ from, value, repairs }, policy, outcome, told) {
  const isReached = POLICIES.indexOf(policy) >= POLICIES.indexOf(from);
  // What validates as it stands passes `strict`, spelled as it came.
  const isValid = repairs.every((rule) => rule === "canonical_integer");
  assert.equal(outcome.ok, isReached || isValid, told);
  if (isReached) {
    assert.deepEqual(exact(outcome.json), exact(value), told);
    assert.deepEqual(outcome.repairs.map(({ rule }) => rule).sort(), [...repairs].sort(), told);
    assert.deepEqual(outcome.value, materialised(value), told);
  } else if (isValid) {
    assert.equal(outcome.status, "unchanged", told);
  } else {
    assert.equal(outcome.value, undefined, told);
  }
}

function refused({ codes, paths }, policy, outcome, told) {
  assert.equal(outcome.status, "refused", told);
  assert.notEqual(outcome.feedback(), "", told);
  if (policy === "lenient") {
    const found = new Set(outcome.issues.map(({ code }) => code));
    assert.deepEqual(found, new Set(codes), told);
    for (const path of paths) {
      assert.ok(
        outcome.issues.some((issue) => issue.path === path),
        `no issue at \`${path}\`, ${told}`,
      );
    }
  }
}

/** What JavaScript is given for canonical text: `JSON.parse`, and a bigint for an integer that is not safe. */
function materialised(text) {
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"\u{1f984}${token}"` : token,
  );
  return JSON.parse(marked, (_, value) =>
    typeof value === "string" && value.startsWith("\u{1f984}") ? BigInt(value.slice(2)) : value,
  );
}
