// What a host may say, keep and hand back: options that say nothing, budgets, turns, data that changes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { compile, toolmend } from "./subject.mjs";

const { compileTools, observeAll } = toolmend;
const ID = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const CLOSED = { ...ID, additionalProperties: false };
const call = (args, id = "1") => ({
  role: "assistant",
  tool_calls: [{ id, function: { name: "t", arguments: args } }],
});

test("an option that is undefined or null says nothing", () => {
  for (const nothing of [undefined, null]) {
    const policy = (options) => compileTools({ t: ID }, options).contract("t").policy;
    assert.equal(policy({ policy: "strict", tools: { t: { policy: nothing } } }), "strict");
    assert.equal(policy({ policy: "strict", tools: { t: nothing } }), "strict");
    assert.equal(policy({ policy: "strict", tools: nothing }), "strict");
    assert.equal(policy({ policy: nothing }), "narrow");
    const refusing = compileTools({ t: ID }, { undeclared: "refuse", tools: { t: { undeclared: nothing } } });
    assert.equal(refusing.repair("t", '{"id": 1, "x": 1}').ok, false);
    const rules = { rules: { drop_null: false }, tools: { t: { rules: nothing, limits: nothing } } };
    const optional = { type: "object", properties: { id: { type: "integer" } } };
    assert.equal(compileTools({ t: optional }, rules).repair("t", '{"id": null}').ok, false);
    const deadly = [{ name: "d", inputSchema: ID, annotations: { destructiveHint: true } }];
    const own = { policy: nothing, rules: nothing, effect: nothing, guards: nothing, output: nothing };
    const toolbox = compileTools(deadly, { policy: "lenient", rules: { parse_number: true }, tools: { d: own } });
    assert.equal(toolbox.effect("d"), "destructive");
    assert.equal(toolbox.contract("d").policy, "narrow");
    assert.equal(toolbox.repair("d", '{"id": "5"}').ok, false);
    assert.equal(compileTools({ t: ID }).attempts({ budget: nothing, state: nothing }).toJSON().budget, 3);
    const numbers = compileTools({ t: ID }, { numbers: "refuse", tools: { t: { numbers: nothing } } });
    assert.equal(numbers.repair("t", '{"id": 12345678901234567890}').ok, false);
  }
});

test("what cannot be read is the same as no other call", () => {
  class F {
    constructor(x) {
      this.x = x;
    }
  }
  const long = (end) => ({ id: `${"x".repeat(9 << 20)}${end}` });
  const self = { id: "a" };
  self.self = self;
  const deep = (end) => {
    let data = end;
    for (let level = 0; level < 300; level += 1) {
      data = [data];
    }
    return data;
  };
  for (const [one, two] of [
    [
      { id: Number.NaN, x: 1 },
      { id: Number.NaN, x: 2 },
    ],
    [new F(1), new F(2)],
    [
      { id: "a", x: undefined, y: () => 1 },
      { id: "a", y: () => 2 },
    ],
    [
      { id: "a", [Symbol("a")]: 1 },
      { id: "a", [Symbol("b")]: 2 },
    ],
    ['{"id": "\ud800"}', '{"id": "\ud801"}'],
    [new Uint8Array([1]), new Uint8Array([2])],
    [long("a"), long("b")],
    [deep(1), deep(2)],
    [self, { id: self }],
    [10n, 11n],
  ]) {
    const attempts = compileTools({ t: CLOSED }).attempts({ budget: 9 });
    assert.equal(attempts.decide("t", one).action, "retry");
    assert.equal(attempts.decide("t", two).action, "retry");
  }
  const attempts = compileTools({ t: ID }).attempts({ budget: 99 });
  for (let time = 0; time < 50; time += 1) {
    assert.equal(attempts.decide("t", new F(1)).reason, undefined);
  }
  const again = compileTools({ t: ID }).attempts({ budget: 9 });
  again.decide("t", { id: "a" });
  assert.equal(again.decide("t", '{"id": "a"}').reason, "repeated", "what can be read is compared");
  const told = compileTools({ t: ID }).attempts();
  told.decide("t", { id: Number.NaN });
  assert.equal(told.toJSON().refused.t.calls[0].sent, UNREADABLE);
  const named = compileTools({ t: ID }).attempts({ budget: 9 });
  assert.deepEqual(
    [named.decide("x\ud800", "{}").reason, named.decide("x\ud801", "{}").reason],
    [undefined, undefined],
  );
  assert.equal(named.toJSON().unknown.calls[0].sent, UNKNOWN);
});

