// Compiled, never run: the adapters with the frameworks' own types.

import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Agent, tool as agentTool, OpenAIProvider, Runner, webSearchTool } from "@openai/agents";
import { metrics } from "@opentelemetry/api";
import { generateText, isStepCount, type LanguageModel, streamText, ToolLoopAgent, tool } from "ai";
import { tool as chainTool, createAgent } from "langchain";
import { compileTools } from "toolmend";
import { mend as mendAi, stopped } from "toolmend/ai-sdk";
import { mend as mendChain } from "toolmend/langchain";
import { mend as mendMastra, stopped as stoppedMastra } from "toolmend/mastra";
import { mendClient, mendTransport } from "toolmend/mcp";
import { mend as mendAgents, mendModel } from "toolmend/openai-agents";
import { instrument } from "toolmend/telemetry";
import * as z from "zod";

declare const model: LanguageModel;
const inputSchema = z.object({ city: z.string() });
const parameters = inputSchema;

export async function ai() {
  const weather = tool({ description: "", inputSchema, execute: async ({ city }) => city.length });
  const { steps } = await generateText({
    model,
    ...mendAi({ weather }, { policy: "adapter" }),
    prompt: "",
    stopWhen: [isStepCount(5), stopped],
  });
  // The types of the tools are kept.
  const result = steps[0]?.staticToolResults[0];
  const output: number | undefined = result?.output;
  void streamText({ model, ...mendAi({ weather }), prompt: "" });
  void new ToolLoopAgent({ model, ...mendAi({ weather }) });
  return output;
}

export async function agents() {
  const weather = agentTool({ name: "w", description: "", parameters, execute: async ({ city }) => city });
  const tools = mendAgents([weather, webSearchTool()]);
  const runner = new Runner({ modelProvider: mendModel(new OpenAIProvider(), tools) });
  await runner.run(new Agent({ name: "a", tools }), "go");
}

export async function chain() {
  const weather = chainTool(async ({ city }) => city, { name: "w", description: "", schema: inputSchema });
  const agent = createAgent({ model: "openai:x", tools: [weather], middleware: [mendChain([weather])] });
  await agent.invoke({ messages: "go" });
}

export async function mastra() {
  const weather = createTool({ id: "w", description: "", inputSchema, execute: async ({ city }) => ({ city }) });
  const agent = new MastraAgent({
    id: "a",
    name: "a",
    instructions: "",
    model: "openai/x",
    tools: mendMastra({ weather }),
  });
  await agent.generate("go", { stopWhen: stoppedMastra });
}

export async function mcp() {
  const [one, other] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "s", version: "1" });
  await server.connect(mendTransport(one));
  const http: StreamableHTTPServerTransport = mendTransport(new StreamableHTTPServerTransport());
  const client = new Client({ name: "c", version: "1" });
  await client.connect(other);
  const mended = mendClient(client, { budget: 2 });
  const result = await mended.callTool({ name: "w", arguments: '{"city": "Bern"}' }, undefined, { timeout: 5 });
  await mended.callTool({ name: "w", arguments: { city: "Bern" } });
  return [result.isError, await mended.listTools(), http];
}

export function telemetry() {
  const stop = instrument(compileTools([]), { meterProvider: metrics.getMeterProvider() });
  stop();
  instrument()();
}
