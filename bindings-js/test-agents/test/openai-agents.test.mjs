import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent, RunContext, Runner, run, tool, Usage } from "@openai/agents";
import { compileTools, observeAll } from "toolmend";
import { mend, mendModel } from "toolmend/openai-agents";
import * as z from "zod";

import { BUDGET, checkBudget, checkTold, checkWild, RECEIVED, RESULT, SCHEMAS, TURNS, WILD } from "./story.mjs";

/** A model that makes these calls, one a turn, and then says that it is done; what it got. */
class Scripted {
  inputs = [];
  #turns;

  constructor(turns) {
    this.#turns = turns;
  }

  async getResponse({ input }) {
    this.inputs.push(input);
    const at = this.inputs.length - 1;
    const turn = this.#turns[at];
    const output =
      turn === undefined
        ? [
            {
              type: "message",
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text: "finished" }],
            },
          ]
        : [turn].flat().map(({ tool, args, id, status = "completed" }, index) => ({
            type: "function_call",
            callId: id ?? `call-${at}-${index}`,
            name: tool,
            status,
            arguments: typeof args === "string" ? args : JSON.stringify(args),
          }));
    return { usage: new Usage({ requests: 1 }), output };
  }

  async *getStreamedResponse(request) {
    const { output } = await this.getResponse(request);
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    yield { type: "response_done", response: { id: "r", output, usage } };
  }

  told() {
    return this.inputs
      .at(-1)
      .filter(({ type }) => type === "function_call_result")
      .map(({ output }) => (typeof output === "string" ? output : output.text));
  }
}

function tools(received, options = {}) {
  return Object.entries(SCHEMAS).map(([name, parameters]) =>
    tool({
      name,
      description: name,
      parameters,
      strict: false,
      execute: async (input) => {
        received.push([name, input]);
        return RESULT;
      },
      ...options,
    }),
  );
}

async function ran(turns, tools, options = {}) {
  const model = new Scripted(turns);
  const result = await run(new Agent({ name: "a", model, tools }), "go", { maxTurns: 20, ...options });
  return { model, result };
}

test("the story", async () => {
  const received = [];
  const { model, result } = await ran(TURNS, mend(tools(received)));
  assert.deepEqual(received, RECEIVED);
  checkTold(model.told());
  assert.equal(result.finalOutput, "finished");
});

test("the story in a stream", async () => {
  const received = [];
  const { model, result } = await ran(TURNS, mend(tools(received)), { stream: true });
  await result.completed;
  assert.deepEqual(received, RECEIVED);
  checkTold(model.told());
});

test("without the adapter what is wrong reaches the tools", async () => {
  const received = [];
  await ran(TURNS, tools(received));
  assert.notDeepEqual(received, RECEIVED);
});

test("zod validates after us, and a closed nested value arrives untouched", async () => {
  const received = [];
  const parameters = z.object({
    customer: z.object({ name: z.string(), address: z.object({ city: z.string(), zip: z.string() }) }),
    lines: z.array(z.object({ sku: z.string(), tags: z.array(z.string()), note: z.string().nullable() })),
  });
  const order = tool({ name: "order", description: "", parameters, execute: async (input) => received.push(input) });
  await ran([TURNS[4]], mend([order]));
  assert.deepEqual(received, [RECEIVED[3][1]]);
});

test("the tool's own parser reads canonical text", async () => {
  const received = [];
  const open = tool({ name: "open", description: "", parameters: SCHEMAS.open, strict: false, execute: (it) => it });
  const seen = { ...open, invoke: async (_context, input) => received.push(input) };
  const turns = [{ tool: "open", args: '{"id": 123456789012345678.0}' }];
  await ran(turns, mend([seen], { numbers: "bigint" }));
  assert.deepEqual(received, ['{"id":123456789012345678}']);
  // The SDK's own parser would round it.
  await ran(turns, mend([seen]));
  assert.equal(received.length, 1);
});

/** The same, with the model mended too. */
async function ranMended(turns, given, options = {}) {
  const model = new Scripted(turns);
  const tools = mend(given);
  const provider = { getModel: async () => model };
  const runner = new Runner({ modelProvider: mendModel(provider, tools), tracingDisabled: true });
  const result = await runner.run(new Agent({ name: "a", tools }), "go", { maxTurns: 20, ...options });
  return { model, result };
}

