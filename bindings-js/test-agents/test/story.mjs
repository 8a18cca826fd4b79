// What every framework's model says in the tests, what the tools must receive, and what the model must be told.

import assert from "node:assert/strict";

const names = { type: "array", items: { type: "string" } };

/** The tools: a flat one, a nested one, and one whose id may be long. */
export const SCHEMAS = {
  search: { type: "object", properties: { names }, required: ["names"], additionalProperties: false },
  order: {
    type: "object",
    properties: {
      customer: {
        type: "object",
        properties: {
          name: { type: "string" },
          address: {
            type: "object",
            properties: { city: { type: "string" }, zip: { type: "string" } },
            required: ["city"],
            additionalProperties: false,
          },
        },
        required: ["name", "address"],
        additionalProperties: false,
      },
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: { sku: { type: "string" }, tags: names, note: { type: ["string", "null"] } },
          required: ["sku", "tags"],
          additionalProperties: false,
        },
      },
    },
    required: ["customer", "lines"],
    additionalProperties: false,
  },
  open: { type: "object", properties: { id: { type: "integer" } }, required: ["id"], additionalProperties: false },
};

/** What the model says, turn by turn: a call each. */
export const TURNS = [
  { tool: "search", args: { names: ["dotnet/eshop"] } },
  { tool: "search", args: { names: "dotnet/eshop" } },
  { tool: "search", args: { names: "a, b" } },
  { tool: "search", args: { names: ["a", "b"] } },
  {
    tool: "order",
    args: {
      customer: '{"name": "Ada", "address": {"city": "Bern", "zip": "3000"}}',
      lines: { sku: "x1", tags: "red", note: null },
    },
  },
  { tool: "search", args: { names: "c; d" } },
  { tool: "search", args: { names: "c; d" } },
];

/** What the tools receive, in this order. */
export const RECEIVED = [
  ["search", { names: ["dotnet/eshop"] }],
  ["search", { names: ["dotnet/eshop"] }],
  ["search", { names: ["a", "b"] }],
  [
    "order",
    {
      customer: { name: "Ada", address: { city: "Bern", zip: "3000" } },
      lines: [{ sku: "x1", tags: ["red"], note: null }],
    },
  ],
];

/** What a tool answers. */
export const RESULT = "done";

/** Checks what the model was told after each turn: the results as text, in order. */
export function checkTold(told) {
  assert.equal(told.length, TURNS.length, told.join("\n---\n"));
  for (const at of [0, 1, 3, 4]) {
    assert.match(told[at], /done/, `turn ${at}`);
  }
  assert.match(told[2], /names/);
  assert.match(told[2], /several|ambiguous|separate|list/i);
  assert.doesNotMatch(told[2], /refused before/);
  assert.match(told[5], /names/);
  assert.match(told[6], /This call was refused before and is the same again/);
}

const wild = { type: "object", properties: { names, data: { type: "object" } }, required: ["names", "data"] };

/** A tool that takes anything, and what may happen to such data on the way. */
export const WILD = { schema: { ...wild, additionalProperties: false }, calls: [] };
for (const data of [
  `{"n":9007199254740991,"m":-9007199254740991,"f":0.1,"g":1e-7,"h":1.7976931348623157e308}`,
  `{"":"","null":null,"list":[null,[],{}],"toString":1,"hasOwnProperty":"x","then":"y","length":0}`,
  JSON.stringify({ text: "\u0000\u2028\u2029\u00e9e\u0301\ufb00\u{1f600}\u200d\ufeff \t\n", "\u00e9": "e\u0301" }),
  `{"2":"b","1":"a","-1":"c","deep":${"[".repeat(60)}"x"${"]".repeat(60)}}`,
  `{"a":{"$ref":"#"},"type":"object","args":{"names":1},"__lc":1,"lc":1,"error":true,"success":false}`,
  `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
]) {
  for (const [names, list] of [
    [`"x"`, `["x"]`],
    [`["x"]`, `["x"]`],
  ]) {
    WILD.calls.push({
      text: `{"names":${names},"data":${data}}`,
      json: JSON.stringify(JSON.parse(`{"names":${list},"data":${data}}`)),
    });
  }
}

/** Checks that what was received is what was sent, and that what holds `__proto__` is that or was refused. */
export function checkWild(received, { may = /^$/ } = {}) {
  const texts = received.map((value) => JSON.stringify(value));
  for (const { json } of WILD.calls) {
    assert.ok(texts.includes(json) || may.test(json), `${json} did not arrive`);
  }
  for (const text of texts) {
    assert.ok(
      WILD.calls.some(({ json }) => json === text),
      `${text} was never sent`,
    );
  }
  assert.equal({}.polluted, undefined);
}

/** Refused calls of a tool, each another one: the usual budget is three. */
export const BUDGET = ["a, b", "c, d", "e, f", "g, h"].map((names) => ({ tool: "search", args: { names } }));

/** Checks what the model is told of them, as text: more with each, and that the last attempt is the last. */
export function checkBudget(told) {
  assert.equal(told.length, BUDGET.length);
  assert.doesNotMatch(told[0], /The arguments are|last attempt|refused before/);
  assert.match(told[1], /The arguments are/);
  assert.doesNotMatch(told[1], /last attempt|refused before/);
  assert.match(told[2], /last attempt/);
  assert.match(told[3], /last attempt/);
}
