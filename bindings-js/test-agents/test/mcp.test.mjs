import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { compileTools, observeAll } from "toolmend";
import { mendClient, mendTransport } from "toolmend/mcp";
import * as z from "zod";

import { BUDGET, checkBudget, checkTold, checkWild, RECEIVED, RESULT, SCHEMAS, TURNS, WILD } from "./story.mjs";

const zod = {
  search: { names: z.array(z.string()) },
  order: {
    customer: z.strictObject({
      name: z.string(),
      address: z.strictObject({ city: z.string(), zip: z.string().optional() }),
    }),
    lines: z.array(
      z.strictObject({ sku: z.string(), tags: z.array(z.string()), note: z.string().nullable().optional() }),
    ),
  },
};

const info = { name: "test", version: "1" };
const done = { content: [{ type: "text", text: RESULT }] };

/** The SDK's high-level server, whose tools have zod schemas. */
function highLevel(received) {
  const server = new McpServer(info);
  for (const [name, inputSchema] of Object.entries(zod)) {
    server.registerTool(name, { description: name, inputSchema }, async (args) => {
      received.push([name, args]);
      return done;
    });
  }
  return server;
}

/** The SDK's low-level server, which validates nothing itself; a tool a page. */
function lowLevel(received, more = {}) {
  const server = new Server(info, { capabilities: { tools: { listChanged: true } } });
  const tools = () =>
    Object.entries(SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema, ...(more[name] ?? {}) }));
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const at = Number(params?.cursor ?? 0);
    const all = tools();
    return { tools: [all[at]], ...(at + 1 < all.length ? { nextCursor: String(at + 1) } : {}) };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    received.push([params.name, params.arguments]);
    return more[params.name]?.result ?? done;
  });
  return server;
}

async function connected(server, { wrap = (transport) => transport } = {}) {
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  await server.connect(wrap(ours));
  const client = new Client(info);
  await client.connect(theirs);
  return client;
}

async function told(client, turns) {
  const results = [];
  for (const { tool, args } of turns) {
    const { content, isError = false } = await client.callTool({ name: tool, arguments: args });
    results.push({ text: content[0].text, isError });
  }
  return results;
}

function checkStory(results) {
  checkTold(results.map(({ text }) => text));
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, false, true, false, false, true, true],
  );
}

for (const [what, make] of [
  ["high-level", highLevel],
  ["low-level", lowLevel],
]) {
  test(`the story in a ${what} server`, async () => {
    const received = [];
    const client = await connected(make(received), { wrap: (transport) => mendTransport(transport) });
    checkStory(await told(client, TURNS));
    assert.deepEqual(received, RECEIVED);
  });

  test(`the story in a client of a ${what} server`, async () => {
    const received = [];
    const client = mendClient(await connected(make(received)));
    checkStory(await told(client, TURNS));
    assert.deepEqual(received, RECEIVED);
  });
}

test("without the adapter the mended calls of the story fail", async () => {
  const received = [];
  await told(await connected(highLevel(received)), TURNS);
  assert.equal(received.length, 2);
});

test("a client may be given the text of the model", async () => {
  const received = [];
  const client = mendClient(await connected(lowLevel(received)));
  const texts = ['```json\n{"names": ["a"]}\n```', '{"names": ["a"', '{"names": "b"}'];
  const results = await told(
    client,
    texts.map((args) => ({ tool: "search", args })),
  );
  assert.deepEqual(received, [
    ["search", { names: ["a"] }],
    ["search", { names: ["b"] }],
  ]);
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [false, true, false],
  );
});

test("a long id is refused, never rounded: JSON-RPC libraries have no room for a bigint", async () => {
  const received = [];
  const client = mendClient(await connected(lowLevel(received)));
  const [{ isError }] = await told(client, [{ tool: "open", args: '{"id": 123456789012345678}' }]);
  assert.ok(isError);
  assert.deepEqual(received, []);
});

const outputSchema = {
  type: "object",
  properties: { count: { type: "integer" } },
  required: ["count"],
};

for (const side of ["server", "client"]) {
  test(`results are checked against the output schema in a ${side}`, async () => {
    const content = [{ type: "text", text: "{}" }];
    const search = { outputSchema, result: { content, structuredContent: { count: "many" } } };
    const order = { outputSchema, result: { content, structuredContent: { count: 2 } } };
    const server = lowLevel([], { search, order });
    const client =
      side === "server"
        ? await connected(server, { wrap: (transport) => mendTransport(transport) })
        : mendClient(await connected(server));
    const bad = await client.callTool({ name: "search", arguments: { names: [] } });
    assert.ok(bad.isError);
    assert.match(bad.content[0].text, /does not fit its output schema.*count/);
    const good = await client.callTool({ name: "order", arguments: TURNS[4].args });
    assert.deepEqual(good.structuredContent, { count: 2 });
  });
}