for (const stream of [false, true]) {
  test(`the story with the model mended too${stream ? ", in a stream" : ""}`, async () => {
    const received = [];
    const { model, result } = await ranMended(TURNS, tools(received), { stream });
    await result.completed;
    assert.deepEqual(received, RECEIVED);
    checkTold(model.told());
  });
}

test("with the model mended, approval is asked about canonical arguments", async () => {
  const asked = [];
  const needsApproval = async (_, input) => {
    asked.push(input);
    return false;
  };
  const received = [];
  await ranMended(TURNS.slice(1, 2), tools(received, { needsApproval }));
  assert.deepEqual(asked, [{ names: ["dotnet/eshop"] }]);
  assert.deepEqual(received, RECEIVED.slice(1, 2));
});

for (const stream of [false, true]) {
  const what = stream ? ", in a stream" : "";
  test(`with the model mended, text that is no JSON comes to the boundary, and is told once${what}`, async () => {
    const events = [];
    const stop = observeAll(({ outcome }) => events.push([outcome.status, outcome.issues[0]?.code]));
    const received = [];
    const texts = ['```json\n{"names": ["a"]}\n```', '{"names": ["a"', "", '{"names": "b"}'];
    const { model, result } = await ranMended(
      texts.map((args) => ({ tool: "search", args })),
      tools(received),
      { stream },
    );
    await result.completed;
    stop();
    assert.deepEqual(received, [
      ["search", { names: ["a"] }],
      ["search", { names: ["b"] }],
    ]);
    assert.match(model.told()[1], /cut|end/i);
    assert.deepEqual(events, [
      ["repaired", undefined],
      ["refused", "truncated"],
      ["refused", "json_syntax"],
      ["repaired", undefined],
    ]);
  });
}

test("without it, the SDK itself answers to text that is no JSON", async () => {
  const { model } = await ran([{ tool: "search", args: '{"names": ["a"' }], mend(tools([])));
  assert.match(model.told()[0], /valid JSON/);
});

test("runs do not know of each other; calls of one reply are one attempt", async () => {
  const mended = mend(tools([]));
  const call = { tool: "search", args: { names: "c; d" } };
  for (const _ of [1, 2]) {
    const { model } = await ran([[call, call], call], mended);
    const [one, two, three] = model.told();
    assert.doesNotMatch(one + two, /refused before/);
    assert.match(three, /refused before/);
  }
});

test("the budget", async () => {
  const calls = ["a, b", "c, d", "e, f"].map((names) => ({ tool: "search", args: { names } }));
  const { model } = await ran(calls, mend(tools([]), { budget: 2 }));
  assert.match(model.told()[1], /last attempt/);
});

test("every call is told once", async () => {
  const events = [];
  const stop = observeAll(({ outcome }) => events.push(outcome.status));
  await ran(TURNS, mend(tools([])));
  stop();
  assert.deepEqual(events, ["unchanged", "repaired", "refused", "unchanged", "repaired", "refused", "refused"]);
});

test("report mode changes nothing", async () => {
  const received = [];
  const toolbox = compileTools(SCHEMAS, { mode: "report" });
  await ran([TURNS[1]], mend(tools(received), { toolbox }));
  assert.deepEqual(received, [["search", { names: "dotnet/eshop" }]]);
});

test("tools of a service are left alone, and what is given is not changed", () => {
  const hosted = { type: "hosted_tool", name: "web_search" };
  const given = tools([]);
  const mended = mend([hosted, ...given]);
  assert.equal(mended[0], hosted);
  assert.notEqual(mended[1].invoke, given[0].invoke);
  assert.ok(new RunContext().usage instanceof Usage);
});

