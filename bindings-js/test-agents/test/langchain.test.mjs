import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, createAgent, createMiddleware, tool } from "langchain";
import { compileTools, observeAll } from "toolmend";
import { mend } from "toolmend/langchain";
import * as z from "zod";

import { BUDGET, checkBudget, checkTold, checkWild, RECEIVED, RESULT, SCHEMAS, TURNS, WILD } from "./story.mjs";

/** A chat model that makes these calls, one a turn, and then says that it is done; what it got. */
class Scripted extends BaseChatModel {
  inputs = [];
  #turns;

  constructor(turns) {
    super({});
    this.#turns = turns;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    this.inputs.push(messages);
    const at = this.inputs.length - 1;
    const message = new AIMessage({ content: "", id: `reply-${at}`, ...this.#reply(this.#turns[at], at) });
    return { generations: [{ text: "", message }] };
  }

  #reply(turn, at) {
    if (turn === undefined) {
      return { content: "finished" };
    }
    if (!Array.isArray(turn) && turn.tool === undefined) {
      return turn;
    }
    const calls = [turn].flat().map(({ tool, args, ...call }, index) => ({
      type: "tool_call",
      id: "id" in call ? call.id : `call-${at}-${index}`,
      name: tool,
      args,
    }));
    return { tool_calls: calls };
  }

  told() {
    return this.inputs
      .at(-1)
      .filter((message) => message.type === "tool")
      .map((message) => message.content);
  }
}

/** A reply as the integration of a service reads it: what it could not parse, and the raw text beside it. */
function raw(name, text) {
  const id = `call-${name}-${text.length}`;
  let args;
  try {
    args = JSON.parse(text);
  } catch {
    // Then it is an invalid call.
  }
  return {
    ...(args === undefined
      ? { invalid_tool_calls: [{ type: "invalid_tool_call", id, name, args: text, error: "Malformed args." }] }
      : { tool_calls: [{ type: "tool_call", id, name, args }] }),
    additional_kwargs: { tool_calls: [{ id, type: "function", function: { name, arguments: text } }] },
  };
}

function tools(received, schema = (json) => json) {
  return Object.entries(SCHEMAS).map(([name, json]) =>
    tool(
      async (input) => {
        received.push([name, input]);
        return RESULT;
      },
      { name, description: name, schema: schema(json, name) },
    ),
  );
}

async function ran(turns, tools, middleware = [mend(tools)]) {
  const model = new Scripted(turns);
  const agent = createAgent({ model, tools, middleware });
  const result = await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { recursionLimit: 99 });
  return { model, result };
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
  open: z.strictObject({ id: z.int() }),
};

for (const [what, schema] of [
  ["JSON Schema", undefined],
  ["zod", (_, name) => zod[name]],
]) {
  test(`the story, with ${what}`, async () => {
    const received = [];
    const { model, result } = await ran(TURNS, tools(received, schema));
    assert.deepEqual(received, RECEIVED);
    checkTold(model.told());
    assert.equal(result.messages.at(-1).content, "finished");
  });
}

test("without the adapter the mended calls of the story fail", async () => {
  const received = [];
  await ran(TURNS, tools(received), []);
  assert.notDeepEqual(received, RECEIVED);
});

test("the history has canonical arguments, and a refused call as it was sent", async () => {
  const { model } = await ran(TURNS.slice(1, 3), tools([]));
  const calls = model.inputs
    .at(-1)
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ args }) => args);
  assert.deepEqual(calls, [{ names: ["dotnet/eshop"] }, { names: "a, b" }]);
});

test("what LangChain could not parse is repaired from its text", async () => {
  const received = [];
  const texts = ['```json\n{"names": ["a"]}\n```', '{"names": ["a"'];
  const { model } = await ran(
    texts.map((text) => raw("search", text)),
    tools(received),
  );
  assert.deepEqual(received, [["search", { names: ["a"] }]]);
  assert.match(model.told()[1], /cut|end/i);
});

test("a long id is refused, never rounded: LangChain's validators know no bigint", async () => {
  const received = [];
  const turns = [raw("open", '{"id": 123456789012345678}'), { tool: "open", args: { id: 7 } }];
  const { model } = await ran(turns, tools(received));
  assert.deepEqual(received, [["open", { id: 7 }]]);
  assert.match(model.told()[0], /id/);
});

test("a reply that was cut is refused", async () => {
  const cut = { ...raw("search", '{"names": ["a"]}'), response_metadata: { finish_reason: "length" } };
  const received = [];
  const { model } = await ran([cut], tools(received));
  assert.deepEqual(received, []);
  assert.match(model.told()[0], /cut/);
});

