// A secret that was sent shows in nothing that is told about a call; only the value itself holds it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { compile, wasm } from "./subject.mjs";

const SECRET = "hunter2-6f1c";
const NUMBER = 91827364554637281n;
const KEY = "key-6f1c";
const schema = {
  type: "object",
  properties: {
    token: { type: "string", maxLength: 5 },
    tokens: { type: "array", items: { type: "string" } },
    pin: { type: "integer" },
    count: { type: "integer" },
    record: { type: "object", properties: { token: { type: "integer" } } },
  },
  required: ["count"],
  additionalProperties: false,
};
const sent = [
  { token: SECRET, count: 1 },
  { tokens: SECRET, count: 1 },
  { tokens: `${SECRET}, b`, count: 1 },
  { tokens: [SECRET, new Date()], count: 1 },
  { tokens: [() => {}], token: SECRET },
  { token: `${SECRET}\ud800` },
  { pin: NUMBER, count: 1 },
  { record: { token: SECRET } },
  { record: `{"token": "${SECRET}"}`, count: 1 },
  { record: { Token: { a: SECRET } } },
  `{"pin": ${NUMBER}, "count": 1}`,
  `{"tokens": "${SECRET}", "count": 1}`,
  `\`\`\`json\n{"tokens": "${SECRET}", "count": 1}\n\`\`\``,
  `{"tokens": "${SECRET}", "count": `,
  `{"token": "${SECRET}"} {}`,
  `{"token": "${SECRET}", "token": "${SECRET}"}`,
  `{"token": "${SECRET}", "count": 1e400}`,
  `{"token": "${SECRET}\ud800"}`,
];

const shown = (it) => inspect(it, { depth: Number.POSITIVE_INFINITY, showHidden: true });

/** Everything that is told about a call, as it would end up in a log. */
function told(outcome) {
  const { repairs, issues, warnings } = outcome;
  const texts = [outcome.feedback(), outcome.feedback({ format: "json" })];
  texts.push(...[outcome, outcome.log(), outcome.patch(), repairs, issues, warnings].map(shown));
  assert.throws(
    () => outcome.feedback({ format: "xml" }),
    (error) => texts.push(shown(error)) > 0,
  );
  return texts.join("\n");
}

function hidesSecrets(text, args) {
  assert.ok(!text.includes(SECRET) && !text.includes(String(NUMBER)), `${shown(args)}: ${text}`);
}

for (const policy of ["narrow", "lenient"]) {
  test(`values, with policy ${policy}`, () => {
    for (const redact of [{ values: true }, { properties: ["/token", "/tokens", "/pin"] }]) {
      const contract = compile(schema, { redact, policy, numbers: "refuse" });
      const statuses = sent.map((args) => {
        const outcome = contract.repair(args);
        hidesSecrets(told(outcome), args);
        assert.ok(!outcome.ok || outcome.json.includes(SECRET));
        return outcome.status;
      });
      assert.deepEqual([...new Set(statuses)].sort(), ["refused", "repaired"]);
    }
    const open = compile(schema, { policy, numbers: "refuse" });
    assert.ok(told(open.repair(sent[1])).includes(SECRET));
    assert.ok(told(open.repair(sent[6])).includes(String(NUMBER)));
  });

  test(`keys, with policy ${policy}`, () => {
    const contract = compile(schema, { redact: { keys: true }, policy });
    for (const args of [
      { [KEY]: 1 },
      { [KEY]: new Date() },
      { [Symbol(KEY)]: 1 },
      { record: { [KEY]: { a: 1 } } },
      { count: { [KEY]: 1 } },
      `{"${KEY}": 1, "${KEY}": 2}`,
      `{"record": {"${KEY}": 1e400}}`,
    ]) {
      const text = told(contract.repair(args));
      assert.ok(!text.includes(KEY), `${shown(args)}: ${text}`);
    }
    assert.ok(told(compile(schema, { policy }).repair({ [KEY]: 1 })).includes(KEY));
  });
}

test("a log and what is shown hold no value, whatever is redacted", () => {
  const contract = compile(schema, { numbers: "refuse" });
  for (const args of [...sent, { [KEY]: SECRET }, { [KEY]: { [SECRET]: () => {} } }]) {
    const log = JSON.stringify(contract.repair(args).log());
    hidesSecrets(log, args);
    assert.ok(!log.includes(KEY));
  }
  hidesSecrets(shown(contract.repair({ tokens: [SECRET], count: 1 })));
});

test("a failure inside tells nothing of the call", () => {
  const contract = compile(schema);
  wasm.trap = "repair";
  assert.throws(
    () => contract.repair(sent[0]),
    (error) => {
      hidesSecrets(shown(error));
      return true;
    },
  );
});
