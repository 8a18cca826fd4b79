// Text of any kind gives a typed issue: nothing is thrown, lost or hung.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile, POLICIES } from "./subject.mjs";

const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };

function codes(text, options) {
  return POLICIES.map((policy) => {
    const outcome = compile(schema, { policy, ...options }).repair(text);
    assert.equal(outcome.status, "refused", outcome.wire.slice(0, 200));
    assert.ok(outcome.feedback().length > 0);
    return outcome.issues[0].code;
  });
}

function everywhere(text, code, options) {
  assert.deepEqual(
    codes(text, options),
    POLICIES.map(() => code),
  );
}

test("depth 100,000", () => {
  everywhere("[".repeat(100_000), "depth_limit");
  everywhere('{"a":'.repeat(100_000), "depth_limit");
  everywhere("[".repeat(100_000) + "]".repeat(100_000), "depth_limit");
});

test("10 MB of text", () => {
  everywhere(`{"a": "${"x".repeat(10 << 20)}"}`, "size_limit");
  everywhere(" ".repeat(10 << 20), "size_limit");
  const contract = compile(schema, { limits: { bytes: 1 << 30 } });
  const text = `{"a":"${"\u00e4\u20ac\ud83e\udd84x".repeat(2 << 20)}"}`;
  const outcome = contract.repair(text);
  assert.equal(outcome.status, "unchanged");
  assert.equal(outcome.value.a.length, 5 * (2 << 20));
  assert.equal(outcome.json, text);
  // A short call after a long one.
  assert.deepEqual(contract.repair('{"a": "\u00e4"}').value, { a: "\u00e4" });
});

test("the size limit counts bytes, and says the same for what was not even looked at", () => {
  const small = { limits: { bytes: 20 } };
  everywhere(`{"a":"${"\u20ac".repeat(6)}"}`, "size_limit", small);
  everywhere("x".repeat(1000), "size_limit", small);
  everywhere(`\ud800${"\u20ac".repeat(10)}`, "size_limit", small);
  everywhere("\ud83e\udd84".repeat(1000), "size_limit", small);
  for (const text of ["x".repeat(30), "\ud83e\udd84".repeat(81), "\ud83e\udd84".repeat(80)]) {
    const shown = text.length > 160 ? `${text.slice(0, 160)}\u2026` : text;
    assert.equal(compile(schema, small).repair(text).issues[0].received.preview, shown);
  }
});

test("half of a surrogate pair", () => {
  everywhere('{"a": "\ud800"}', "invalid_unicode");
  everywhere("\udc00", "invalid_unicode");
  everywhere('{"a": "\\ud800"}', "invalid_unicode");
  const { span } = compile(schema).repair('{"\u00e4": "\ud800"}').issues[0];
  assert.deepEqual(span, { offset: 8, line: 1, column: 8 });
  assert.equal(compile(schema).repair('{"a": "\ud83e\udd84"}').status, "unchanged");
});

test("cut, doubled and broken text", () => {
  everywhere('{"a": "x', "truncated");
  everywhere('{"a": "x"', "truncated");
  everywhere('{"a": "x", "a": "y"}', "duplicate_key");
  everywhere('{"a": "x"} {"a": "y"}', "multiple_values");
  everywhere('{"a": "\\q"}', "json_syntax");
});

test("a reply that the host knows to be cut", () => {
  for (const args of ['{"a": "x"}', { a: "x" }, undefined, "\ud800x"]) {
    const outcome = compile(schema).repair(args, { finish: "length" });
    assert.equal(outcome.ok, false);
    assert.deepEqual(
      outcome.issues.map(({ code }) => code),
      ["truncated"],
    );
    assert.equal(outcome.issues[0].span !== undefined, typeof args === "string");
  }
  for (const [finish, ok] of Object.entries({ complete: true, stop: true, end_turn: true, max_tokens: false })) {
    assert.equal(compile(schema).repair('{"a": "x"}', { finish }).ok, ok);
  }
});

test("no arguments at all", () => {
  const outcome = compile({ type: "object", properties: {} }).repair();
  assert.equal(outcome.status, "repaired");
  assert.deepEqual(outcome.value, {});
  assert.deepEqual(outcome.value, compile({ type: "object", properties: {} }).repair("").value);
});
