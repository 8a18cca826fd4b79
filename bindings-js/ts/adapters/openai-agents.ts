/**
 * OpenAI Agents SDK: every function call of an agent goes through the boundary.
 *
 * A call that is refused does not run: the model gets the feedback as the tool's output.
 *
 * @module
 */

import type { Toolbox } from "toolmend";
import { type MendOptions, Runs, remember, toolboxOf } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** What a function tool has (`FunctionTool` of `@openai/agents`). */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  invoke(context: Context, input: string, details?: Details): Promise<unknown>;
}

interface Context {
  /** One object in all contexts of a run. */
  readonly usage: { readonly requests: number };
}

interface Call {
  readonly callId?: string;
  readonly name: string;
  readonly arguments: string;
}

interface Details {
  readonly toolCall?: { readonly callId?: string; readonly status?: string } | undefined;
}

/**
 * The tools of an agent with the boundary before each function tool; any other tool (hosted, computer, shell) as it is. The
 * tools are not changed: what is given are copies.
 *
 * The SDK parses the text of a call first, and shows that to approvals and guardrails: see {@link mendModel}.
 *
 * Throws `SchemaError` if the schema of a tool cannot be compiled.
 */
export function mend<Tools extends readonly { readonly type: string }[]>(
  tools: Tools,
  options: MendOptions = {},
): Tools {
  const functions = tools.filter(isFunction);
  const definitions = () =>
    functions.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
  const toolbox = toolboxOf(definitions, options, "digits");
  const boundary = new Boundary(toolbox, new Runs(toolbox, options));
  const mended = tools.map((tool) =>
    isFunction(tool) && toolbox.contract(tool.name) !== undefined ? boundary.tool(tool) : tool,
  );
  return mended as readonly unknown[] as Tools;
}

/** The boundary that each mended tool stands behind. */
const boundaries = new WeakMap<object, Boundary>();

/** What of a `Model` or a `ModelProvider` is used. */
type Model = {
  getResponse(request: never): Promise<{ readonly output: readonly object[] }>;
  getStreamedResponse(request: never): AsyncIterable<object>;
};
type Provider = { getModel(name?: string): object };

/**
 * A model, or a provider of models, whose calls of mended tools have canonical arguments already when the SDK reads them:
 * approvals and guardrails see what will run, and text that the SDK could not parse comes to the boundary too.
 * `tools` is what {@link mend} gave.
 */
export function mendModel<M extends Model | Provider>(model: M, tools: readonly object[]): M {
  const ours = new Map<string, Boundary>();
  for (const tool of tools) {
    const boundary = boundaries.get(tool);
    if (boundary !== undefined) {
      ours.set((tool as FunctionTool).name, boundary);
    }
  }
  return mendedModel(model, ours) as M;
}

function mendedModel(model: object, ours: ReadonlyMap<string, Boundary>): object {
  const output = (items: readonly object[]) => items.map((item) => mendedItem(item, ours));
  return new Proxy(model, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") {
        return value;
      }
      switch (key) {
        case "getModel":
          return async (name?: string) => mendedModel(await value.call(target, name), ours);
        case "getResponse":
          return async (request: unknown) => {
            const response = await value.call(target, request);
            return { ...response, output: output(response.output) };
          };
        case "getStreamedResponse":
          return async function* (request: unknown) {
            for await (const event of value.call(target, request)) {
              const { type, response } = event;
              const isDone = type === "response_done";
              yield isDone ? { ...event, response: { ...response, output: output(response.output) } } : event;
            }
          };
        default:
          return value.bind(target);
      }
    },
  });
}

function mendedItem(item: object, ours: ReadonlyMap<string, Boundary>): object {
  const call = item as Call & { readonly type?: string };
  const boundary = call.type === "function_call" ? ours.get(call.name) : undefined;
  return boundary === undefined ? item : boundary.item(call);
}

function isFunction(tool: { readonly type: string }): tool is FunctionTool {
  return tool.type === "function" && "invoke" in tool;
}

class Boundary {
  readonly #toolbox: Toolbox;
  readonly #runs: Runs;
  /**
   * What a model sent, by what the SDK was given in its place: all of that, since ids come again in other runs. The same key
   * is the same canonical text, or, where the call is refused, the same text that was sent.
   */
  readonly #sent = new Map<string, string>();

  constructor(toolbox: Toolbox, runs: Runs) {
    this.#toolbox = toolbox;
    this.#runs = runs;
  }

  tool(tool: FunctionTool): FunctionTool {
    const mended: FunctionTool = {
      ...tool,
      invoke: async (context, input, details) => {
        const { requests } = context.usage;
        const id = details?.toolCall?.callId;
        const raw = this.#sent.get(keyOf(id, tool.name, input)) ?? input;
        const decision = await this.#runs.of(context.usage).decideAsync(tool.name, raw, {
          id,
          finish: details?.toolCall?.status === "incomplete" ? "incomplete" : undefined,
          // The calls of one reply come while the account of usage stands still.
          turn: requests > 0 ? String(requests) : undefined,
        });
        if (decision.action !== "run") {
          return decision.message;
        }
        const isReported = this.#toolbox.mode === "report";
        return tool.invoke(context, isReported ? input : (decision.outcome.json ?? input), details);
      },
    };
    boundaries.set(mended, this);
    return mended;
  }

  /** The call that the SDK is to read in place of what the model sent. */
  item(call: Call): object {
    const { callId, name, arguments: raw } = call;
    const outcome = this.#toolbox.mode === "report" ? undefined : this.#toolbox.contract(name)?.repair(raw);
    if (outcome === undefined || outcome.status === "unchanged") {
      return call;
    }
    // What is no JSON would not come to the tool at all: it becomes JSON that holds it, and is refused there.
    const given = outcome.json ?? (isJson(raw) ? raw : JSON.stringify(raw));
    remember(this.#sent, keyOf(callId, name, given), raw);
    return { ...call, arguments: given };
  }
}

function keyOf(id: string | undefined, name: string, given: string): string {
  return JSON.stringify([id, name, given]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
