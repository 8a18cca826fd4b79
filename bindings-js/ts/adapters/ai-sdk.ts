/**
 * Vercel AI SDK: every call of the tools of an agent goes through the boundary.
 *
 * A call that is refused does not run: the model gets the feedback as the tool's error.
 *
 * @module
 */

import { framework } from "toolmend:framework/ai";
import type { Decision, Toolbox } from "toolmend";
import { type Message, type Step, Steps } from "./ai-sdk-runs.js";
import { type MendOptions, Runs, toolboxOf } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** A call as the model sent it (`LanguageModelV3ToolCall` and its like). */
interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

interface Execution {
  readonly toolCallId: string;
  readonly messages: readonly Message[];
}

interface FunctionTool {
  readonly type?: string;
  readonly description?: unknown;
  readonly inputSchema: unknown;
  readonly execute?: (input: unknown, options: Execution) => unknown;
}

/** Repairs a call that does not fit as it came, or throws what the model is told. */
export type RepairToolCall = <Call extends ToolCall>(options: {
  readonly toolCall: Call;
  readonly messages: readonly Message[];
}) => Promise<Call | null>;

/** What `generateText`, `streamText` and `ToolLoopAgent` take: spread it there. */
export interface Mended<Tools> {
  readonly tools: Tools;
  readonly repairToolCall: RepairToolCall;
  /** The same, by the name that version 6 knows. */
  readonly experimental_repairToolCall: RepairToolCall;
}

/**
 * The tools with the boundary before each, and the hook that goes with them: `generateText({ model, ...mend(tools), prompt })`.
 * Tools of a provider are left as they are. Nothing of the tools is changed: what is given are copies.
 *
 * Throws `SchemaError` if the schema of a tool cannot be compiled, and `TypeError` for one that is a promise.
 */
export function mend<Tools extends Readonly<Record<string, object>>>(
  tools: Tools,
  options: MendOptions = {},
): Mended<Tools> {
  const ours = Object.entries(tools).filter((entry): entry is [string, FunctionTool] => isFunction(entry[1]));
  const schemas = new Map(ours.map(([name, { inputSchema }]) => [name, framework.asSchema(inputSchema)]));
  const definitions = () =>
    ours.map(([name, { description }]) => ({
      name,
      description: typeof description === "string" ? description : "",
      inputSchema: known(name, schemas.get(name)?.jsonSchema),
    }));
  const toolbox = toolboxOf(definitions, options, "bigint");
  const boundary = new Boundary(toolbox, new Runs(toolbox, options));
  const mended = ours
    .filter(([name]) => toolbox.contract(name) !== undefined)
    .map(([name, tool]) => [name, boundary.tool(name, tool, schemas.get(name))]);
  const repairToolCall: RepairToolCall = (call) => boundary.repair(call);
  return {
    tools: { ...tools, ...Object.fromEntries(mended) },
    repairToolCall,
    experimental_repairToolCall: repairToolCall,
  };
}

/** A condition for `stopWhen`: whether a call of the last step was refused for good. */
export function stopped({ steps }: { readonly steps: readonly { readonly content: readonly unknown[] }[] }): boolean {
  const parts = (steps.at(-1)?.content ?? []) as readonly { readonly type?: string; readonly error?: unknown }[];
  return parts.some(({ type, error }) => (type === "tool-call" || type === "tool-error") && isFinal(error));
}

function isFinal(error: unknown): boolean {
  return error instanceof RefusedCallError
    ? error.decision.action === "stop"
    : error instanceof Error && error.cause !== undefined && isFinal(error.cause);
}

/** A call that did not run. Its message is what the model is told. */
export class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
  /** What was decided. */
  readonly decision: Decision;

  constructor(decision: Decision) {
    super(decision.message ?? "the call was refused");
    this.decision = decision;
  }
}

function isFunction(tool: object): tool is FunctionTool {
  return "inputSchema" in tool && !("type" in tool && (tool.type === "provider" || tool.type === "provider-defined"));
}

function known(name: string, schema: unknown): unknown {
  if (typeof schema === "object" && schema !== null && "then" in schema) {
    throw new TypeError(`the schema of tool \`${name}\` is a promise: give one that is there`);
  }
  return schema;
}

/** Whether JSON text lost digits when it was read as `value`. */
function isInexact(value: unknown): boolean {
  if (typeof value === "number") {
    return Number.isInteger(value) && !Number.isSafeInteger(value);
  }
  return typeof value === "object" && value !== null && Object.values(value).some(isInexact);
}

type Parsed = { readonly success: boolean; readonly value?: unknown; readonly error?: unknown };

/** A call that the hook has accepted, for the validation that follows. */
interface Accepted {
  readonly name: string;
  readonly json: string;
  readonly value: unknown;
}

/** What the SDK's `input` stands for, where that is an object. */
interface Input {
  /** What was validated: the exact arguments, before the tool's own transforms. */
  readonly given: unknown;
  /** Whether the hook has decided already. */
  readonly isDecided: boolean;
}

/**
 * The SDK parses the text of a call and validates that. What is valid as it came is taken there; for anything else the
 * validation fails, so that the hook is asked, which has the text itself.
 */
class Boundary {
  readonly #toolbox: Toolbox;
  readonly #runs: Runs;
  readonly #steps = new Steps();
  /** The call whose text the SDK is reading now: it goes on to the validation without a pause. */
  #reading: Accepted | undefined;
  readonly #inputs = new WeakMap<object, Input>();