const UNKNOWN = "9e3c53646197a2cc42869c226347a5b80086756cf7598ccd3ff0ca35eca12862";
/** The same in every language. */
const UNREADABLE = "63f4c11020b6656ee51b337e4f8ee852ec7310c750dfb0ae909e4d52566edb84";

test("a budget is a whole number from 1 to 4294967295", () => {
  const toolbox = compileTools({ t: ID });
  for (const budget of [0, -1, 1.5, 2 ** 32, 2 ** 64, Number.NaN, Number.POSITIVE_INFINITY, "3", true, 3n]) {
    assert.throws(() => toolbox.attempts({ budget }), { name: "TypeError", message: /budget.*4294967295/ });
    if (typeof budget !== "bigint") {
      assert.throws(() => toolbox.attempts({ state: { budget, refused: {} } }), {
        name: "TypeError",
        message: /budget/,
      });
    }
  }
  for (const budget of [1, 2 ** 31, 2 ** 32 - 1]) {
    const attempts = toolbox.attempts({ budget });
    assert.equal(attempts.decide("t", "{}").remaining, budget - 1);
    assert.equal(
      toolbox.attempts({ state: attempts.toJSON() }).decide("t", '{"id": "b"}').remaining,
      Math.max(budget - 2, 0),
    );
  }
  for (const state of [
    "x",
    5,
    [],
    {},
    { budget: 3 },
    { budget: 3, refused: { t: { calls: [{}] } } },
    { budget: 3, refused: 5 },
  ]) {
    assert.throws(() => toolbox.attempts({ state }), TypeError, JSON.stringify(state));
  }
});

test("a turn is well-formed text", async () => {
  const attempts = compileTools({ t: ID }).attempts();
  for (const turn of ["\ud800", "a\udfff", 5, {}]) {
    assert.throws(() => attempts.decide("t", "{}", { turn }), { name: "TypeError", message: /turn/ });
    await assert.rejects(attempts.decideAsync("t", "{}", { turn }), { name: "TypeError", message: /turn/ });
  }
  assert.deepEqual(attempts.toJSON().refused, {}, "nothing was counted");
  assert.equal(attempts.decide("t", "{}", { turn: null }).attempt, 1);
  assert.equal(attempts.decide("t", '{"id": "😀"}', { turn: "😀" }).attempt, 2);
});

test("a caller's turn is never that of a message, and a message's never that of another", () => {
  for (const turn of ["message 1", "1", "#1", "##1", "#", ""]) {
    const attempts = compileTools({ t: ID }).attempts({ budget: 9 });
    attempts.decide("t", "{}", { turn });
    assert.equal(attempts.decideMessage(call('{"id": "a"}'))[0].attempt, 2, turn);
    assert.equal(attempts.decide("t", '{"id": "b"}', { turn }).attempt, 2, turn);
    assert.equal(attempts.decide("t", '{"id": "c"}', { turn: `${turn}!` }).attempt, 3, turn);
  }
});

