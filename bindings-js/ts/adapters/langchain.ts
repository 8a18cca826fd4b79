/**
 * LangChain: every tool call of an agent goes through the boundary.
 *
 * The calls are repaired as soon as the model has answered, from their raw text where LangChain still has it, so that
 * approvals see canonical arguments. A call that is refused does not run: the model gets the feedback as the tool's message.
 *
 * @module
 */

import { framework } from "toolmend:framework/langchain";
import type { AgentMiddleware, AIMessage, Kwargs, ToolCall } from "langchain";
import type { AttemptsState, Decision, Finish } from "toolmend";
import { FINISHES } from "../lists.js";
import { type MendOptions, type Named, toolboxOf } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** What a tool has (`StructuredTool` of `@langchain/core`). */
interface StructuredTool {
  readonly name: string;
  readonly description?: string;
  readonly schema: unknown;
}

/** What is kept of a reply, in the message's `response_metadata.toolmend`: plain data, which survives a checkpoint. */
interface Log {
  readonly attempts: AttemptsState;
  /** What the model is told, by the id of the call. */
  readonly refused: { readonly [id: string]: string };
}

/**
 * The middleware of an agent with these tools; one object for any number of agents and runs. Put it last: what is done after
 * the model is done in reverse order.
 *
 * Throws `SchemaError` if the schema of a tool cannot be compiled.
 */
export function mend(tools: readonly object[], options: MendOptions = {}): AgentMiddleware {
  const toolbox = toolboxOf(() => tools.filter(isStructured).map(definition), options, "doubles");
  const budget = options.budget === undefined ? {} : { budget: options.budget };
  toolbox.attempts(budget);
  return framework.createMiddleware({
    name: "toolmend",
    async afterModel({ messages }) {
      const message = messages.at(-1);
      if (!framework.AIMessage.isInstance(message)) {
        return undefined;
      }
      const state = logBefore(messages)?.attempts;
      const attempts = toolbox.attempts(state === undefined ? budget : { state });
      const decisions = new Map<string, Decision>();
      for (const call of callsOf(message)) {
        if (toolbox.contract(call.name) !== undefined) {
          const about = { id: call.id, finish: finishOf(message), turn: message.id };
          decisions.set(call.id, await attempts.decideAsync(call.name, call.args, about));
        }
      }
      return decisions.size === 0 || toolbox.mode === "report"
        ? undefined
        : { messages: [decided(message, decisions, attempts.toJSON())] };
    },
    async wrapToolCall(request, handler) {
      const { toolCall, state } = request;
      const { id = "", name } = toolCall;
      const refused =
        logOf(state.messages.findLast((message) => framework.AIMessage.isInstance(message)))?.refused ?? {};
      if (!Object.hasOwn(refused, id)) {
        return handler(request);
      }
      const content = refused[id] ?? "";
      return new framework.ToolMessage({ content, tool_call_id: id, name, status: "error" });
    },
  });
}

function isStructured(tool: object): tool is StructuredTool {
  return "name" in tool && typeof tool.name === "string" && "schema" in tool;
}

function definition({ name, description, schema }: StructuredTool): Named {
  return { name, description, inputSchema: schema };
}

function logOf(message: unknown): Log | undefined {
  return framework.AIMessage.isInstance(message) ? (message.response_metadata?.toolmend as Log | undefined) : undefined;
}

/** The log of the reply before the last, since the user last spoke. */
function logBefore(messages: readonly unknown[]): Log | undefined {
  for (const message of messages.slice(0, -1).reverse()) {
    const log = logOf(message);
    if (log !== undefined || (message as { readonly type?: string }).type === "human") {
      return log;
    }
  }
  return undefined;
}

interface Sent {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** The calls of a reply, those that LangChain could not read too; as raw text where the message has it. */
function callsOf(message: AIMessage): Sent[] {
  const raw = rawOf(message);
  return [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].flatMap(({ id, name, args }) =>
    id === undefined || name === undefined ? [] : [{ id, name, args: raw.get(id) ?? args }],
  );
}

function rawOf({ additional_kwargs }: AIMessage): ReadonlyMap<string, string> {
  const calls = additional_kwargs?.tool_calls;
  const raw = new Map<string, string>();
  for (const call of Array.isArray(calls) ? calls : []) {
    if (typeof call?.id === "string" && typeof call.function?.arguments === "string") {
      raw.set(call.id, call.function.arguments);
    }
  }
  return raw;
}

function finishOf({ response_metadata = {} }: AIMessage): Finish | undefined {
  return ["finish_reason", "stop_reason", "finishReason"]
    .map((name) => response_metadata[name])
    .find((reason): reason is Finish => typeof reason === "string" && Object.hasOwn(FINISHES, reason));
}

/** The message with canonical arguments. A refused call stays as it is, for the model to see what it sent. */
function decided(message: AIMessage, decisions: ReadonlyMap<string, Decision>, attempts: AttemptsState): AIMessage {
  const refused: Record<string, string> = {};
  const mended = (call: ToolCall): ToolCall => {
    const { id = "" } = call;
    const decision = decisions.get(id);
    if (decision?.action !== "run") {
      if (decision !== undefined) {
        refused[id] = decision.message ?? "";
      }
      return call;
    }
    return { ...call, args: decision.value as ToolCall["args"] };
  };
  const isOurs = ({ id }: { readonly id?: string | undefined }) => id !== undefined && decisions.has(id);
  const invalid = message.invalid_tool_calls ?? [];
  const unread = invalid.filter(isOurs).map(({ id, name = "" }) => mended({ type: "tool_call", id, name, args: {} }));
  const { tool_calls = [], content, id, name, usage_metadata, additional_kwargs, response_metadata } = message;
  return new framework.AIMessage({
    content,
    id,
    ...(name === undefined ? {} : { name }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    additional_kwargs: withText(additional_kwargs, decisions),
    tool_calls: [...tool_calls.map(mended), ...unread],
    invalid_tool_calls: invalid.filter((call) => !isOurs(call)),
    response_metadata: { ...response_metadata, toolmend: { attempts, refused } satisfies Log },
  });
}

/** The raw text beside the calls says the same as they do. */
function withText(kwargs: Kwargs, decisions: ReadonlyMap<string, Decision>): Kwargs {
  const calls = kwargs?.tool_calls;
  if (!Array.isArray(calls)) {
    return kwargs;
  }
  const mended = calls.map((call) => {
    const json = decisions.get(call?.id)?.outcome.json;
    return json === undefined ? call : { ...call, function: { ...call.function, arguments: json } };
  });
  return { ...kwargs, tool_calls: mended };
}