test("a tool that may destroy is mended no further than `narrow`", async () => {
  const received = [];
  const annotations = { destructiveHint: true };
  const server = lowLevel(received, { search: { annotations } });
  const client = mendClient(await connected(server), { policy: "lenient" });
  const [first, second] = await told(client, [
    { tool: "search", args: { Names: ["a"] } },
    { tool: "open", args: { ID: "7" } },
  ]);
  assert.ok(first.isError);
  assert.ok(!second.isError);
  assert.deepEqual(received, [["open", { id: 7 }]]);
});

test("a name that is not listed is the server's own to answer", async () => {
  const client = await connected(highLevel([]), { wrap: (transport) => mendTransport(transport) });
  const [{ text }] = await told(client, [{ tool: "serch", args: {} }]);
  assert.match(text, /serch not found/);
});

test("a tool that comes later is found", async () => {
  const received = [];
  const server = highLevel(received);
  const client = await connected(server, { wrap: (transport) => mendTransport(transport) });
  await told(client, TURNS.slice(0, 1));
  server.registerTool("late", { inputSchema: { tags: z.array(z.string()) } }, async (args) => {
    received.push(["late", args]);
    return done;
  });
  await told(client, [{ tool: "late", args: { tags: "x" } }]);
  assert.deepEqual(received.at(-1), ["late", { tags: ["x"] }]);
});

test("connections do not know of each other", async () => {
  for (const _ of [1, 2]) {
    const client = await connected(highLevel([]), { wrap: (transport) => mendTransport(transport) });
    const [{ text }] = await told(client, TURNS.slice(5, 6));
    assert.doesNotMatch(text, /refused before/);
  }
});

test("every call is told once, and a guard's own error is the answer", async () => {
  const events = [];
  const stop = observeAll(({ outcome }) => events.push(outcome.status));
  const toolbox = compileTools(SCHEMAS, {
    tools: {
      open: {
        guards: () => {
          throw new Error("no database");
        },
      },
    },
  });
  const client = await connected(lowLevel([]), { wrap: (transport) => mendTransport(transport, { toolbox }) });
  await told(client, TURNS);
  await assert.rejects(client.callTool({ name: "open", arguments: { id: 1 } }), /no database/);
  stop();
  assert.deepEqual(events, ["unchanged", "repaired", "refused", "unchanged", "repaired", "refused", "refused"]);
});

test("report mode changes nothing", async () => {
  const received = [];
  const client = mendClient(await connected(lowLevel(received)), { mode: "report" });
  await told(client, [TURNS[1]]);
  assert.deepEqual(received, [["search", { names: "dotnet/eshop" }]]);
});

test("all else is the client's and the transport's own", async () => {
  const client = mendClient(await connected(highLevel([])));
  assert.equal((await client.listTools()).tools.length, 2);
  assert.equal(client.getServerVersion().name, "test");
  await client.close();
  assert.equal(typeof createRequire(import.meta.url)("toolmend/mcp").mendClient, "function");
});

/** A server's side alone, with messages as they come: no client that keeps ids apart. */
async function wired(server, options) {
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  const answers = [];
  theirs.onmessage = (message) => answers.push(message);
  await server.connect(mendTransport(ours, options));
  await theirs.start();
  const send = (message) => theirs.send({ jsonrpc: "2.0", ...message });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info };
  await send({ id: "hello", method: "initialize", params });
  await send({ method: "notifications/initialized" });
  const call = (id, name, args) => send({ id, method: "tools/call", params: { name, arguments: args } });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
  return { answers, send, call, settled };
}

test("two requests at once with the same id never get each other's arguments or checks", async () => {
  const received = [];
  const content = [{ type: "text", text: "{}" }];
  const search = { outputSchema, result: { content, structuredContent: { count: "many" } } };
  const { answers, call, settled } = await wired(lowLevel(received, { search }));
  await Promise.all([call(1, "search", { names: "a" }), call(1, "open", { id: 7 }), call(2, "search", { names: "b" })]);
  await settled();
  assert.deepEqual(received, [
    ["search", { names: ["a"] }],
    ["search", { names: ["b"] }],
  ]);
  const [{ error }, ...more] = answers.filter(({ id, error }) => id === 1 && error !== undefined);
  assert.match(error.message, /id/);
  assert.deepEqual(more, []);
  const results = answers.filter(({ id, result }) => (id === 1 || id === 2) && result !== undefined);
  assert.deepEqual(
    results.map(({ result }) => result.isError),
    [true, true],
  );
  // And when it is answered the id is free again.
  await call(1, "open", { id: 7.0 });
  await settled();
  assert.deepEqual(received.at(-1), ["open", { id: 7 }]);
});