test("a hostile state makes no message the turn of another", () => {
  const toolbox = compileTools({ t: ID });
  const rows = (turns) => ({
    budget: 9,
    refused: { t: { calls: turns.map((turn, at) => ({ sent: String(at), turn })) } },
  });
  for (const turn of [
    "message 99999999999999999999",
    "#99999999999999999999",
    "#9007199254740991",
    "#1e999",
    "#1",
    "#-1",
  ]) {
    const attempts = toolbox.attempts({ state: rows([turn]) });
    const told = ["a", "b", "c"].map((id) => attempts.decideMessage(call(`{"id": "${id}"}`))[0].attempt);
    assert.deepEqual(told, [2, 3, 4], turn);
  }
  const many = Array.from({ length: 300_000 }, (_, at) => `#${at + 1}`);
  const attempts = toolbox.attempts({ state: rows(many) });
  assert.equal(attempts.decideMessage(call("{}"))[0].attempt, 300_001);
  assert.equal(attempts.toJSON().refused.t.calls.at(-1).turn, "#300001");
});

test("the turns of messages are named the same in every language", () => {
  const toolbox = compileTools({ t: ID });
  let attempts = toolbox.attempts({ budget: 9 });
  const names = [];
  for (const [at, args] of ['{"id": "a"}', '{"id": "b"}', '{"id": 1}', '{"id": "c"}', '{"id": "d"}'].entries()) {
    attempts.decideMessage(call(args));
    if (at !== 3) {
      attempts = toolbox.attempts({ state: attempts.toJSON() });
    }
    names.push(
      attempts
        .toJSON()
        .refused.t.calls.map(({ turn }) => turn)
        .join(),
    );
  }
  assert.deepEqual(names, ["#1", "#1,#2", "#1,#2", "#4", "#4,#5"]);
});

test("an outcome does not contradict itself when its data changes", () => {
  const contract = compile(ID, { name: "t" });
  const ways = ["digest", "json", "wire", "toJSON"];
  for (const change of [
    (v) => {
      v.id = "x";
    },
    (v) => {
      delete v.id;
    },
    (v) => {
      v.id = Number.NaN;
    },
    (v) => {
      v.extra = 1;
    },
    (v) => {
      v.id = v;
    },
  ]) {
    for (const way of ways) {
      const value = { id: 1 };
      const outcome = contract.repair(value);
      change(value);
      const read = () => (way === "toJSON" ? JSON.stringify(outcome) : outcome[way]);
      assert.throws(read, { name: "TypeError", message: /changed/ }, way);
      assert.throws(read, TypeError, "and again");
      assert.deepEqual([outcome.ok, outcome.issues, outcome.warnings, outcome.patch()], [true, [], [], []]);
      assert.deepEqual([outcome.log().status, outcome.log().tool], ["unchanged", "t"]);
      assert.equal(contract.repair({ id: 1 }).json, '{"id":1}', "the next call");
    }
    const value = { id: 1 };
    const outcome = contract.repair(value);
    const digest = outcome.digest;
    change(value);
    contract.repair("{}");
    assert.deepEqual([outcome.digest, outcome.json], [digest, '{"id":1}'], "what was made once stays");
  }
  const lenient = compile(ID, { policy: "lenient" });
  const value = { id: 1 };
  const outcome = lenient.repair(value);
  value.id = "1";
  assert.throws(() => outcome.digest, TypeError, "what would be repaired now was not found valid");
  const other = { id: 1 };
  const another = contract.repair(other);
  other.id = 2;
  assert.equal(another.json, '{"id":2}', "still valid as it came");
  assert.deepEqual(contract.repair({ id: 1 }).log(), contract.repair({ id: 1, x: undefined }).log());
  assert.deepEqual(contract.repair('{"id": 1}').log(), { ...contract.repair({ id: 1 }).log() });
});

test("text and bytes are no list of calls", () => {
  const contract = compile(ID);
  for (const calls of ['{"id":1}', new String("{}"), new Uint8Array(8), { id: 1 }, { length: 2 }, null, undefined, 5]) {
    assert.throws(() => contract.repairMany(calls), { name: "TypeError", message: /calls/ });
  }
  assert.equal(
    contract.repairMany(new Set(['{"id":1}', { id: 2 }])).every(({ ok }) => ok),
    true,
  );
});

