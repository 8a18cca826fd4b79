/** The calls in a message of a model, in the shapes of the services that give it. */

import { FINISHES } from "../lists.js";
import type { Finish } from "../types.js";

/** One call as it stands in a message. */
export interface Sent {
  readonly name: string;
  readonly arguments: unknown;
  readonly id?: string | number | undefined;
  /** Where the call itself says that it was cut. */
  readonly finish?: Finish | undefined;
}

type Data = { readonly [key: string]: unknown };

/**
 * The calls in `message`, and how it says that it ended. Throws `TypeError` for what is no message of a model, or more than
 * one.
 */
export function callsIn(message: unknown): { readonly calls: readonly Sent[]; readonly finish: Finish | undefined } {
  const { inner, finish } = reply(message);
  return { calls: calls(inner), finish };
}

function get(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  for (const name of names) {
    const found = (value as Data)[name];
    if (found !== undefined && found !== null) {
      return found;
    }
  }
  return undefined;
}

interface Reply {
  readonly inner: unknown;
  readonly finish: Finish | undefined;
}

/** Opens what stands around a message: a completion, a response, a candidate. */
function reply(message: unknown): Reply {
  for (const name of ["choices", "candidates"]) {
    const several = get(message, name);
    if (Array.isArray(several)) {
      if (several.length > 1) {
        throw new TypeError(`${several.length} \`${name}\` are as many replies: give one of them`);
      }
      return several.length === 1 ? reply(several[0]) : { inner: [], finish: undefined };
    }
  }
  const output = get(message, "output");
  if (Array.isArray(output)) {
    const reason = get(get(message, "incomplete_details"), "reason");
    return { inner: output, finish: finishOf(reason) ?? finishOf(get(message, "status")) };
  }
  const inner = get(message, "message");
  if (typeof inner === "object") {
    return { inner, finish: finishOf(get(message, "finish_reason")) };
  }
  const reason = get(message, "finishReason", "finish_reason");
  const content = get(message, "content");
  if (get(content, "parts") !== undefined) {
    return { inner: content, finish: finishOf(reason) };
  }
  if (reason !== undefined && content === undefined && get(message, "role") === undefined) {
    return { inner: [], finish: finishOf(reason) };
  }
  return { inner: message, finish: finishOf(get(message, "stop_reason")) };
}

const BLOCKED = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"];

/** The reason by a name that `repair` knows; what nobody knows says nothing. */
function finishOf(reason: unknown): Finish | undefined {
  if (typeof reason !== "string") {
    return undefined;
  }
  if (BLOCKED.includes(reason)) {
    return "content_filter";
  }
  return Object.hasOwn(FINISHES, reason) ? (reason as Finish) : undefined;
}

function calls(message: unknown): readonly Sent[] {
  const type = get(message, "type");
  if (type === "function_call" || type === "tool_use" || get(message, "function") !== undefined) {
    return item(message);
  }
  const lists = [message, get(message, "tool_calls"), get(message, "content")];
  const items = lists.find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  if (items !== undefined) {
    return items.flatMap(item);
  }
  const parts = get(message, "parts");
  if (Array.isArray(parts)) {
    return parts.flatMap(part);
  }
  const call = get(message, "function_call");
  const role = get(message, "role");
  if (call !== undefined && role !== undefined) {
    return [sent(get(call, "name"), get(call, "arguments"))];
  }
  return role === "assistant" || role === "model" ? [] : [request(message)];
}

function sent(name: unknown, args: unknown, id?: unknown, finish?: Finish): Sent {
  if (typeof name !== "string") {
    throw new TypeError("a call in the message has no name");
  }
  const known = typeof id === "string" || typeof id === "number";
  return { name, arguments: args, ...(known ? { id } : {}), ...(finish === undefined ? {} : { finish }) };
}

/** A request of the Model Context Protocol, or its parameters. */
function request(message: unknown): Sent {
  const params = get(message, "params");
  const method = get(message, "method");
  if (params !== undefined && method === "tools/call") {
    return sent(get(params, "name"), get(params, "arguments"), get(message, "id"));
  }
  if (method === undefined && typeof get(message, "name") === "string") {
    return sent(get(message, "name"), get(message, "arguments"));
  }
  throw new TypeError("this is no message of a model: there is no call in it that is known");
}

/** One item of a list: of a response, of the content of a message, or of its calls. */
function item(it: unknown): readonly Sent[] {
  const type = get(it, "type");
  if (type === "function_call") {
    const cut = get(it, "status") === "incomplete" ? "incomplete" : undefined;
    return [sent(get(it, "name"), get(it, "arguments"), get(it, "call_id", "id"), cut)];
  }
  if (type === "tool_use") {
    return [sent(get(it, "name"), get(it, "input"), get(it, "id"))];
  }
  const called = get(it, "function");
  if (called !== undefined) {
    return [sent(get(called, "name"), get(called, "arguments"), get(it, "id"))];
  }
  if (typeof type !== "string") {
    throw new TypeError("this is no message of a model: an item of the list has no type that is known");
  }
  return [];
}

function part(it: unknown): readonly Sent[] {
  const call = get(it, "functionCall", "function_call");
  return call === undefined ? [] : [sent(get(call, "name"), get(call, "args"), get(call, "id"))];
}
