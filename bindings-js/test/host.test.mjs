// Host data: only plain data is read, no code of the caller's runs, and everything else is a typed issue.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";

import { compile } from "./subject.mjs";

const anything = compile(true, { policy: "strict" });

function issues(value, contract = anything) {
  const outcome = contract.repair(value);
  assert.equal(outcome.status, "refused");
  assert.notEqual(outcome.feedback(), "");
  assert.equal(JSON.parse(outcome.wire).status, "refused");
  return outcome.issues.map(({ code, path }) => `${code} ${path}`);
}

test("what is unchanged is the caller's own object", () => {
  for (const value of [{ a: [1, "x", null, true, { b: -0.5 }] }, [], null, 5, true, Object.create(null)]) {
    const outcome = anything.repair(value);
    assert.equal(outcome.status, "unchanged");
    assert.ok(Object.is(outcome.value, value));
    assert.equal(outcome.json, JSON.stringify(value));
  }
});

test("plain data of another realm is plain data", () => {
  const value = vm.runInNewContext('({ a: [1, { b: "x" }] })');
  assert.equal(anything.repair(value).json, '{"a":[1,{"b":"x"}]}');
});

test("numbers keep every digit", () => {
  const outcome = anything.repair({ big: 12345678901234567890n, zero: -0, tiny: 5e-324, huge: 1e21 });
  assert.equal(outcome.json, '{"big":12345678901234567890,"zero":-0,"tiny":5e-324,"huge":1e+21}');
});

test("a member that is undefined is not there", () => {
  assert.equal(anything.repair({ a: undefined, b: 1, c: undefined }).json, '{"b":1}');
  assert.equal(anything.repair({ a: undefined }).json, "{}");
});

test("prototype keys are ordinary keys", () => {
  const value = JSON.parse('{"__proto__":{"x":1},"constructor":1,"toString":2,"hasOwnProperty":3}');
  assert.equal(anything.repair(value).json, JSON.stringify(value));
  const object = compile({ type: "object", additionalProperties: { type: "array" } });
  const outcome = object.repair('{"__proto__": "a"}');
  assert.equal(outcome.status, "repaired");
  assert.ok(Object.hasOwn(outcome.value, "__proto__"));
  assert.equal(Object.getPrototypeOf(outcome.value), Object.prototype);
});

test("nothing is inherited", () => {
  Object.prototype.inherited = "no";
  Object.prototype.get = () => assert.fail();
  try {
    assert.equal(anything.repair({ a: 1 }).json, '{"a":1}');
  } finally {
    delete Object.prototype.inherited;
    delete Object.prototype.get;
  }
});

test("no getter and no toJSON runs", () => {
  const ran = () => assert.fail("code of the caller's ran");
  const getter = Object.defineProperty({ ok: 1 }, "a/b", { get: ran, enumerable: true });
  assert.deepEqual(issues(getter), ["unsupported_value /a~1b"]);
  assert.deepEqual(issues({ x: Object.defineProperty([1], 0, { get: ran }) }), ["unsupported_value /x/0"]);
  assert.deepEqual(issues({ toJSON: ran }), ["unsupported_value /toJSON"]);
  const inherited = Object.create({ toJSON: ran, valueOf: ran, toString: ran });
  assert.deepEqual(issues({ x: inherited }), ["unsupported_value /x"]);
  assert.equal(anything.repair(Object.defineProperty({}, "hidden", { get: ran })).json, "{}");
});

test("what is no JSON is an issue at its place", () => {
  class Point {
    x = 1;
  }
  const odd = [
    () => {},
    Symbol("s"),
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(0),
    new Map(),
    new Set(),
    /x/,
    new Point(),
    Object("boxed"),
    Object(1),
    new Uint8Array(2),
    Promise.resolve(),
    new Error("x"),
    Object.create(Object.create(null)),
  ];
  assert.deepEqual(
    issues({ odd }),
    odd.map((_, index) => `unsupported_value /odd/${index}`),
  );
  for (const value of odd.filter((value) => value !== undefined)) {
    assert.deepEqual(issues(value), ["unsupported_value "]);
  }
  assert.match(anything.repair({ when: new Date(0) }).issues[0].hint, /`Date`/);
});

test("sparse arrays and symbol keys", () => {
  // biome-ignore lint/suspicious/noSparseArray: what is tested
  assert.deepEqual(issues([1, , 2]), ["unsupported_value /1"]);
  assert.deepEqual(issues({ a: { [Symbol("k")]: 1 } }), ["unsupported_value /a"]);
  assert.equal(issues(new Array(4_000_000_000)).length, anything.limits.issues);
});

test("cycles, but not what is merely shared", () => {
  const cycle = { list: [] };
  cycle.list.push(cycle);
  assert.deepEqual(issues(cycle), ["unsupported_value /list/0"]);
  const shared = { a: 1 };
  assert.equal(anything.repair([shared, shared]).json, '[{"a":1},{"a":1}]');
});

test("proxies that throw", () => {
  const hostile = new Proxy(
    {},
    {
      ownKeys() {
        throw new RangeError("no");
      },
    },
  );
  assert.deepEqual(issues({ a: [hostile] }), ["unsupported_value /a/0"]);
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  assert.deepEqual(issues({ p: proxy }), ["unsupported_value /p"]);
  assert.equal(anything.repair(new Proxy({ a: 1 }, {})).json, '{"a":1}');
});

test("half of a surrogate pair", () => {
  assert.deepEqual(issues({ a: "x\ud800" }), ["invalid_unicode /a"]);
  assert.deepEqual(issues({ "\udc00": 1 }), ["invalid_unicode /\ufffd"]);
  assert.deepEqual(issues({ [Symbol("\udc00")]: 1 }), ["unsupported_value "]);
  assert.equal(anything.repair({ a: "\ud83e\udd84" }).json, '{"a":"\ud83e\udd84"}');
});

test("depth ends at the limit", () => {
  const nested = (depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth));
  assert.equal(anything.repair(nested(128)).status, "unchanged");
  assert.deepEqual(issues(nested(129)), ["depth_limit "]);
  let deep = [];
  for (let index = 0; index < 100_000; index += 1) {
    deep = { deep };
  }
  assert.deepEqual(issues(deep), ["depth_limit "]);
  const deepest = compile(true, { limits: { depth: 256 } });
  assert.equal(deepest.repair(nested(256)).status, "unchanged");
  assert.equal(deepest.repair("[".repeat(256) + "]".repeat(256)).status, "unchanged");
});

test("size ends at the limit, and shared data cannot blow it up", () => {
  const small = compile(true, { limits: { bytes: 10 } });
  assert.deepEqual(issues({ a: "long enough" }, small), ["size_limit "]);
  assert.deepEqual(issues(["ääää"], small), ["size_limit "]);
  let bomb = ["x"];
  for (let index = 0; index < 40; index += 1) {
    bomb = [bomb, bomb];
  }
  assert.deepEqual(issues(bomb), ["size_limit "]);
});

test("host data has no place in a text", () => {
  const contract = compile({ type: "object", properties: { a: { type: "integer" } } });
  assert.equal(contract.repair({ a: "x" }).issues[0].span, undefined);
  assert.notEqual(contract.repair('{"a": "x"}').issues[0].span, undefined);
});