test("what a guard says may leave parts unsaid, and has a pointer that is one", () => {
  const contract = compile(ID);
  for (const nothing of [undefined, null]) {
    const issue = { hint: "h", reason: nothing, path: nothing, code: nothing };
    assert.deepEqual(contract.refuse(issue).issues, [{ code: "precondition_failed", path: "", hint: "h" }]);
  }
  for (const path of ["/~2", "/a~", "/~", "id", "/a/~x"]) {
    assert.throws(() => contract.refuse({ hint: "h", path }), { name: "TypeError", message: /RFC 6901/ }, path);
  }
  for (const path of ["", "/", "/~0~1/a//b", "/id"]) {
    assert.equal(contract.refuse({ hint: "h", path }).issues[0].path, path);
  }
  assert.equal(contract.refuse({ hint: "a\ud800b\udfff\udffec" }).issues[0].hint, "a\ufffdb\ufffd\ufffdc");
  assert.throws(() => contract.refuse({ hint: null }), TypeError);
});

test("what a guard throws is thrown in report mode too", () => {
  const guards = () => {
    throw new RangeError("broken");
  };
  const toolbox = compileTools({ t: ID }, { mode: "report", tools: { t: { guards } } });
  assert.throws(() => toolbox.attempts().decide("t", { id: 1 }), RangeError);
  assert.equal(toolbox.attempts().decide("t", { id: "x" }).action, "run");
});

test("a bad schema of results is told by its place in the definition", () => {
  const bad = { type: "objekt" };
  const at = (definition, options) => compileTools([definition], options).faults.map(({ path }) => path);
  assert.deepEqual(at({ name: "t", inputSchema: ID, outputSchema: bad }), ["/outputSchema/type"]);
  assert.deepEqual(at({ name: "t", input_schema: ID, output_schema: bad }), ["/output_schema/type"]);
  assert.deepEqual(at({ name: "t", inputSchema: ID, outputSchema: 5, output_schema: bad }), ["/output_schema/type"]);
  const inner = { name: "t", parameters: ID, outputSchema: bad };
  assert.deepEqual(at({ type: "function", function: inner }), ["/function/outputSchema/type"]);
  const { faults } = compileTools([{ name: "t", inputSchema: ID }], { tools: { t: { output: bad } } });
  assert.equal(faults[0].path, "");
  assert.match(faults[0].message, /^the option `output` at \/type: /);
});

test("a decision is JSON, whatever its value", () => {
  const digits = "12345678901234567890";
  for (const mode of ["enforce", "report"]) {
    const attempts = compileTools({ t: { type: "object" } }, { mode }).attempts();
    const texts = [];
    for (const args of [`{"id": ${digits}}`, { id: BigInt(digits) }, { id: 1 }, { id: () => 1 }]) {
      const decision = attempts.decide("t", args, { id: "c" });
      const told = JSON.parse(JSON.stringify({ decision })).decision;
      texts.push(told.value);
      assert.deepEqual([told.action, told.tool, told.id], [decision.action, "t", "c"]);
      assert.equal(Object.keys(decision).includes("toJSON"), false);
    }
    assert.match(JSON.stringify(texts[1]), /1234567890123456/);
    assert.deepEqual(texts[2], { id: 1 });
    assert.equal(texts[3], undefined);
  }
});

test("two observers that are one function are two", () => {
  const told = [];
  const listener = ({ tool }) => told.push(tool);
  const toolbox = compileTools({ t: ID });
  for (const observe of [toolbox.observe.bind(toolbox), observeAll]) {
    told.length = 0;
    const [one, two] = [observe(listener), observe(listener)];
    one();
    one();
    toolbox.repair("t", "{}");
    assert.deepEqual(told, ["t"]);
    two();
    toolbox.repair("t", "{}");
    assert.deepEqual(told, ["t"]);
  }
});