test("runs do not know of each other; calls of one reply are one attempt", async () => {
  const given = tools([]);
  const middleware = [mend(given)];
  const call = { tool: "search", args: { names: "c; d" } };
  for (const _ of [1, 2]) {
    const { model } = await ran([[call, call], call], given, middleware);
    const [one, two, three] = model.told();
    assert.doesNotMatch(one + two, /refused before/);
    assert.match(three, /refused before/);
  }
});

test("every call is told once", async () => {
  const events = [];
  const stop = observeAll(({ outcome }) => events.push(outcome.status));
  await ran(TURNS, tools([]));
  assert.deepEqual(events.splice(0), [
    "unchanged",
    "repaired",
    "refused",
    "unchanged",
    "repaired",
    "refused",
    "refused",
  ]);
  // What LangChain would lose on the way is refused, and told of as that.
  const wild = tool(async () => "", { name: "wild", description: "", schema: WILD.schema });
  await ran([raw("wild", '{"__proto__": {"a": 1}}')], [wild]);
  stop();
  assert.deepEqual(events, ["refused"]);
});

test("report mode changes nothing", async () => {
  const toolbox = compileTools(SCHEMAS, { mode: "report" });
  const given = tools([]);
  const { model } = await ran([TURNS[1]], given, [mend(given, { toolbox })]);
  const [call] = model.inputs.at(-1).flatMap((message) => message.tool_calls ?? []);
  assert.deepEqual(call.args, { names: "dotnet/eshop" });
});

test("by require it is the same", async () => {
  const require = createRequire(import.meta.url);
  const required = require("toolmend/langchain");
  const given = tools([]);
  assert.equal(required.mend(given).name, "toolmend");
});

for (const id of [undefined, "", "1"]) {
  test(`calls of one reply that all have the id ${JSON.stringify(id)} each run with their own arguments`, async () => {
    const received = [];
    const calls = ["a", ["b"], "c, d", "e"].map((names) => ({ tool: "search", args: { names }, id }));
    const { model } = await ran([calls], tools(received));
    assert.deepEqual(received.map(([, { names }]) => names.join()).sort(), ["a", "b", "e"]);
    const told = model.inputs.at(-1).filter((message) => message.type === "tool");
    const { tool_calls } = model.inputs.at(-1).findLast((message) => message.type === "ai");
    assert.equal(told.length, 4);
    for (const { args, id } of tool_calls) {
      const [answer, ...more] = told.filter(({ tool_call_id }) => tool_call_id === id);
      assert.deepEqual(more, []);
      assert.equal(answer.status === "error", args.names === "c, d");
    }
  });

  test(`raw texts of calls that all have the id ${JSON.stringify(id)} are not mixed`, async () => {
    const received = [];
    const texts = ['{"id": 6', '{"id": 7}', '{"id": 8.0}', '{"id": 9'];
    const replies = texts.map((text) => raw("open", text));
    const all = (list) => list.flat().map((call) => ({ ...call, id }));
    const reply = {
      tool_calls: all(replies.map(({ tool_calls = [] }) => tool_calls)),
      invalid_tool_calls: all(replies.map(({ invalid_tool_calls = [] }) => invalid_tool_calls)),
      additional_kwargs: { tool_calls: all(replies.map(({ additional_kwargs }) => additional_kwargs.tool_calls)) },
    };
    const { model } = await ran([reply], tools(received));
    assert.deepEqual(received.map(([, { id }]) => id).sort(), [7, 8]);
    assert.deepEqual(
      model.told().map((text) => /cut|end/i.test(text)),
      [false, false, true, true],
    );
  });
}

test("what another middleware has made of the arguments counts, not the text that they came from", async () => {
  const received = [];
  const given = tools(received);
  const hide = createMiddleware({
    name: "hide",
    afterModel({ messages }) {
      const { tool_calls, additional_kwargs, id } = messages.at(-1);
      const hidden = tool_calls.map((call) => ({ ...call, args: { names: ["hidden"] } }));
      const message = new AIMessage({ content: "", id, tool_calls: hidden, additional_kwargs });
      return hidden.length === 0 ? undefined : { messages: [message] };
    },
  });
  await ran([raw("search", '{"names": ["secret"]}')], given, [mend(given), hide]);
  assert.deepEqual(received, [["search", { names: ["hidden"] }]]);
});

