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

import { checkTold, RECEIVED, RESULT, SCHEMAS, TURNS } from "./story.mjs";

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
