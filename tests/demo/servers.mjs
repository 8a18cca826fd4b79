// The servers, each on data of its own, over the real protocol.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";

const SERVERS = ["filesystem", "memory", "everything", "sequential-thinking"];

const FILES = {
  "notes/todo.md": "- milk\n- bread\n- stamps\n",
  "notes/ideas.md": "A difference engine.\n",
  "drafts/letter.md": "Dear Ada,\n",
  "archive/old.md": "Done.\n",
};

const require = createRequire(import.meta.url);

/** The program of a server, as its package names it. */
function program(server) {
  const manifest = `@modelcontextprotocol/server-${server}/package.json`;
  const { bin } = require(manifest);
  return join(dirname(require.resolve(manifest)), Object.values(bin)[0]);
}

async function connect(server, folder) {
  const client = new Client({ name: "toolmend-demo", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program(server), ...(server === "filesystem" ? [folder] : [])],
    cwd: folder,
    env: { ...getDefaultEnvironment(), MEMORY_FILE_PATH: join(folder, "memory.jsonl"), DISABLE_THOUGHT_LOGGING: "true" },
    stderr: "ignore",
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  return { client, version: client.getServerVersion()?.version, tools: new Map(tools.map((tool) => [tool.name, tool])) };
}

/** Runs `work` with every server started on fresh data. */
export async function withServers(work) {
  const folder = await mkdtemp(join(tmpdir(), "toolmend-demo-"));
  const servers = new Map();
  try {
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    for (const server of SERVERS) servers.set(server, await connect(server, folder));
    return await work(servers, folder);
  } finally {
    await Promise.all([...servers.values()].map(({ client }) => client.close().catch(() => {})));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Calls a tool: whether the server did it, and its answer. */
export async function callTool(server, name, args) {
  try {
    const result = await server.client.callTool({ name, arguments: args });
    const answer = result.content.map((part) => part.text ?? `(${part.type})`).join(" ");
    return { ok: result.isError !== true, answer };
  } catch (error) {
    return { ok: false, answer: String(error.message) };
  }
}
