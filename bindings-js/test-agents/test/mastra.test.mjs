import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { compileTools, observeAll } from "toolmend";
import { mend, stopped } from "toolmend/mastra";
import * as z from "zod";

import { BUDGET, checkBudget, checkTold, checkWild, RECEIVED, RESULT, SCHEMAS, TURNS, WILD } from "./story.mjs";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that makes these calls, one a turn, and then says that it is done; the prompts that it got. */
function model(turns) {
  const prompts = [];
  const reply = ({ prompt }) => {
    prompts.push(prompt);
    const turn = turns[prompts.length - 1];
    const raw = turn === undefined ? "stop" : "tool-calls";
    const content =
      turn === undefined
        ? [{ type: "text", text: "finished" }]
        : [turn].flat().map(({ tool, args, id }) => ({
            type: "tool-call",
            toolCallId: id ?? `call-${prompts.length}`,
            toolName: tool,
            input: typeof args === "string" ? args : JSON.stringify(args),
          }));
    return { content, finishReason: { unified: raw, raw }, usage, warnings: [] };
  };
  const mock = new MockLanguageModelV3({
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
        stream: simulateReadableStream({
          chunks: [{ type: "stream-start", warnings: [] }, ...chunks, { type: "finish", finishReason, usage }],
        }),
      };
    },
  });
  return { mock, prompts };
}

function told(prompts) {
  return prompts
    .at(-1)
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content.map(({ output }) => JSON.stringify(output.value)));
}

const zod = {
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
};

function tools(received, schema = (name) => zod[name]) {
  return Object.fromEntries(
    Object.keys(zod).map((name) => [
      name,
      createTool({
        id: name,
        description: name,
        inputSchema: schema(name),
        execute: async (input) => {
          received.push([name, input]);
          return { said: RESULT };
        },
      }),
    ]),
  );
}

async function ran(turns, tools, options = {}) {
  const { mock, prompts } = model(turns);
  const agent = new Agent({ id: "a", name: "a", instructions: "", model: mock, tools });
  const result = await agent.generate("go", { maxSteps: 20, ...options });
  return { prompts, result, told: () => told(prompts) };
}

for (const [what, schema] of [
  ["zod", undefined],
  ["JSON Schema", (name) => SCHEMAS[name]],
]) {
  test(`the story, with ${what}`, async () => {
    const received = [];
    const { told, result } = await ran(TURNS, mend(tools(received, schema)));
    assert.deepEqual(received, RECEIVED);
    checkTold(told());
    assert.equal(result.text, "finished");
  });
}

test("without the adapter the mended calls of the story fail, or Mastra guesses", async () => {
  const received = [];
  await ran(TURNS, tools(received));
  assert.notDeepEqual(received, RECEIVED);
});

test("the model is shown the same schema", async () => {
  const offered = async (tools) => {
    const { mock } = model([]);
    const agent = new Agent({ id: "a", name: "a", instructions: "", model: mock, tools });
    await agent.generate("go");
    const calls = [...mock.doGenerateCalls, ...mock.doStreamCalls];
    return calls[0].tools.map(({ name, inputSchema: { $schema, ...schema } }) => [name, schema]);
  };
  const given = tools([]);
  assert.deepEqual(await offered(mend(given)), await offered(given));
});

test("a refusal for good can end the run", async () => {
  const { prompts } = await ran([...TURNS, TURNS[0]], mend(tools([])), { stopWhen: stopped });
  assert.equal(prompts.length, TURNS.length);
});

test("runs do not know of each other", async () => {
  const mended = mend(tools([]));
  for (const _ of [1, 2]) {
    const { told } = await ran(TURNS.slice(5, 6), mended);
    assert.doesNotMatch(told()[0], /refused before/);
  }
});

test("a context that is given is the run", async () => {
  const mended = mend(tools([]), { budget: 2 });
  const { told } = await ran([TURNS[2], TURNS[5]], mended, { requestContext: new RequestContext() });
  assert.match(told()[1], /last attempt/);
});

test("transforms and defaults are the tool's own, and it is not changed", async () => {
  const received = [];
  const pick = createTool({
    id: "pick",
    description: "",
    inputSchema: z.object({ tags: z.array(z.string()), limit: z.number().default(5) }),
    execute: async (input) => {
      received.push(input);
      return {};
    },
  });
  const { execute, inputSchema } = pick;
  await ran([{ tool: "pick", args: { tags: "a" } }], mend({ pick }));
  assert.deepEqual(received, [{ tags: ["a"], limit: 5 }]);
  assert.equal(pick.execute, execute);
  assert.equal(pick.inputSchema, inputSchema);
});

test("every call is told once", async () => {
  const events = [];
  const stop = observeAll(({ outcome }) => events.push(outcome.status));
  await ran(TURNS, mend(tools([])));
  stop();
  assert.deepEqual(events, ["unchanged", "repaired", "refused", "unchanged", "repaired", "refused", "refused"]);
});

test("report mode: Mastra and the tool do what they do", async () => {
  const received = [];
  const toolbox = compileTools(SCHEMAS, { mode: "report" });
  const { told } = await ran([TURNS[1]], mend(tools(received), { toolbox }));
  assert.deepEqual(received, []);
  assert.match(told()[0], /validation failed/);
});

test("by require it is the same", () => {
  assert.equal(typeof createRequire(import.meta.url)("toolmend/mastra").mend, "function");
});

test("what a tool may be given arrives untouched", async () => {
  const received = [];
  const wild = createTool({
    id: "wild",
    description: "",
    inputSchema: WILD.schema,
    execute: async (input) => {
      received.push(input);
      return {};
    },
  });
  const turns = WILD.calls.map(({ text }) => ({ tool: "wild", args: text }));
  await ran(turns, mend({ wild }), { maxSteps: 99 });
  checkWild(received, { may: /__proto__/ });
});

test("runs at once, and calls of one reply, with the same ids each run with their own arguments", async () => {
  const received = [];
  const mended = mend(tools(received));
  const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
  await Promise.all(
    names.map((name) =>
      ran([[name, [`${name}-2`]].map((names) => ({ tool: "search", args: { names }, id: "1" }))], mended),
    ),
  );
  // What Mastra makes of two calls with one id is its own: none of them has the arguments of another.
  const sent = names.flatMap((name) => [name, `${name}-2`]);
  const came = received.map(([, { names }]) => names.join());
  assert.ok(came.length >= names.length);
  assert.equal(new Set(came).size, came.length);
  assert.ok(came.every((name) => sent.includes(name)));
});

test("digits that were lost on the way are refused, with any toolbox", async () => {
  const open = { open: SCHEMAS.open };
  for (const options of [{}, { numbers: "bigint" }, { toolbox: compileTools(open) }]) {
    const received = [];
    const execute = async (input) => received.push(input);
    const tool = createTool({ id: "open", description: "", inputSchema: SCHEMAS.open, execute });
    const turns = [{ tool: "open", args: '{"id": 123456789012345678}' }];
    const { told } = await ran(turns, mend({ open: tool }, options));
    assert.match(told()[0], /losing digits/);
    assert.deepEqual(received, []);
  }
});

test("the budget of three", async () => {
  const { told } = await ran(BUDGET, mend(tools([])));
  checkBudget(told());
});
