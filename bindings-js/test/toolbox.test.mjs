// Many tools at once: definitions, policies, guards, messages, attempts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";

import { compile, toolmend } from "./subject.mjs";

const { compileTools } = toolmend;
const NAMES = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" } } },
  required: ["names"],
  additionalProperties: false,
};
const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
const LISTED = [
  { type: "function", function: { name: "index", parameters: NAMES } },
  { name: "delete", inputSchema: COUNT, annotations: { destructiveHint: true } },
  { name: "bad", inputSchema: { type: "objekt" } },
];
const codes = (outcome) => outcome.issues.map((issue) => issue.code);

test("one bad schema hides no other tool", () => {
  const toolbox = compileTools(LISTED);
  assert.deepEqual(toolbox.names, ["index", "delete"]);
  assert.deepEqual(
    toolbox.faults.map(({ name, index, path }) => [name, index, path]),
    [["bad", 2, "/inputSchema/type"]],
  );
  assert.deepEqual(toolbox.repair("index", '{"names": "a"}').value, { names: ["a"] });
  for (const name of ["bad", "indexx", "__proto__", "constructor"]) {
    assert.deepEqual(codes(toolbox.repair(name, "{}")), ["unknown_tool"], name);
  }
  const unknown = toolbox.repair("Index\ud800", "{}");
  compile(true).repair("{");
  assert.equal(unknown.issues[0].candidates[0], "index", "told again after another answer");
  assert.match(unknown.feedback(), /`index`/);
  assert.equal(unknown.log().schema, null);
});

test("what may destroy is repaired no further than narrow", () => {
  for (const [options, ok] of [
    [{ policy: "lenient" }, false],
    [{ rules: { parse_number: true } }, false],
    [{ tools: { delete: { policy: "lenient" } } }, true],
    [{ tools: { delete: { effect: "write" } }, policy: "lenient" }, true],
    [{ policy: "strict" }, false],
  ]) {
    assert.equal(compileTools(LISTED, options).repair("delete", '{"count": "5"}').ok, ok, JSON.stringify(options));
  }
  assert.equal(compileTools(LISTED).effect("delete"), "destructive");
});

test("schemas of a library, by name or in definitions", () => {
  const forecast = z.object({ city: z.string(), days: z.array(z.number()) });
  for (const tools of [{ forecast }, [{ name: "forecast", inputSchema: forecast }], JSON.stringify({ forecast: {} })]) {
    assert.deepEqual(compileTools(tools).names, ["forecast"]);
  }
  assert.deepEqual(compileTools({ forecast }).repair("forecast", '{"city": "Bern", "days": 3}').value.days, [3]);
});

test("guards refuse in the shape of all issues", async () => {
  const now = (value) => (value.count > 9 ? "too many" : undefined);
  const later = async (_, { tool }) => ["later", { hint: `${tool} is closed`, path: "/count", reason: "order_closed" }];
  const one = compileTools(LISTED, { tools: { delete: { guards: now } } });
  assert.ok(one.repair("delete", '{"count": 3}').ok);
  assert.deepEqual(one.repair("delete", '{"count": 10}').issues, [
    { code: "precondition_failed", path: "", hint: "too many" },
  ]);
  assert.deepEqual(codes(one.repair("delete", "{}")), ["missing_property"], "an invalid call reaches no guard");
  const two = compileTools(LISTED, { tools: { delete: { guards: [now, later] } } });
  assert.throws(() => two.repair("delete", '{"count": 3}'), { name: "TypeError", message: /repairAsync/ });
  const outcome = await two.repairAsync("delete", '{"count": 30}');
  assert.deepEqual(
    outcome.issues.map(({ hint, reason }) => [hint, reason]),
    [
      ["too many", undefined],
      ["later", undefined],
      ["delete is closed", "order_closed"],
    ],
  );
  const wrong = compileTools(LISTED, { tools: { delete: { guards: () => true } } });
  assert.throws(() => wrong.repair("delete", { count: 1 }), TypeError);
});

const messages = readFileSync(join(process.env.TOOLMEND_CASES, "..", "agents", "messages.jsonl"), "utf8");
for (const line of messages.trim().split("\n")) {
  const given = JSON.parse(line);
  test(`message: ${given.name}`, () => {
    if (given.error) {
      assert.throws(() => compileTools({}).repairMessage(given.message), { name: "TypeError", message: /message/ });
      return;
    }
    const toolbox = compileTools(Object.fromEntries(given.calls.map(({ name }) => [name, { type: "object" }])));
    const want = given.calls.map(({ id, name, arguments: args, finish }) => {
      const contract = compile({ type: "object" }, { name });
      return { id, name, wire: contract.repair(args, { finish: finish ?? given.finish }).wire };
    });
    const options = { finish: given.given };
    const got = toolbox.repairMessage(given.message, options);
    assert.deepEqual(
      got.map(({ id, name, outcome }) => ({ id, name, wire: outcome.wire })),
      want,
    );
    const decided = toolbox.attempts().decideMessage(given.message, options);
    assert.deepEqual(
      decided.map(({ id, tool, outcome }) => ({ id, name: tool, wire: outcome.wire })),
      want,
    );
  });
}