  constructor(toolbox: Toolbox, runs: Runs) {
    this.#toolbox = toolbox;
    this.#runs = runs;
  }

  /** What the SDK is given in place of a tool. */
  tool(name: string, tool: FunctionTool, schema: ReturnType<typeof framework.asSchema> | undefined): FunctionTool {
    const own = schema?.validate;
    const validate = async (value: unknown): Promise<Parsed> => {
      const accepted = this.#read(name, value);
      if (accepted === undefined && !this.#isPlain(name, value)) {
        return { success: false, error: new Error(`these arguments of \`${name}\` do not fit as they came`) };
      }
      const given = accepted === undefined ? value : accepted.value;
      // Transforms and defaults are the tool's own business. The SDK's messages hold JSON, which has no room for a `bigint`.
      const parsed = own === undefined ? { success: true, value } : ((await own(given)) as Parsed);
      if (!parsed.success) {
        return parsed;
      }
      const isDecided = accepted !== undefined;
      if (isPlainData(parsed.value)) {
        return { ...parsed, value: this.#noted(parsed.value, { given, isDecided }) };
      }
      return own === undefined || isDecided || (await this.#isLicensed(name, given))
        ? parsed
        : { success: false, error: new Error(`these arguments of \`${name}\` are refused`) };
    };
    const inputSchema = framework.jsonSchema(schema?.jsonSchema, { validate });
    const { execute } = tool;
    if (execute === undefined) {
      return { ...tool, inputSchema };
    }
    const run = async (input: unknown, options: Execution) => {
      const { toolCallId: id, messages } = options;
      const step = this.#steps.of(messages);
      this.#steps.tell(step, { id, name, input });
      const known = isPlainData(input) ? this.#inputs.get(input) : undefined;
      // What a tool's own validation has made of the arguments was asked about there.
      const isOver = known?.isDecided ?? (own !== undefined && !isPlainData(input));
      const given = known === undefined ? input : known.given;
      if (!isOver) {
        const isRounded = known === undefined && isInexact(input) && this.#toolbox.mode !== "report";
        const decision = isRounded ? this.#rounded(name, id) : await this.#decide(name, given, id, step);
        if (decision.action !== "run") {
          throw new RefusedCallError(decision);
        }
      }
      return execute.call(tool, own === undefined && isInexact(input) ? given : input, options);
    };
    const mended = { ...tool, inputSchema, execute: run };
    return isGenerator(execute) ? { ...mended, execute: streamed(run) } : mended;
  }

  async repair<Call extends ToolCall>(options: {
    readonly toolCall: Call;
    readonly messages: readonly Message[];
  }): Promise<Call | null> {
    const { toolCall, messages } = options;
    const { toolCallId: id, toolName: name, input } = toolCall;
    const step = this.#steps.of(messages);
    const decision = await this.#decide(name, input, id, step);
    if (decision.action !== "run") {
      this.#steps.tell(step, { id, name, refused: input });
      throw new RefusedCallError(decision);
    }
    if (this.#toolbox.mode === "report" || !decision.outcome.ok) {
      return null;
    }
    const { json } = decision.outcome;
    const accepted = { name, json, value: decision.value };
    return Object.defineProperty({ ...toolCall }, "input", { enumerable: true, get: () => this.#readAs(accepted) });
  }

  /** The canonical text. What is validated in the same breath is this call, and no other. */
  #readAs(accepted: Accepted): string {
    this.#reading = accepted;
    queueMicrotask(() => {
      this.#reading = undefined;
    });
    return accepted.json;
  }

  #read(name: string, value: unknown): Accepted | undefined {
    const reading = this.#reading;
    this.#reading = undefined;
    const isSame = reading?.name === name && JSON.stringify(JSON.parse(reading.json)) === JSON.stringify(value);
    return isSame ? reading : undefined;
  }

  #isPlain(name: string, value: unknown): boolean {
    const status = this.#toolbox.contract(name)?.repair(value).status;
    return this.#toolbox.mode === "report" || (status === "unchanged" && !isInexact(value));
  }

  /** `value` as the object that stands for these arguments alone: a validator may give one object for any number of calls. */
  #noted(value: object, input: Input): object {
    const own = !this.#inputs.has(value) ? value : Array.isArray(value) ? [...value] : { ...value };
    this.#inputs.set(own, input);
    return own;
  }

  /** Asks the guards, where nothing will lead from the tool's input back to the arguments. */
  async #isLicensed(name: string, given: unknown): Promise<boolean> {
    return (await this.#toolbox.repairAsync(name, given)).ok || this.#toolbox.mode === "report";
  }

  #decide(name: string, args: unknown, id: string, { run, turn }: Step): Promise<Decision> {
    return this.#runs.of(run).decideAsync(name, args, { id, turn });
  }

  /** Arguments that came back from messages, which are JSON that was parsed: digits may be lost. */
  #rounded(tool: string, id: string): Decision {
    const hint = "a number has more digits than survive in the messages: send it again, as a new call";
    const outcome = this.#toolbox.refuse(tool, { code: "unsupported_value", hint });
    return { action: "retry", attempt: 1, remaining: 1, message: outcome.feedback(), tool, id, outcome };
  }
}

function isPlainData(value: unknown): value is object {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function isGenerator(execute: NonNullable<FunctionTool["execute"]>): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** A tool that gives its results bit by bit stays one. */
function streamed(run: (input: unknown, options: Execution) => Promise<unknown>) {
  return async function* (input: unknown, options: Execution) {
    yield* (await run(input, options)) as AsyncIterable<unknown>;
  };
}
