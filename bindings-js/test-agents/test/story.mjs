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
