/** The calls in a message of a model, in the shapes of the services that give it. */

import { FINISHES } from "../lists.js";
import type { Finish } from "../types.js";

/** One call as it stands in a message. */
export interface Sent {
  readonly name: string;
  readonly arguments: unknown;
  readonly id?: string | number | undefined;
  /** How the reply ended, by all that was said of it: what anything around the call says was cut is cut. */
  readonly finish: Finish | undefined;
}

type Data = { readonly [key: string]: unknown };
type Said = readonly Finish[];

/**
 * The calls in `message`. `given` is how it ended as the host knows it, and counts beside what the message itself says.
 * Throws `TypeError` for what is no message of a model, or more than one.
 */
export function callsIn(message: unknown, given: Finish | null | undefined): readonly Sent[] {
  return read(message, typeof given === "undefined" || given === null ? [] : [given], 0);
}

function isData(value: unknown): value is Data {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first part of that name that is there. */
function get(value: unknown, ...names: readonly string[]): unknown {
  return isData(value) ? names.map((name) => value[name] ?? undefined).find((found) => found !== undefined) : undefined;
}

function no(why: string): never {
  throw new TypeError(`this is no message of a model: ${why}`);
}

/** Nothing that a service sends is nested as deep. */
const DEEPEST = 8;

/** Reads a message, or what stands around one: a completion, a response, a candidate. */
function read(message: unknown, above: Said, depth: number): readonly Sent[] {
  if (Array.isArray(message) && depth === 0) {
    return items(message, above, depth);
  }
  if (!isData(message) || depth > DEEPEST) {
    no("there is no call in it that is known");
  }
  whole(message);
  const type = get(message, "type");
  if (SHAPES.some(([known]) => known === type) || get(message, "function") !== undefined) {
    return item(message, above, true);
  }
  const said = [...above, ...ends(message)];
  const places = [...around(message, said, depth), ...within(message, said, depth)];
  const filled = places.filter((calls) => calls.length > 0);
  if (filled.length > 1) {
    throw new TypeError("the message has calls in two places: they may be the same, or not");
  }
  const role = get(message, "role");
  const [calls = []] = filled;
  if (calls.length === 0 && role !== undefined && get(message, ...ARGUMENTS) !== undefined) {
    no("there are arguments in it, and no call that is known");
  }
  if (places.length > 0 || role === "assistant" || role === "model") {
    return calls;
  }
  return role === undefined && type === undefined ? alone(message, said) : no("there is no call in it that is known");
}

/** Throws for a piece of a stream, and for calls that a library was given and could not read. */
function whole(message: Data): void {
  const isPiece = get(message, "object") === "chat.completion.chunk" || get(message, "type") === "message_start";
  if (isPiece || get(message, "delta") !== undefined || filledList(message, "tool_call_chunks")) {
    no("it is a piece of a stream");
  }
  if (filledList(message, "invalid_tool_calls")) {
    no("there are calls in it that could not be read");
  }
}

function filledList(message: Data, name: string): boolean {
  return lists(message, name).some((list) => list.length > 0);
}

/** What stands under these names: lists, if anything. */
function lists(message: Data, ...names: readonly string[]): (readonly unknown[])[] {
  return names.flatMap((name) => {
    const list = get(message, name);
    if (list === undefined) {
      return [];
    }
    return Array.isArray(list) ? [list] : no(`its \`${name}\` are no list`);
  });
}

/** The calls of every reply that `message` stands around. */
function around(message: Data, said: Said, depth: number): (readonly Sent[])[] {
  const replies: (readonly Sent[])[] = lists(message, "choices", "candidates").map((several) => {
    if (several.length > 1) {
      throw new TypeError(`there are ${several.length} replies in the message: give one of them`);
    }
    return several.length === 1 ? read(several[0], said, depth + 1) : [];
  });
  const output = get(message, "output");
  if (Array.isArray(output)) {
    replies.push(items(output, said, depth));
  }
  const inner = get(message, "message");
  return inner === undefined ? replies : [...replies, read(inner, said, depth + 1)];
}

/** The calls in every place of a message that has some. */
function within(message: Data, said: Said, depth: number): (readonly Sent[])[] {
  const places: (readonly Sent[])[] = [
    ...lists(message, "tool_calls", "toolCalls").map((list) => list.flatMap((each) => item(each, said, true))),
    ...lists(message, "parts").map((list) => list.flatMap((each) => part(each, said))),
  ];
  for (const name of ["function_call", "functionCall"]) {
    const call = get(message, name);
    if (call !== undefined) {
      const key = get(call, "args") === undefined ? "arguments" : "args";
      places.push([sent({ call, key, beside: message, id: get(call, "id"), said })]);
    }
  }
  const content = get(message, "content");
  if (Array.isArray(content)) {
    places.push(items(content, said, depth));
  } else if (get(content, "parts") !== undefined) {
    places.push(read(content, said, depth + 1));
  } else if (isData(content)) {
    places.push(block(content, message, said));
  }
  return places;
}

/** A content that is no list: one block, or what Gemini gives where there is nothing. */
function block(content: Data, message: Data, said: Said): readonly Sent[] {
  if (typeof get(content, "type") === "string") {
    return item(content, said, false);
  }
  const isEnd = get(content, "role") === "model" || get(message, ...REASONS) !== undefined;
  return isEnd && keys(content).every((key) => key === "role") ? [] : no("its content is of no shape that is known");
}

function keys(value: Data): readonly string[] {
  return Object.keys(value).filter((key) => get(value, key) !== undefined);
}

/** A request of the Model Context Protocol, its parameters, one call; or a reply that says why there is nothing in it. */
function alone(message: Data, said: Said): readonly Sent[] {
  const params = get(message, "params");
  if (params !== undefined && get(message, "method") === "tools/call") {
    return [sent({ call: params, key: "arguments", beside: message, id: get(message, "id"), said })];
  }
  if (get(message, "method") === undefined && get(message, "name") !== undefined) {
    return [flat(message, said) ?? sent({ call: message, key: "arguments", id: get(message, "id"), said })];
  }
  const isEmpty = get(message, "content", "output") === undefined && get(message, ...REASONS) !== undefined;
  return isEmpty ? [] : no("there is no call in it that is known");
}

const REASONS = ["finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason"];

/** Ends by other names than those of `FINISHES`. */
const ENDS: readonly (readonly [Finish, ...string[]])[] = [
  ["content_filter", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"],
  ["max_tokens", "maxTokens", "model_length"],
  ["incomplete", "in_progress", "queued", "failed", "cancelled"],
];

/** What something says of its end, by names that `repair` knows; what nobody knows says nothing. */
function ends(it: Data): Said {
  const metadata = get(it, "response_metadata");
  const reasons = [it, metadata].flatMap((each) => REASONS.map((name) => get(each, name)));
  if (reasons.some((reason) => reason !== undefined && typeof reason !== "string")) {
    no("the reason why it ended is no text");
  }
  const details = get(it, "incomplete_details");
  const cut = details === undefined ? [] : [get(details, "reason"), "incomplete"];
  return [...reasons, ...cut, get(it, "status"), get(metadata, "status")].flatMap((reason) => {
    if (typeof reason !== "string") {
      return [];
    }
    return Object.hasOwn(FINISHES, reason)
      ? [reason as Finish]
      : ENDS.filter(([, ...others]) => others.includes(reason)).map(([finish]) => finish);
  });
}

/** All that was said of the end as one: a cut, if anything says so. What `repair` does not know is for it to tell. */
function end(said: Said): Finish | undefined {
  const isKnown = (finish: unknown) => typeof finish === "string" && Object.hasOwn(FINISHES, finish);
  return said.find((finish) => !isKnown(finish)) ?? said.find((finish) => FINISHES[finish]) ?? said[0];
}

/** The types of calls, and where each has its arguments. */
const SHAPES = [
  ["function_call", "arguments"],
  ["tool_use", "input"],
  ["tool_call", "args"],
] as const;

/** Calls that are not the host's to run, or have free text. */
const OTHERS = [
  "custom_tool_call",
  "mcp_approval_request",
  "mcp_call",
  "mcp_tool_use",
  "server_tool_call",
  "server_tool_use",
  "tool_search_call",
];

/** The items of a response, or of the content of a message. */
function items(list: readonly unknown[], said: Said, depth: number): readonly Sent[] {
  return list.flatMap((each) => {
    if (get(each, "type") === "message" && read(each, said, depth + 1).length > 0) {
      no("there is a message with calls in a list: give it alone");
    }
    return item(each, said, false);
  });
}

/** One item of a list: of calls alone, or of a response or the content of a message, where there are others. */
function item(it: unknown, above: Said, isCall: boolean): readonly Sent[] {
  if (!isData(it)) {
    no("an item of a list is of no type that is known");
  }
  const said = [...above, ...ends(it)];
  const type = get(it, "type");
  const shape = SHAPES.find(([known]) => known === type);
  if (shape !== undefined) {
    return [sent({ call: it, key: shape[1], id: get(it, "call_id", "id"), said, isNeeded: true })];
  }
  const called = get(it, "function");
  if (called !== undefined) {
    return [sent({ call: called, key: "arguments", beside: it, id: get(it, "id"), said })];
  }
  const call = type === undefined || type === "function" ? flat(it, said) : undefined;
  if (call !== undefined) {
    return [call];
  }
  const isOther = isCall
    ? type === "custom" && get(it, "custom") !== undefined
    : typeof type === "string" && (OTHERS.includes(type) || get(it, ...ARGUMENTS) === undefined);
  return isOther ? [] : no("an item of a list is of no type that is known");
}

/** A name with its arguments beside it. */
function flat(it: Data, said: Said): Sent | undefined {
  const key = ["arguments", "args", "input"].find((each) => get(it, each) !== undefined);
  return key === undefined ? undefined : sent({ call: it, key, id: get(it, "id"), said });
}

function part(it: unknown, above: Said): readonly Sent[] {
  const call = get(it, "functionCall", "function_call");
  if (isData(it) && call !== undefined) {
    return [sent({ call, key: "args", beside: it, id: get(call, "id"), said: [...above, ...ends(it)] })];
  }
  const isOther = isData(it) && get(it, "function", ...ARGUMENTS) === undefined;
  return isOther ? [] : no("a part of it is of no shape that is known");
}

/** The names that arguments have anywhere. */
const ARGUMENTS = [
  "arguments",
  "args",
  "input",
  "parameters",
  "kwargs",
  "tool_input",
  "toolInput",
  "partial_args",
  "partialArgs",
];

/** What stands beside the name of a call that has no arguments. */
const BESIDE = ["name", "id", "index", "_meta", "meta", "task"];

interface Found {
  /** What has the name. */
  readonly call: unknown;
  /** What its arguments are called there. */
  readonly key: string;
  /** What stands around it. */
  readonly beside?: Data;
  readonly id: unknown;
  readonly said: Said;
  /** Whether the shape has no call without arguments. */
  readonly isNeeded?: boolean;
}

function sent({ call, key, beside, id, said, isNeeded = false }: Found): Sent {
  const name = get(call, "name");
  if (!isData(call) || typeof name !== "string") {
    throw new TypeError("a call in the message has no name");
  }
  const args = get(call, key);
  const others = ARGUMENTS.filter((other) => other !== key);
  const isLost = isNeeded ? !(key in call) : args === undefined && keys(call).some((each) => !BESIDE.includes(each));
  if (isLost || get(call, ...others) !== undefined || get(beside, ...ARGUMENTS) !== undefined) {
    throw new TypeError("a call in the message has no arguments where they belong, or others beside them");
  }
  if (get(call, "willContinue", "will_continue") === true) {
    no("it is a piece of a stream");
  }
  const known = typeof id === "string" || typeof id === "number";
  return { name, arguments: args, ...(known ? { id } : {}), finish: end(said) };
}
