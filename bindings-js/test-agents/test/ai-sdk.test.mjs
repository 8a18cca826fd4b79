import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import * as mocks from "ai/test";
import { compileTools, observeAll } from "toolmend";
import { mend, RefusedCallError, stopped } from "toolmend/ai-sdk";
import * as z from "zod";

import { checkTold, RECEIVED, RESULT, SCHEMAS, TURNS } from "./story.mjs";

// This runs with version 6 of the SDK too.
const MockLanguageModel = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that makes these calls, one a turn, and then says that it is done; the prompts that it got. */
function model(turns) {
  const prompts = [];
  const content = (turn) =>
    turn === undefined
      ? [{ type: "text", text: "finished" }]
      : [turn].flat().map(({ tool, args }, index) => ({
          type: "tool-call",
          toolCallId: `call-${prompts.length}-${index}`,
          toolName: tool,
          input: typeof args === "string" ? args : JSON.stringify(args),
        }));
  const reply = ({ prompt }) => {
    prompts.push(prompt);
    const turn = turns[prompts.length - 1];
    const reason = turn === undefined ? "stop" : "tool-calls";
    return { content: content(turn), finishReason: { unified: reason, raw: reason }, usage, warnings: [] };
  };
  const mock = new MockLanguageModel({
    doGenerate: async (options) => reply(options),
    doStream: async (options) => {
      const { content, finishReason } = reply(options);
      const chunks = content.flatMap((part) =>
        part.type === "text"
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: part.text },
              { type: "text-end", id: "1" },
            ]
          : [part],
      );
      return {
        stream: mocks.simulateReadableStream({
          chunks: [{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", finishReason, usage }],
        }),
      };
    },
  });
  return { mock, prompts };
}

/** What the model was told of its calls, as text. */
function told(prompts) {
  return prompts
    .at(-1)
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content.map(({ output }) => String(output.value)));
}

function tools(received, schema = (json) => jsonSchema(json)) {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, json]) => [
      name,
      tool({
        description: name,
        inputSchema: schema(json, name),
        execute: async (input) => {
          received.push([name, input]);
          return RESULT;
        },
      }),
    ]),
  );
}

const strict = {
  search: z.strictObject({ names: z.array(z.string()) }),
  order: z.strictObject({
    customer: z.strictObject({
      name: z.string(),
      address: z.strictObject({ city: z.string(), zip: z.string().optional() }),
    }),
    lines: z.array(
      z.strictObject({ sku: z.string(), tags: z.array(z.string()), note: z.string().nullable().optional() }),
    ),
  }),
  open: z.strictObject({ id: z.int() }),
};

for (const [what, schema] of [
  ["JSON Schema", undefined],
  ["zod", (_, name) => strict[name]],
]) {
  test(`the story, with ${what}`, async () => {
    const received = [];
    const { mock, prompts } = model(TURNS);
    await generateText({ model: mock, ...mend(tools(received, schema)), prompt: "go", stopWhen: stepCountIs(20) });
    assert.deepEqual(received, RECEIVED);
    checkTold(told(prompts));
  });
}

test("the story in a stream", async () => {
  const received = [];
  const { mock, prompts } = model(TURNS);
  const result = streamText({ model: mock, ...mend(tools(received)), prompt: "go", stopWhen: stepCountIs(20) });
  await result.consumeStream();
  assert.deepEqual(received, RECEIVED);
  checkTold(told(prompts));
});

test("without the adapter the mended calls of the story fail", async () => {
  const received = [];
  const { mock } = model(TURNS);
  const plain = tools(received, (_, name) => strict[name]);
  await generateText({ model: mock, tools: plain, prompt: "go", stopWhen: stepCountIs(20) });
  assert.equal(received.length, 2);
});

test("a refusal for good can end the run", async () => {
  const { mock, prompts } = model([...TURNS, { tool: "search", args: { names: ["never"] } }]);
  const received = [];
  const result = await generateText({
    model: mock,
    ...mend(tools(received)),
    prompt: "go",
    stopWhen: [stepCountIs(20), stopped],
  });
  assert.equal(prompts.length, TURNS.length);
  const [call] = result.steps.at(-1).toolCalls;
  assert.ok(call.error.cause instanceof RefusedCallError);
  assert.equal(call.error.cause.decision.reason, "repeated");
});

test("runs do not know of each other, and one mend serves any number", async () => {
  const mended = mend(tools([]));
  for (const _ of [1, 2]) {
    const { mock, prompts } = model([{ tool: "search", args: { names: "c; d" } }]);
    await generateText({ model: mock, ...mended, prompt: "go", stopWhen: stepCountIs(9) });
    assert.doesNotMatch(told(prompts)[0], /refused before/);
  }
});