test("a message that holds itself is none", () => {
  const message = { choices: [] };
  message.choices.push(message);
  const response = { message: undefined };
  response.message = response;
  const metadata = { role: "assistant", response_metadata: undefined };
  metadata.response_metadata = metadata;
  for (const each of [message, response]) {
    assert.throws(() => compileTools({}).repairMessage(each), { name: "TypeError", message: /message/ });
  }
  assert.deepEqual(compileTools({}).repairMessage(metadata), []);
});

test("an end of a reply that nobody knows is an error of the host", () => {
  const message = {
    finish_reason: "length",
    message: { role: "assistant", tool_calls: [{ name: "delete", args: {} }] },
  };
  for (const finish of ["cut", 5, ["stop"]]) {
    assert.throws(() => compileTools(LISTED).repairMessage(message, { finish }), /finish/);
    assert.throws(() => compileTools(LISTED).attempts().decideMessage(message, { finish }), /finish/);
  }
});

test("attempts decide what follows", () => {
  const toolbox = compileTools(LISTED);
  let attempts = toolbox.attempts({ budget: 3 });
  const first = attempts.decide("index", "{}", { id: "call_1" });
  assert.deepEqual(
    [first.action, first.attempt, first.remaining, first.id, "value" in first],
    ["retry", 1, 2, "call_1", false],
  );
  const second = attempts.decide("index", '{"name": "a"}');
  assert.equal(second.action, "retry");
  assert.match(second.message, /names: /, "the keys that there are");
  attempts = toolbox.attempts({ state: JSON.parse(JSON.stringify(attempts)) });
  const again = attempts.decide("index", {});
  assert.deepEqual([again.action, again.reason], ["stop", "repeated"]);
  const good = attempts.decide("index", '{"names": "a"}');
  assert.deepEqual([good.action, good.value, good.attempt], ["run", { names: ["a"] }, 4]);
  assert.deepEqual(attempts.toJSON(), toolbox.attempts().toJSON());
  assert.throws(() => toolbox.attempts({ state: { budget: "many" } }), TypeError);
  assert.throws(() => toolbox.attempts({ budget: 0 }), TypeError);
});

test("the calls of one message are one attempt", async () => {
  const attempts = compileTools(LISTED).attempts({ budget: 2 });
  const call = { id: "1", function: { name: "index", arguments: "{}" } };
  const message = { role: "assistant", tool_calls: [call, call, call] };
  assert.deepEqual(
    attempts.decideMessage(message).map(({ action }) => action),
    ["retry", "retry", "retry"],
  );
  assert.deepEqual(
    (await attempts.decideMessageAsync(message)).map(({ reason }) => reason),
    ["repeated", "repeated", "repeated"],
  );
});

test("a message after a log that is gone on with is a turn of its own", () => {
  const toolbox = compileTools(LISTED);
  const message = { role: "assistant", content: [{ type: "tool_use", id: "", name: "index", input: {} }] };
  let attempts = toolbox.attempts({ budget: 9 });
  const told = [];
  for (const _ of [1, 2, 3]) {
    told.push(...attempts.decideMessage(message).map(({ attempt, reason }) => [attempt, reason]));
    attempts = toolbox.attempts({ state: JSON.parse(JSON.stringify(attempts)) });
  }
  assert.deepEqual(told, [
    [1, undefined],
    [2, "repeated"],
    [3, "repeated"],
  ]);
});

test("report mode touches nothing", () => {
  const attempts = compileTools(LISTED, { mode: "report" }).attempts();
  for (const args of ['{"names": "a"}', "{", { names: "a" }]) {
    const decision = attempts.decide("index", args);
    assert.deepEqual([decision.action, decision.value], ["run", args]);
  }
  assert.equal(attempts.decide("index", { names: "a" }).outcome.status, "repaired");
});

test("results are checked against the schema of the output", () => {
  const tools = [
    { name: "count", inputSchema: {}, outputSchema: COUNT },
    { name: "other", inputSchema: {} },
  ];
  const toolbox = compileTools(tools, { tools: { other: { output: NAMES } } });
  assert.equal(toolbox.check("count", { count: 1 }).ok, true);
  assert.equal(toolbox.check("count", { count: "1" }).ok, false);
  assert.equal(toolbox.check("other", { names: "a" }).ok, false);
  assert.equal(compileTools(LISTED).check("index", {}), undefined);
});

test("every answer is told once", () => {
  const toolbox = compileTools(LISTED);
  const events = [];
  const stop = toolbox.observe((event) => events.push(event));
  toolbox.repair("index", '{"names": "a"}');
  toolbox.repair("secret name", "{}");
  const attempts = toolbox.attempts();
  attempts.decide("index", "{}");
  attempts.decide("index", '{"names": []}');
  stop();
  toolbox.repair("index", "{}");
  assert.deepEqual(
    events.map(({ tool, outcome, decision, after }) => [tool, outcome.status, decision?.action, after]),
    [
      ["index", "repaired", undefined, undefined],
      [undefined, "refused", undefined, undefined],
      ["index", "refused", "retry", undefined],
      ["index", "unchanged", "run", "refused"],
    ],
  );
});

test("mistakes of the host are errors", () => {
  assert.throws(() => compileTools(5), TypeError);
  assert.throws(() => compileTools("5"), TypeError);
  for (const options of [
    { tools: { none: {} } },
    { mode: "off" },
    { policy: "wide" },
    { tools: { index: { effect: "x" } } },
  ]) {
    assert.throws(() => compileTools(LISTED, options), TypeError, JSON.stringify(options));
  }
});
