import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import * as mocks from "ai/test";
import { compileTools, observeAll } from "toolmend";
import { mend, RefusedCallError, stopped } from "toolmend/ai-sdk";
import * as z from "zod";

import { BUDGET, checkBudget, checkTold, checkWild, RECEIVED, RESULT, SCHEMAS, TURNS, WILD } from "./story.mjs";

// This runs with version 6 of the SDK too.
const MockLanguageModel = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3;

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model that makes these calls, one a turn, and then says that it is done; the prompts that it got. */
function model(turns) {
  const prompts = [];
  const content = (turn) =>
    turn === undefined
      ? [{ type: "text", text: "finished" }]
      : [turn].flat().map(({ tool, args, id }, index) => ({
          type: "tool-call",
          toolCallId: id ?? `call-${prompts.length}-${index}`,
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

/** A tool that takes an integer, of any size, through a validator of its own. */
function exact(received, more = {}) {
  const validate = (value) => ({ success: true, value: { ...value, seen: true } });
  const { inputSchema = jsonSchema(SCHEMAS.open, { validate }), ...rest } = more;
  return tool({ inputSchema, execute: async (input) => received.push(input), ...rest });
}

for (const id of ["", "1"]) {
  test(`calls of one reply that have the id "${id}" each run with their own arguments`, async () => {
    const search = tool({ inputSchema: jsonSchema(SCHEMAS.search), execute: async ({ names }) => names.join() });
    const call = (names) => ({ tool: "search", args: { names }, id });
    const { mock } = model([[call("a"), call(["b"]), call("c"), call("d, e")]]);
    const { steps } = await generateText({ model: mock, ...mend({ search }), prompt: "go", stopWhen: stepCountIs(9) });
    const results = steps[0].toolResults.map(({ input, output }) => [input.names, output]);
    assert.deepEqual(results.sort(), [
      [["a"], "a"],
      [["b"], "b"],
      [["c"], "c"],
    ]);
    assert.equal(steps.length, 2);
  });
}

for (const [what, schema] of [
  ["JSON Schema", jsonSchema(SCHEMAS.open)],
  ["a validator of its own", undefined],
]) {
  test(`calls that differ only in digits that JSON.parse loses, with ${what}`, async () => {
    const received = [];
    const ids = ["123456789012345678", "123456789012345680", "123456789012345679.0", "123456789012345681"];
    const { mock } = model([ids.map((id) => ({ tool: "open", args: `{"id": ${id}}`, id: "1" }))]);
    const open = exact(received, schema && { inputSchema: schema });
    await generateText({ model: mock, ...mend({ open }), prompt: "go", stopWhen: stepCountIs(9) });
    assert.deepEqual(
      received.map(({ id }) => id),
      ids.map((id) => BigInt(id.replace(".0", ""))),
    );
  });
}

test("runs at once whose calls have the same ids each run with their own arguments", async () => {
  const received = [];
  const mended = mend(tools(received));
  const run = async (name) => {
    const { mock } = model(["", "2", "3"].map((more) => ({ tool: "search", args: { names: name + more }, id: "1" })));
    await generateText({ model: mock, ...mended, prompt: "go", stopWhen: stepCountIs(9) });
  };
  const names = Array.from({ length: 20 }, (_, at) => `n${at}-`);
  await Promise.all(names.map(run));
  const expected = names.flatMap((name) => ["", "2", "3"].map((more) => name + more));
  assert.deepEqual(received.map(([, { names }]) => names.join()).sort(), expected.sort());
});

test("a call that never ran leaves nothing to a later one with its id", async () => {
  const received = [];
  const { execute: _, ...handed } = tools(received).search;
  const mended = mend({ ...tools(received), handed });
  const call = (tool, args) => model([{ tool, args, id: "1" }]).mock;
  const options = { ...mended, prompt: "go", stopWhen: stepCountIs(9) };
  await generateText({ model: call("handed", { names: "stale" }), ...options });
  await generateText({ model: call("search", { names: ["own"] }), ...options });
  const needsApproval = mend({ search: { ...tools(received).search, needsApproval: true } });
  await generateText({ model: call("search", { names: "stale" }), ...options, ...needsApproval });
  const { mock } = model([{ tool: "search", args: { names: ["own"] }, id: "1" }]);
  const approved = { ...needsApproval, tools: { search: { ...needsApproval.tools.search, needsApproval: false } } };
  await generateText({ model: mock, ...options, ...approved });
  assert.deepEqual(received, Array(2).fill(["search", { names: ["own"] }]));
});

test("a run that was ended between the hook and the validation leaves nothing", async () => {
  const received = [];
  const open = exact(received);
  const ended = new AbortController();
  const mended = mend({ open }, { tools: { open: { guards: async () => ended.abort() } } });
  const call = (id) => model([{ tool: "open", args: `{"id": ${id}}`, id: "1" }]).mock;
  const options = { prompt: "go", stopWhen: stepCountIs(9) };
  const abortSignal = ended.signal;
  const first = generateText({ model: call("123456789012345678"), ...mended, ...options, abortSignal });
  await first.catch(() => undefined);
  received.length = 0;
  await generateText({ model: call("123456789012345680"), ...mended, ...options });
  assert.deepEqual(received, [{ id: 123456789012345680n, seen: true }]);
});

test("attempts of conversations whose calls have the same ids do not mix", async () => {
  const mended = mend(tools([]));
  const prompt = [{ role: "user", content: "go" }];
  const calls = ["a, b", "c, d"].map((names) => ({ tool: "search", args: { names }, id: "1" }));
  const run = async (turns) => {
    const { mock, prompts } = model(turns);
    await generateText({ model: mock, ...mended, prompt, stopWhen: stepCountIs(9) });
    return told(prompts);
  };
  const [one, two] = await Promise.all([run(calls), run([...calls].reverse())]);
  for (const told of [...one, ...two]) {
    assert.doesNotMatch(told, /refused before|last attempt/);
  }
  // And the same two at once: neither is the other's third attempt.
  for (const told of await Promise.all([run(calls), run(calls)])) {
    assert.equal(told.length, 2);
    assert.doesNotMatch(told.join(), /refused before|last attempt/);
  }
});

test("steps are turns of their own, also where their messages are as many", async () => {
  const call = { tool: "search", args: { names: "c; d" } };
  const { mock, prompts } = model([call, call, call]);
  const prepareStep = ({ messages }) => ({ messages: [messages[0], ...messages.slice(1).slice(-2)] });
  await generateText({ model: mock, ...mend(tools([])), prompt: "go", stopWhen: stepCountIs(4), prepareStep });
  assert.match(told(prompts)[0], /refused before/);
});

test("a manual loop over the messages is one run", async () => {
  const mended = mend(tools([]));
  const messages = [{ role: "user", content: "go" }];
  for (const _ of [1, 2, 3]) {
    const { mock } = model([{ tool: "search", args: { names: "c; d" }, id: "1" }]);
    const { response } = await generateText({ model: mock, ...mended, messages });
    messages.push(...response.messages);
  }
  const texts = messages.filter(({ role }) => role === "tool").map(({ content: [{ output }] }) => output.value);
  assert.doesNotMatch(texts[0], /refused before/);
  assert.match(texts[1], /refused before/);
  assert.match(texts[2], /last attempt|refused before/);
});

test("what was rounded in the messages is not run after an approval", async () => {
  const received = [];
  const open = tool({
    inputSchema: jsonSchema(SCHEMAS.open),
    needsApproval: true,
    execute: async (input) => received.push(input),
  });
  const approved = async (id, again) => {
    const { mock } = model([{ tool: "open", args: `{"id": ${id}}`, id: "1" }]);
    const { content, response } = await generateText({ model: mock, ...mend({ open }), prompt: "go" });
    const { approvalId } = content.find(({ type }) => type === "tool-approval-request");
    const answer = { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] };
    const messages = JSON.parse(JSON.stringify([{ role: "user", content: "go" }, ...response.messages, answer]));
    const { mock: next, prompts } = model([]);
    await generateText({ model: next, ...mend({ open }), messages, ...again });
    return told(prompts);
  };
  const texts = await approved("123456789012345678");
  assert.match(texts.join(), /id/);
  assert.deepEqual(received, []);
  await approved("7");
  assert.deepEqual(received, [{ id: 7 }]);
});

test("a transform may give anything: the boundary looks at what the model sent", async () => {
  const received = [];
  const execute = async (input) => received.push(input);
  const when = tool({
    inputSchema: z.object({ when: z.string().transform((text) => new Date(text)) }),
    execute,
  });
  const bare = tool({ inputSchema: z.object({ n: z.number() }).transform(({ n }) => n), execute });
  const { mock } = model([
    { tool: "when", args: { when: "2020-01-01" } },
    { tool: "bare", args: { n: 5 } },
    { tool: "bare", args: '```\n{"n": 6}\n```' },
  ]);
  const guards = ({ n }) => (n === 5 ? "not five" : undefined);
  const mended = mend({ when, bare }, { tools: { bare: { guards } } });
  await generateText({ model: mock, ...mended, prompt: "go", stopWhen: stepCountIs(9) });
  assert.deepEqual(received, [{ when: new Date("2020-01-01") }, 6]);
});

for (const stream of [false, true]) {
  test(`what a tool may be given arrives untouched${stream ? ", in a stream" : ""}`, async () => {
    const received = [];
    const wild = tool({ inputSchema: jsonSchema(WILD.schema), execute: async (input) => received.push(input) });
    const { mock } = model(WILD.calls.map(({ text }) => ({ tool: "wild", args: text })));
    const options = { model: mock, ...mend({ wild }), prompt: "go", stopWhen: stepCountIs(99) };
    await (stream ? streamText(options).consumeStream() : generateText(options));
    // The SDK's own parser refuses what holds `__proto__`.
    checkWild(received, { may: /__proto__/ });
  });
}

test("the budget of three, and one of one", async () => {
  const run = async (turns, options) => {
    const { mock, prompts } = model(turns);
    await generateText({ model: mock, ...mend(tools([]), options), prompt: "go", stopWhen: stepCountIs(9) });
    return told(prompts);
  };
  checkBudget(await run(BUDGET));
  assert.match((await run(BUDGET.slice(0, 1), { budget: 1 }))[0], /last attempt/);
});

for (const stream of [false, true]) {
  test(`the SDK runs no tools of a reply that was cut${stream ? ", in a stream" : ""}`, async () => {
    const received = [];
    const { mock } = model([{ tool: "search", args: '{"names": ["a"' }]);
    const cut = (reply) => ({ ...reply, finishReason: { unified: "length", raw: "length" } });
    const { doGenerate } = mock;
    mock.doGenerate = async (options) => cut(await doGenerate(options));
    const options = { model: mock, ...mend(tools(received)), prompt: "go", stopWhen: stepCountIs(9) };
    await (stream ? streamText(options).consumeStream() : generateText(options));
    assert.deepEqual(received, []);
  });
}
