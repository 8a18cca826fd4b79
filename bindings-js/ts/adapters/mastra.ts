/**
 * Mastra: every call of the tools of an agent goes through the boundary.
 *
 * A call that is refused does not run: the model gets the feedback as the tool's result, in the shape of Mastra's own
 * `ValidationError`.
 *
 * @module
 */

import { type MendOptions, Runs, toolboxOf } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** What a tool has (`Tool` of `@mastra/core`). */
interface MastraTool {
  readonly id: string;
  readonly description: string;
  readonly inputSchema?: Standard | undefined;
  execute?(input: unknown, context?: Context): Promise<unknown>;
}

interface Standard {
  readonly "~standard": {
    readonly jsonSchema: { input(options: { target: string }): unknown; output(options: { target: string }): unknown };
  };
}

interface Context {
  readonly requestContext?: object;
  readonly agent?: { readonly toolCallId?: string; readonly resumeData?: unknown };
}

/** What the model is told of a call that did not run. */
export interface Refusal {
  readonly error: true;
  /** The feedback. */
  readonly message: string;
  readonly validationErrors: { readonly errors: readonly []; readonly fields: Record<string, never> };
  /** `stop` where there is no retry. */
  readonly action: "retry" | "stop";
}

/**
 * The tools of an agent, by name, with the boundary before each. The tools are not changed: what is given are copies.
 *
 * Throws `SchemaError` if the schema of a tool cannot be compiled.
 */
export function mend<Tools extends Readonly<Record<string, object>>>(tools: Tools, options: MendOptions = {}): Tools {
  const ours = Object.entries(tools).filter((entry): entry is [string, MastraTool] => isTool(entry[1]));
  const schemas = new Map(ours.map(([name, tool]) => [name, jsonSchemaOf(tool)]));
  const definitions = () =>
    ours.map(([name, { description }]) => ({ name, description, inputSchema: schemas.get(name) }));
  const toolbox = toolboxOf(definitions, options, "doubles");
  const runs = new Runs(toolbox, options);
  const mended = ours
    .filter(([name]) => toolbox.contract(name) !== undefined)
    .map(([name, tool]) => [name, mendedTool(name, tool, schemas.get(name), runs)]);
  return { ...tools, ...Object.fromEntries(mended) };
}

/** A condition for `stopWhen`: whether a call of the last step was refused for good. */
export function stopped({ steps }: { readonly steps: readonly unknown[] }): boolean {
  const results = (steps.at(-1) as { readonly toolResults?: readonly unknown[] } | undefined)?.toolResults ?? [];
  return results.some((result) => {
    const { output } = result as { readonly output?: { readonly value?: Partial<Refusal> } };
    return output?.value?.error === true && output.value.action === "stop";
  });
}

function isTool(tool: object): tool is MastraTool {
  return (
    "execute" in tool && typeof tool.execute === "function" && "inputSchema" in tool && isStandard(tool.inputSchema)
  );
}

function isStandard(schema: unknown): schema is Standard {
  return typeof schema === "object" && schema !== null && "~standard" in schema;
}

function jsonSchemaOf({ inputSchema }: MastraTool): unknown {
  return inputSchema?.["~standard"].jsonSchema.input({ target: "draft-07" });
}

function mendedTool(name: string, tool: MastraTool, schema: unknown, runs: Runs): MastraTool {
  const told = () => structuredClone(schema);
  const mended: MastraTool = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
  return Object.assign(mended, {
    // Mastra mends what its own schema refuses (text that may be JSON, `null`): here it takes everything as it came, and the
    // tool itself validates what it is given.
    inputSchema: {
      "~standard": {
        version: 1,
        vendor: "toolmend",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: told, output: told },
      },
    },
    async execute(input: unknown, context: Context = {}) {
      if (context.agent?.resumeData != null) {
        return tool.execute?.(input, context);
      }
      const attempts = context.requestContext === undefined ? runs.begin() : runs.of(context.requestContext);
      const decision = await attempts.decideAsync(name, input, { id: context.agent?.toolCallId });
      if (decision.action === "run") {
        return tool.execute?.(decision.value, context);
      }
      const { action, message = "" } = decision;
      return { error: true, message, validationErrors: { errors: [], fields: {} }, action } satisfies Refusal;
    },
  });
}
