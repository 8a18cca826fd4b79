/**
 * OpenAI Agents SDK: every function call of an agent goes through the boundary.
 *
 * A call that is refused does not run: the model gets the feedback as the tool's output.
 *
 * @module
 */

import type { Toolbox } from "toolmend";
import { type MendOptions, Runs, toolboxOf } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** What a function tool has (`FunctionTool` of `@openai/agents`). */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  invoke(context: Context, input: string, details?: Details): Promise<unknown>;
  needsApproval(context: Context, input: unknown, callId?: string): Promise<boolean>;
}

interface Context {
  /** One object in all contexts of a run. */
  readonly usage: { readonly requests: number };
}

interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined;
}

/**
 * The tools of an agent with the boundary before each function tool; any other tool (hosted, computer, shell) as it is. The
 * tools are not changed: what is given are copies.
 *
 * Throws `SchemaError` if the schema of a tool cannot be compiled.
 */
export function mend<Tools extends readonly { readonly type: string }[]>(tools: Tools, options: MendOptions = {}): Tools {
  const functions = tools.filter(isFunction);
  const definitions = () =>
    functions.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
  const toolbox = toolboxOf(definitions, options);
  const runs = new Runs(toolbox, options);
  const mended = tools.map((tool) =>
    isFunction(tool) && toolbox.contract(tool.name) !== undefined ? mendedTool(tool, toolbox, runs) : tool,
  );
  return mended as readonly unknown[] as Tools;
}

function isFunction(tool: { readonly type: string }): tool is FunctionTool {
  return tool.type === "function" && "invoke" in tool;
}

function mendedTool(tool: FunctionTool, toolbox: Toolbox, runs: Runs): FunctionTool {
  return {
    ...tool,
    async invoke(context, input, details) {
      const { requests } = context.usage;
      const decision = await runs.of(context.usage).decideAsync(tool.name, input, {
        id: details?.toolCall?.callId,
        // The calls of one reply come while the account of usage stands still.
        turn: requests > 0 ? String(requests) : undefined,
      });
      if (decision.action !== "run") {
        return decision.message;
      }
      const isReported = toolbox.mode === "report";
      return tool.invoke(context, isReported ? input : (decision.outcome.json ?? input), details);
    },
    // What is approved is what runs. A call that will be refused needs nobody's approval.
    async needsApproval(context, input, callId) {
      const outcome = toolbox.contract(tool.name)?.repair(input);
      if (outcome === undefined || toolbox.mode === "report") {
        return tool.needsApproval(context, input, callId);
      }
      return outcome.ok ? tool.needsApproval(context, JSON.parse(outcome.json), callId) : false;
    },
  };
}