test("no request of a client is taken for the answer to our own", async () => {
  const received = [];
  const { answers, send, call, settled } = await wired(lowLevel(received));
  await Promise.all([
    call("toolmend-1", "search", { names: "a, b" }),
    ...[1, 2, 3].map((at) => send({ id: `toolmend-${at}`, method: "ping" })),
    call(9, "search", { names: "a" }),
  ]);
  await settled();
  assert.deepEqual(received, [["search", { names: ["a"] }]]);
  assert.ok(answers.some(({ id }) => id === "toolmend-2"));
});

test("connections at once whose requests have the same ids each run with their own arguments", async () => {
  const received = [];
  const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
  await Promise.all(
    names.map(async (name) => {
      const client = await connected(highLevel(received), { wrap: (transport) => mendTransport(transport) });
      const results = await told(client, [{ tool: "search", args: { names: name } }, TURNS[5]]);
      assert.doesNotMatch(results[1].text, /refused before/);
    }),
  );
  assert.deepEqual(received.map(([, { names }]) => names.join()).sort(), [...names].sort());
});

test("a call that is cancelled while it is looked at does not run", async () => {
  const received = [];
  let go;
  const wait = new Promise((resolve) => {
    go = resolve;
  });
  const guards = () => wait.then(() => undefined);
  const { answers, send, call, settled } = await wired(lowLevel(received), { tools: { search: { guards } } });
  await call(1, "search", { names: ["a"] });
  await settled();
  await send({ method: "notifications/cancelled", params: { requestId: 1 } });
  go();
  await settled();
  assert.deepEqual(received, []);
  assert.ok(!answers.some(({ id }) => id === 1));
});

test("a refusal that finds no connection any more is an error of the transport, and ends nothing else", async () => {
  const [, ours] = InMemoryTransport.createLinkedPair();
  const server = lowLevel([]);
  const errors = [];
  server.onerror = ({ message }) => errors.push(message);
  const toolbox = compileTools(SCHEMAS);
  await server.connect(mendTransport(ours, { toolbox }));
  ours.send = async () => {
    throw new Error("gone");
  };
  const params = { name: "search", arguments: { names: "a, b" } };
  ours.onmessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(errors, ["gone"]);
});

for (const side of ["server", "client"]) {
  test(`digits that were lost on the way are refused in a ${side}, with any toolbox`, async () => {
    for (const options of [
      {},
      { numbers: "bigint" },
      { toolbox: compileTools(SCHEMAS) },
      { toolbox: compileTools(SCHEMAS, { numbers: "bigint" }) },
    ]) {
      const received = [];
      const server = lowLevel(received);
      const client =
        side === "server"
          ? await connected(server, { wrap: (transport) => mendTransport(transport, options) })
          : mendClient(await connected(server), options);
      const [{ text, isError }] = await told(client, [{ tool: "open", args: { id: 2 ** 60 } }]);
      assert.ok(isError);
      assert.match(text, /losing digits/);
      assert.deepEqual(received, []);
    }
  });
}

for (const side of ["server", "client"]) {
  test(`what a tool may be given arrives untouched in a ${side}`, async () => {
    const received = [];
    const server = new Server(info, { capabilities: { tools: {} } });
    const tools = [{ name: "wild", inputSchema: WILD.schema }];
    server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      received.push(params.arguments);
      return done;
    });
    const client =
      side === "server"
        ? await connected(server, { wrap: (transport) => mendTransport(transport) })
        : mendClient(await connected(server));
    for (const { text } of WILD.calls) {
      await client.callTool({ name: "wild", arguments: side === "server" ? JSON.parse(text) : text });
    }
    checkWild(received);
  });
}

for (const side of ["server", "client"]) {
  test(`the budget of three, and one of one, in a ${side}`, async () => {
    const one = async (options) => {
      const server = highLevel([]);
      return side === "server"
        ? await connected(server, { wrap: (transport) => mendTransport(transport, options) })
        : mendClient(await connected(server), options);
    };
    checkBudget((await told(await one(), BUDGET)).map(({ text }) => text));
    assert.match((await told(await one({ budget: 1 }), BUDGET.slice(0, 1)))[0].text, /last attempt/);
  });
}