test("a long id reaches the tool with all its digits", async () => {
  const received = [];
  const { mock, prompts } = model([
    { tool: "open", args: '{"id": 123456789012345678}' },
    { tool: "open", args: '{"id": "9"}' },
    { tool: "open", args: '{"id": 7}' },
  ]);
  await generateText({ model: mock, ...mend(tools(received)), prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, [
    ["open", { id: 123456789012345678n }],
    ["open", { id: 7 }],
  ]);
  assert.equal(told(prompts).length, 3);
});

test("where zod reads the arguments after us a long id is refused, never rounded", async () => {
  const received = [];
  const { mock } = model([{ tool: "open", args: '{"id": 123456789012345678}' }]);
  const zod = tools(received, (_, name) => strict[name]);
  await generateText({ model: mock, ...mend(zod), prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, []);
});

test("text that is no JSON, and names that there is no tool of", async () => {
  const received = [];
  const { mock, prompts } = model([
    { tool: "search", args: '```json\n{"names": ["a"]}\n```' },
    { tool: "search", args: '{"names": ["a"' },
    { tool: "serch", args: { names: ["a"] } },
  ]);
  await generateText({ model: mock, ...mend(tools(received)), prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, [["search", { names: ["a"] }]]);
  const [, cut, unknown] = told(prompts);
  assert.match(cut, /cut|end/i);
  assert.match(unknown, /search/);
});

test("guards, transforms and defaults of the tool", async () => {
  const received = [];
  const pick = tool({
    inputSchema: z.object({ tags: z.array(z.string()), limit: z.number().default(5) }),
    execute: async (input) => {
      received.push(input);
      return RESULT;
    },
  });
  const { mock, prompts } = model([
    { tool: "pick", args: { tags: "a" } },
    { tool: "pick", args: { tags: ["locked"] } },
  ]);
  const guards = async ({ tags }) =>
    tags.includes("locked") ? { hint: "`locked` is locked", path: "/tags" } : undefined;
  const mended = mend({ pick }, { tools: { pick: { guards } } });
  await generateText({ model: mock, ...mended, prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, [{ tags: ["a"], limit: 5 }]);
  assert.match(told(prompts)[1], /`locked` is locked/);
});

test("every call is told once", async () => {
  const events = [];
  const stop = observeAll(({ tool, outcome, after }) => events.push([tool, outcome.status, after]));
  const { mock } = model([...TURNS, { tool: "nope", args: {} }]);
  await generateText({ model: mock, ...mend(tools([])), prompt: "go", stopWhen: stepCountIs(20) });
  stop();
  assert.deepEqual(events, [
    ["search", "unchanged", undefined],
    ["search", "repaired", undefined],
    ["search", "refused", undefined],
    ["search", "unchanged", "refused"],
    ["order", "repaired", undefined],
    ["search", "refused", undefined],
    ["search", "refused", "refused"],
    [undefined, "refused", undefined],
  ]);
});

test("calls of one step are one attempt", async () => {
  const twice = { tool: "search", args: { names: "c; d" } };
  const { mock, prompts } = model([[twice, twice], twice]);
  await generateText({ model: mock, ...mend(tools([])), prompt: "go", stopWhen: stepCountIs(20) });
  const [one, two, three] = told(prompts);
  assert.doesNotMatch(one + two, /refused before/);
  assert.match(three, /refused before/);
});

test("report mode changes nothing", async () => {
  const received = [];
  const toolbox = compileTools(SCHEMAS, { mode: "report" });
  const { mock } = model([{ tool: "search", args: { names: "dotnet/eshop" } }]);
  await generateText({ model: mock, ...mend(tools(received), { toolbox }), prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, [["search", { names: "dotnet/eshop" }]]);
});

test("a bad schema, a bad option", () => {
  const bad = tool({ inputSchema: jsonSchema({ type: "objekt" }), execute: async () => RESULT });
  assert.throws(() => mend({ bad }), { name: "SchemaError", message: /bad/ });
  const late = tool({ inputSchema: jsonSchema(Promise.resolve({})), execute: async () => RESULT });
  assert.throws(() => mend({ late }), TypeError);
  assert.throws(() => mend({}, { budget: 0 }), TypeError);
  assert.throws(() => mend({}, { toolbox: compileTools([]), policy: "adapter" }), TypeError);
});
