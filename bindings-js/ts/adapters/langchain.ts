/**
 * LangChain: every tool call of an agent goes through the boundary.
 *
 * The calls are repaired as soon as the model has answered, from their raw text where LangChain still has it, so that
 * approvals see canonical arguments. A call that is refused does not run: the model gets the feedback as the tool's message.
 *
 * @module
 */

import { framework } from "toolmend:framework/langchain";
import type { AgentMiddleware, AIMessage, InvalidToolCall, Kwargs, MessageFields, Metadata, ToolCall } from "langchain";
import type { AttemptsState, Decision, Finish, HostRefusal } from "toolmend";
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
  /** The texts of the calls, until they are answered. */
  readonly texts?: readonly RawCall[];
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
  const toolbox = toolboxOf(() => tools.filter(isStructured).map(definition), options, "doubles").guarding(lossless);
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
      const calls = callsOf(message, messages.length);
      const decisions = new Map<Sent, Decision>();
      for (const call of calls) {
        if (toolbox.contract(call.name) !== undefined) {
          const about = { id: call.id, finish: finishOf(message), turn: message.id };
          decisions.set(call, await attempts.decideAsync(call.name, call.args, about));
        }
      }
      return decisions.size === 0 || toolbox.mode === "report"
        ? undefined
        : { messages: [decided(message, calls, decisions, attempts.toJSON())] };
    },
    async wrapModelCall(request, handler) {
      return withTexts(await handler(request));
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

/** What LangChain would lose on the way to the tool is refused. */
function lossless(value: unknown): HostRefusal | undefined {
  const path = protoIn(value);
  const hint = "a key of this name does not come to the tool";
  return path === undefined ? undefined : { code: "unsupported_value", path, hint };
}

/** Where there is a key `__proto__`, as a JSON Pointer: LangChain copies objects by assignment. */
function protoIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  for (const [key, inner] of Object.entries(value)) {
    const rest = key === "__proto__" ? "" : protoIn(inner);
    if (rest !== undefined) {
      return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}${rest}`;
    }
  }
  return undefined;
}

function isStructured(tool: object): tool is StructuredTool {
  return "name" in tool && typeof tool.name === "string" && "schema" in tool;
}

function definition({ name, description, schema }: StructuredTool): Named {
  return { name, description, inputSchema: schema };
}

function logOf(message: unknown): Log | undefined {
  const log = framework.AIMessage.isInstance(message) ? message.response_metadata?.toolmend : undefined;
  return log !== undefined && (log as Partial<Log>).attempts !== undefined ? (log as Log) : undefined;
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

/** A call of a reply: known by this object, since ids may be missing, or the same. */
interface Sent {
  /** One that no other call of the reply has: its own, or a new one. */
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly call: ToolCall | InvalidToolCall;
  /** What stands beside the calls about this one, in `additional_kwargs`. */
  readonly beside: RawCall | undefined;
}

interface RawCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

/** The calls of a reply, those that LangChain could not read too; as raw text where the message has it. */
function callsOf(message: AIMessage, at: number): Sent[] {
  const { tool_calls = [], invalid_tool_calls = [] } = message;
  const calls = [...tool_calls, ...invalid_tool_calls];
  const left = rawOf(message);
  // An invalid call has its text itself: what is left belongs to the others.
  const beside = new Map([...invalid_tool_calls, ...tool_calls].map((call) => [call, takeRaw(left, call)]));
  const ids = new Set<string>();
  return calls.flatMap((call, index) => {
    const { id = "", name, args } = call;
    const found = beside.get(call);
    const own = id !== "" && !ids.has(id) ? id : newId(at, index, calls);
    ids.add(own);
    return name === undefined ? [] : [{ id: own, name, args: found?.function?.arguments ?? args, call, beside: found }];
  });
}

/** Nine letters and digits, which is an id for every service. */
function newId(at: number, index: number, calls: readonly { readonly id?: string | undefined }[]): string {
  const id = `tm${at.toString(36).padStart(4, "0")}${index.toString(36).padStart(3, "0")}`;
  return calls.some((call) => call.id === id) ? newId(at + 1, index, calls) : id;
}

/** The texts of the calls. */
function rawOf({ additional_kwargs, response_metadata }: AIMessage): RawCall[] {
  const calls = additional_kwargs?.tool_calls;
  if (Array.isArray(calls)) {
    return calls.filter((call) => typeof call?.function?.arguments === "string");
  }
  return [...((response_metadata?.toolmend as Partial<Log> | undefined)?.texts ?? [])];
}

/** A reply that was read as a stream, with the texts of its calls: LangChain drops them, and completes those that were cut. */
function withTexts(message: unknown): unknown {
  if (!framework.AIMessage.isInstance(message) || Array.isArray(message.additional_kwargs?.tool_calls)) {
    return message;
  }
  // No text at all is how services begin a call without arguments.
  const pieces = (message.tool_call_chunks ?? []).filter(({ args = "" }) => args.trim() !== "");
  const texts = pieces.map(({ id, name, args = "" }) => ({ id, function: { name, arguments: args } }));
  return texts.length === 0 ? message : again(message, { toolmend: { texts } });
}

/** Takes what stands beside the calls about this one: both are in the same order. */
function takeRaw(left: RawCall[], { id, name, args }: ToolCall | InvalidToolCall): RawCall | undefined {
  const alike = left.filter((raw) => (raw.id ?? "") === (id ?? "") && (raw.function?.name ?? name) === name);
  const found = alike.find((raw) => says(raw, args) === "same") ?? alike.find((raw) => says(raw, args) === "guessed");
  if (found !== undefined) {
    left.splice(left.indexOf(found), 1);
  }
  return found;
}

/** Whether `args` were read from this text: `guessed` where it is no JSON; another middleware may have changed them since. */
function says({ function: called }: RawCall, args: unknown): "same" | "guessed" | "other" {
  const text = called?.arguments;
  if (typeof text !== "string" || typeof args === "string") {
    return text === args ? "same" : "other";
  }
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(args) ? "same" : "other";
  } catch {
    return "guessed";
  }
}

function finishOf({ response_metadata = {} }: AIMessage): Finish | undefined {
  return ["finish_reason", "stop_reason", "finishReason"]
    .map((name) => response_metadata[name])
    .find((reason): reason is Finish => typeof reason === "string" && Object.hasOwn(FINISHES, reason));
}

/** The message with canonical arguments. A refused call stays as it is, for the model to see what it sent. */
function decided(
  message: AIMessage,
  calls: readonly Sent[],
  decisions: ReadonlyMap<Sent, Decision>,
  attempts: AttemptsState,
): AIMessage {
  const refused: Record<string, string> = {};
  const mended = (sent: Sent): ToolCall => {
    const { id, name, call } = sent;
    const decision = decisions.get(sent);
    const read: ToolCall = typeof call.args === "object" ? (call as ToolCall) : { type: "tool_call", name, args: {} };
    if (decision !== undefined && decision.action !== "run") {
      refused[id] = decision.message ?? "";
      return { ...read, id };
    }
    return { ...read, id, args: decision === undefined ? read.args : (decision.value as ToolCall["args"]) };
  };
  const invalid: readonly object[] = message.invalid_tool_calls ?? [];
  const isOurs = (sent: Sent) => decisions.has(sent);
  const tool_calls = calls.filter((sent) => isOurs(sent) || !invalid.includes(sent.call)).map(mended);
  const rest = (message.invalid_tool_calls ?? []).filter((call) => !calls.some((it) => isOurs(it) && it.call === call));
  const { content, additional_kwargs } = message;
  const changed = {
    content: withIds(content, calls),
    additional_kwargs: withText(additional_kwargs, calls, decisions),
    tool_calls,
    invalid_tool_calls: rest,
  };
  return again(message, { toolmend: { attempts, refused } satisfies Log }, changed);
}

/** The message as a new one. */
function again(message: AIMessage, metadata: Metadata, changed: Partial<MessageFields> = {}): AIMessage {
  const { content, id, name, usage_metadata, additional_kwargs, response_metadata } = message;
  const { tool_calls = [], invalid_tool_calls = [] } = message;
  return new framework.AIMessage({
    content,
    id,
    ...(name === undefined ? {} : { name }),
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    additional_kwargs,
    tool_calls,
    invalid_tool_calls,
    ...changed,
    response_metadata: { ...response_metadata, ...metadata },
  });
}

/** The raw text beside the calls says the same as they do. */
function withText(kwargs: Kwargs, calls: readonly Sent[], decisions: ReadonlyMap<Sent, Decision>): Kwargs {
  if (!Array.isArray(kwargs?.tool_calls)) {
    return kwargs;
  }
  const mended = kwargs.tool_calls.map((raw: RawCall) => {
    const sent = calls.find(({ beside }) => beside === raw);
    const json = sent && decisions.get(sent)?.outcome.json;
    const own = sent === undefined ? raw : { ...raw, id: sent.id };
    return json === undefined ? own : { ...own, function: { ...own.function, arguments: json } };
  });
  return { ...kwargs, tool_calls: mended };
}

/** The blocks of the content about calls with the ids that these have now. */
function withIds(content: unknown, calls: readonly Sent[]): unknown {
  if (!Array.isArray(content) || calls.every(({ id, call }) => id === call.id)) {
    return content;
  }
  const left = [...calls];
  return content.map((block) => {
    const at = left.findIndex(({ name, call }) => name === block?.name && (call.id ?? "") === (block.id ?? ""));
    const [sent] = at < 0 ? [] : left.splice(at, 1);
    return sent === undefined ? block : { ...block, id: sent.id };
  });
}