test("text that was cut, and completed by LangChain where it reads a stream, is refused", async () => {
  const received = [];
  const chunk = (args) =>
    new AIMessageChunk({
      content: "",
      id: "reply",
      tool_call_chunks: [{ type: "tool_call_chunk", index: 0, id: "1", name: "search", args }],
    });
  const given = tools(received);
  const agent = (args) => {
    const model = new Scripted([]);
    const { _generate } = model;
    model._generate = async (messages) =>
      messages.some(({ type }) => type === "tool")
        ? _generate.call(model, messages)
        : { generations: [{ text: "", message: chunk(args) }] };
    return createAgent({ model, tools: given, middleware: [mend(given)] });
  };
  const messages = [{ role: "user", content: "go" }];
  await agent('{"names": ["a", "b').invoke({ messages });
  assert.deepEqual(received, []);
  await agent('{"names": "a"}').invoke({ messages });
  assert.deepEqual(received, [["search", { names: ["a"] }]]);
});

test("an id that comes again in a later reply", async () => {
  const received = [];
  const calls = ["a", "b, c", "d", ["e"]].map((names) => ({ tool: "search", args: { names }, id: "1" }));
  const { model } = await ran(calls, tools(received));
  assert.deepEqual(
    received.map(([, { names }]) => names.join()),
    ["a", "d", "e"],
  );
  assert.deepEqual(
    model.told().map((text) => text === RESULT),
    [true, false, true, true],
  );
});

test("runs at once whose calls have the same ids each run with their own arguments", async () => {
  const received = [];
  const given = tools(received);
  const middleware = [mend(given)];
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const told = await Promise.all(
    names.map(async (name) => {
      const calls = [name, `${name}, x`].map((names) => ({ tool: "search", args: { names }, id: "1" }));
      const { model } = await ran(calls, given, middleware);
      return model.told()[1];
    }),
  );
  assert.deepEqual(received.map(([, { names }]) => names.join()).sort(), [...names].sort());
  assert.doesNotMatch(told.join(), /refused before|last attempt/);
});

test("a toolbox that is given, and a long id", async () => {
  const received = [];
  for (const options of [{ toolbox: compileTools(SCHEMAS) }, { numbers: "bigint" }]) {
    const given = tools(received);
    const { model } = await ran([raw("open", '{"id": 123456789012345678}')], given, [mend(given, options)]);
    assert.match(model.told()[0], /losing digits/);
  }
  assert.deepEqual(received, []);
});

test("what a tool may be given arrives untouched", async () => {
  for (const reply of [({ text }) => raw("wild", text), ({ text }) => ({ tool: "wild", args: JSON.parse(text) })]) {
    const received = [];
    const wild = tool(async (input) => received.push(input), { name: "wild", description: "", schema: WILD.schema });
    const { model } = await ran(WILD.calls.map(reply), [wild]);
    checkWild(received, { may: /__proto__/ });
    assert.ok(model.told().length > 0);
  }
});

test("the budget of three, and one of one", async () => {
  checkBudget((await ran(BUDGET, tools([]))).model.told());
  const given = tools([]);
  const { model } = await ran(BUDGET.slice(0, 1), given, [mend(given, { budget: 1 })]);
  assert.match(model.told()[0], /last attempt/);
});

for (const metadata of [
  { stop_reason: "max_tokens" },
  { finishReason: "MAX_TOKENS" },
  { finish_reason: "content_filter" },
]) {
  test(`a reply that says ${JSON.stringify(metadata)} is refused`, async () => {
    const received = [];
    const cut = { ...raw("search", '{"names": ["a"]}'), response_metadata: metadata };
    const { model } = await ran([cut], tools(received));
    assert.deepEqual(received, []);
    assert.match(model.told()[0], /cut/);
  });
}

test("attempts survive in the messages, and the user begins them anew", async () => {
  const given = tools([]);
  const agent = (id) => {
    const model = new Scripted([{ ...raw("search", JSON.stringify(TURNS[5].args)), id }]);
    return [model, createAgent({ model, tools: given, middleware: [mend(given)] })];
  };
  const [, first] = agent("one");
  const { messages } = await first.invoke({ messages: [{ role: "user", content: "go" }] });
  const [next, second] = agent("two");
  await second.invoke({ messages: messages.slice(0, -1) });
  assert.match(next.told().at(-1), /refused before/);
  const [last, third] = agent("three");
  await third.invoke({ messages: [...messages, { role: "user", content: "again" }] });
  assert.doesNotMatch(last.told().at(-1), /refused before/);
});