for (const isMended of [false, true]) {
  const go = (turns, given, options) => (isMended ? ranMended(turns, given, options) : ran(turns, mend(given)));
  const what = isMended ? ", with the model mended" : "";

  for (const id of ["", "1"]) {
    test(`calls of one reply that have the id "${id}" never get each other's arguments${what}`, async () => {
      const received = [];
      const calls = ["a", ["b"], "c, d"].map((names) => ({ tool: "search", args: { names }, id }));
      // The SDK knows calls by their ids: it ends the run.
      await assert.rejects(go([calls], tools(received)), /call ID/i);
      assert.deepEqual(received, []);
    });
  }

  test(`an id that comes again in a later reply never brings the former arguments${what}`, async () => {
    const received = [];
    const calls = ["a", "b"].map((names) => ({ tool: "search", args: { names }, id: "1" }));
    await go(calls, tools(received)).catch(() => undefined);
    assert.deepEqual(received[0], ["search", { names: ["a"] }]);
    assert.ok(received.length < 2 || received[1][1].names[0] === "b");
  });

  test(`runs at once whose calls have the same ids each run with their own arguments${what}`, async () => {
    const received = [];
    const given = tools(received);
    const wrapped = mend(given);
    const refused = (name) => ({ tool: "search", args: `{"names": ["${name}"`, id: "2" });
    const one = async (name) => {
      const model = new Scripted([{ tool: "search", args: { names: name }, id: "1" }, refused(name)]);
      const provider = { getModel: async () => model };
      const runner = new Runner({
        modelProvider: isMended ? mendModel(provider, wrapped) : provider,
        tracingDisabled: true,
      });
      await runner.run(new Agent({ name: "a", tools: wrapped }), "go");
      return model.told()[1];
    };
    const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
    const told = await Promise.all(names.map(one));
    assert.deepEqual(received.map(([, { names }]) => names.join()).sort(), [...names].sort());
    for (const text of told) {
      assert.doesNotMatch(text, /refused before|last attempt/);
    }
  });
}

const LONG = ['{"id": 123456789012345678}', '{"id": 1234567890123456789012}'];

for (const [what, options] of [
  ["of its own", {}],
  ["that is given", { toolbox: compileTools(SCHEMAS) }],
  ["that is given and refuses", { toolbox: compileTools(SCHEMAS, { numbers: "refuse" }) }],
]) {
  test(`a long integer never comes to the SDK's parser, which would round it: a toolbox ${what}`, async () => {
    const received = [];
    const model = new Scripted(LONG.map((args) => ({ tool: "open", args })));
    const given = mend(tools(received), options);
    await run(new Agent({ name: "a", model, tools: given }), "go");
    assert.deepEqual(received, []);
    for (const text of model.told()) {
      assert.match(text, /losing digits/);
    }
  });
}

test("`numbers: bigint` is for tools that read the text themselves: the SDK's own parser rounds", async () => {
  for (const options of [
    { numbers: "bigint" },
    { toolbox: compileTools(SCHEMAS, { numbers: "bigint" }) },
    { tools: { open: { numbers: "bigint" } } },
  ]) {
    const received = [];
    const [, , open] = tools(received);
    const own = { ...open, invoke: async (_context, input) => received.push(input) };
    await ran([{ tool: "open", args: LONG[0] }], mend([own], options));
    await ran([{ tool: "open", args: LONG[0] }], mend([open], options));
    assert.deepEqual(received, ['{"id":123456789012345678}', ["open", { id: 123456789012345680 }]]);
  }
});

test("what a tool may be given arrives untouched", async () => {
  const calls = WILD.calls.map(({ text }) => ({ tool: "wild", args: text }));
  for (const go of [(given) => ran(calls, mend(given)), (given) => ranMended(calls, given)]) {
    const received = [];
    const execute = async (input) => received.push(input);
    await go([tool({ name: "wild", description: "", parameters: WILD.schema, strict: false, execute })]);
    checkWild(received);
  }
});

test("the budget of three", async () => {
  checkBudget((await ran(BUDGET, mend(tools([])))).model.told());
  checkBudget((await ranMended(BUDGET, tools([]))).model.told());
});

test("a call that is incomplete is refused, whatever it looks like", async () => {
  const received = [];
  const cut = [["a"], "b"].map((names) => ({ tool: "search", args: { names }, status: "incomplete" }));
  for (const { model } of [await ran(cut, mend(tools(received))), await ranMended(cut, tools(received))]) {
    assert.match(model.told().join(), /cut/);
  }
  assert.deepEqual(received, []);
});
