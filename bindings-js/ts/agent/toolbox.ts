/** `compileTools`: all tools of an agent, each with a verdict, a policy and guards of its own, and called by name. */

import { type Contract, compile } from "../contract.js";
import { SchemaError } from "../errors.js";
import { POLICIES } from "../lists.js";
import type { CompileOptions, Finish, HostRefusal, Outcome, RepairOptions, Schema, SchemaMaker } from "../types.js";
import { Attempts, type AttemptsState, type Decision } from "./attempts.js";
import { attemptsState, type Definition, definitions, type Effect, unknownTool } from "./core.js";
import { type Guard, guarded, guardedAsync } from "./guards.js";
import { callsIn } from "./messages.js";

/** What holds for one tool: options of `compile`, and those of a toolbox. */
export interface ToolOptions extends Omit<CompileOptions, "name"> {
  /** The schema of the tool's results, if its definition has none. */
  readonly output?: Schema | undefined;
  /** What is checked after validation and before the tool. */
  readonly guards?: Guard | readonly Guard[] | undefined;
  /** What the tool does to the world, if its definition does not say so. */
  readonly effect?: Effect | undefined;
}

/** Options of `compile` for all tools, and what holds for single ones. */
export interface ToolboxOptions extends Omit<CompileOptions, "name" | "overrides"> {
  /** What holds for single tools, by name. */
  readonly tools?: { readonly [name: string]: ToolOptions } | undefined;
  /**
   * `report`: what would have been done is told, and every call goes on as it came. Guards are asked as ever, and what one
   * throws is thrown.
   */
  readonly mode?: "enforce" | "report" | undefined;
}

/**
 * A list of tool definitions in any shape that `compile` takes; `{ tools: [...] }`; Gemini's `functionDeclarations` with
 * any number of functions; an object of definitions, schemas or schema makers by name; or the JSON text of one of these.
 */
export type ToolDefinitions =
  | string
  | readonly object[]
  | { readonly tools: readonly object[] }
  | { readonly [name: string]: Schema | SchemaMaker<unknown> | unknown };

/** One entry of the list that is no tool to call. */
export interface Fault {
  readonly name: string | undefined;
  /** Its place in the list, from 0. */
  readonly index: number;
  /** JSON Pointer into the definition; `""` where it is not the definition that is wrong, but an option. */
  readonly path: string;
  readonly message: string;
}

/** One call of a message, answered. */
export interface AnsweredCall {
  /** Its own id, where it has one. */
  readonly id: string | number | undefined;
  /** The name that the model called. */
  readonly name: string;
  readonly outcome: Outcome;
}

/** One answered call, for who observes a toolbox. */
export interface ToolboxEvent {
  /** The tool; `undefined` for a name that there is no tool of: it is the model's own word. */
  readonly tool: string | undefined;
  readonly outcome: Outcome;
  /** What followed from it, if the call was one of an `Attempts`. */
  readonly decision: Decision | undefined;
  /** `refused` if the call before it in the same row was refused. */
  readonly after: "refused" | undefined;
}

/** Who observes every toolbox. */
let everywhere: readonly ((event: ToolboxEvent) => void)[] = [];

/**
 * Calls `listener` for every answered call of every toolbox of this package, those of adapters too; what this returns ends
 * that.
 */
export function observeAll(listener: (event: ToolboxEvent) => void): () => void {
  const one = (event: ToolboxEvent) => listener(event);
  everywhere = [...everywhere, one];
  return () => {
    everywhere = everywhere.filter((each) => each !== one);
  };
}

/** Who observes one toolbox. */
interface Listeners {
  all: readonly ((event: ToolboxEvent) => void)[];
}

interface Tool {
  readonly contract: Contract;
  readonly effect: Effect | undefined;
  readonly output: Contract | undefined;
  readonly guards: readonly Guard[];
}

/**
 * Compiles all tools of an agent. One bad schema never hides the others: see `faults`.
 *
 * Calls of a tool whose definition says that it may destroy (`annotations.destructiveHint: true`) are never repaired beyond
 * `narrow`, unless `tools` gives it a policy of its own.
 *
 * Throws `SchemaError` for what is no list of tools at all, and `TypeError` for a bad option.
 */
export function compileTools(tools: ToolDefinitions, options: ToolboxOptions = {}): Toolbox {
  const { tools: each, mode = "enforce", ...given } = options;
  const common = said(given);
  const own = said(each ?? {});
  if (mode !== "enforce" && mode !== "report") {
    throw new TypeError(`unknown mode \`${String(mode)}\`: expected \`enforce\` or \`report\``);
  }
  // Bad options are the host's mistake and not a fault of some tool.
  compile(true, common).free();
  const found = definitions(tools as string | object);
  const { compiled, faults } = compiledAll(found, common, own);
  for (const name of Object.keys(own)) {
    if (!compiled.has(name) && !faults.some((fault) => fault.name === name)) {
      throw new TypeError(`\`tools\` has options for \`${name}\`, and there is no such tool`);
    }
  }
  const refusing = (isForced: boolean) => {
    const each = ([name, options]: [string, ToolOptions]) => [name, { ...options, numbers: "refuse" }];
    return isForced
      ? compiledAll(found, { ...common, numbers: "refuse" }, Object.fromEntries(Object.entries(own).map(each)))
      : compiledAll(found, { ...common, numbers: common.numbers ?? "refuse" }, own);
  };
  return new Toolbox(compiled, faults, mode, (isForced) => refusing(isForced).compiled);
}

function compiledAll(
  found: readonly Definition[],
  common: CompileOptions,
  own: { readonly [name: string]: ToolOptions },
): { readonly compiled: Map<string, Tool>; readonly faults: Fault[] } {
  const compiled = new Map<string, Tool>();
  const faults: Fault[] = [];
  for (const definition of found) {
    const { name = "", index, message } = definition;
    if (message !== undefined) {
      faults.push({ name: definition.name, index, path: "", message });
      continue;
    }
    try {
      compiled.set(name, compiledTool(name, definition, common, Object.hasOwn(own, name) ? own[name] : undefined));
    } catch (error) {
      if (!(error instanceof SchemaError)) {
        throw error;
      }
      faults.push({ name, index, path: error.path, message: error.reason });
    }
  }
  return { compiled, faults };
}

const EFFECTS = ["read", "write", "destructive"];

/** The options without those that are `undefined` or `null`: such an option says nothing. */
function said<T extends object>(options: T): T {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as T;
}

function compiledTool(name: string, found: Definition, common: CompileOptions, own: ToolOptions = {}): Tool {
  const { output, guards = [], effect = found.effect ?? undefined, ...options } = said(own);
  if (effect !== undefined && !EFFECTS.includes(effect)) {
    throw new TypeError(`unknown effect \`${String(effect)}\`: expected \`${EFFECTS.join("`, `")}\``);
  }
  const limits = effect === "destructive" ? narrowed(common) : common;
  return {
    contract: compile(found.definition, { ...limits, ...options, name }),
    effect,
    output: compiledOutput(name, found, output),
    guards: typeof guards === "function" ? [guards] : [...guards],
  };
}

/** The contract of a tool's results: of the option, or of the definition. What is wrong with it is told by its place there. */
function compiledOutput(name: string, found: Definition, own: Schema | undefined): Contract | undefined {
  const output = own ?? found.output;
  if (output === undefined) {
    return undefined;
  }
  try {
    return compile(output, { policy: "strict", name });
  } catch (error) {
    if (!(error instanceof SchemaError)) {
      throw error;
    }
    const { path, reason } = error;
    throw own === undefined
      ? new SchemaError(`${outputPlace(found)}${path}`, reason)
      : new SchemaError("", `the option \`output\`${path === "" ? "" : ` at ${path}`}: ${reason}`);
  }
}

/** Where the schema of the results stands in a definition, as a JSON Pointer. */
function outputPlace({ definition }: Definition): string {
  const told = JSON.parse(definition) as { readonly [key: string]: unknown };
  const inner = ["function", "toolSpec"].find((key) => Object.hasOwn(told, key));
  const places = [
    ["", told],
    [`/${inner}`, inner === undefined ? undefined : told[inner]],
  ] as const;
  for (const key of ["outputSchema", "output_schema"]) {
    const at = places.find(([, around]) => isObject(around) && Object.hasOwn(around, key));
    if (at !== undefined && isObject((at[1] as { readonly [key: string]: unknown })[key])) {
      return `${at[0]}/${key}`;
    }
  }
  return "";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is said of all tools, so that it widens no repair of a tool that may destroy. */
function narrowed({ policy = "narrow", rules = {}, ...common }: CompileOptions): CompileOptions {
  const isWider = POLICIES.indexOf(policy) > POLICIES.indexOf("narrow");
  const off = Object.fromEntries(Object.entries(rules).filter(([, on]) => on === false));
  return { ...common, policy: isWider ? "narrow" : policy, rules: off };
}

/** What every module and every host can count to. */
const MOST_ATTEMPTS = 2 ** 32 - 1;

function checkBudget(budget: unknown): void {
  if (!Number.isInteger(budget) || (budget as number) < 1 || (budget as number) > MOST_ATTEMPTS) {
    throw new TypeError(`\`budget\` must be a whole number from 1 to ${MOST_ATTEMPTS}`);
  }
}

/** Many compiled tools; made by `compileTools`. */
export class Toolbox {
  /** What of the list is no tool to call, and why. */
  readonly faults: readonly Fault[];
  /** Whether the answers are to be followed, or only told. */
  readonly mode: "enforce" | "report";
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #refusing: (isForced: boolean) => ReadonlyMap<string, Tool>;
  readonly #listeners: Listeners;
  /** What is asked about the calls of every tool, after its own guards. */
  readonly #guards: readonly Guard[];
  /** What `refusing` has given, by `isForced`. */
  readonly #others = new Map<boolean, Toolbox>();

  /** @internal */
  constructor(
    tools: ReadonlyMap<string, Tool>,
    faults: readonly Fault[],
    mode: "enforce" | "report",
    refusing: (isForced: boolean) => ReadonlyMap<string, Tool>,
    listeners: Listeners = { all: [] },
    guards: readonly Guard[] = [],
  ) {
    this.#tools = tools;
    this.faults = faults;
    this.mode = mode;
    this.#refusing = refusing;
    this.#listeners = listeners;
    this.#guards = guards;
  }

  /**
   * The same tools for a host that has no room for a `bigint`: `numbers` is `refuse` where nothing else was asked for, or,
   * if that is `isForced`, in any case. It is observed with this one.
   *
   * @internal
   */
  refusing(isForced: boolean): Toolbox {
    const known = this.#others.get(isForced);
    if (known !== undefined) {
      return known;
    }
    const tools = this.#refusing(isForced);
    const made = new Toolbox(tools, this.faults, this.mode, this.#refusing, this.#listeners, this.#guards);
    this.#others.set(isForced, made);
    return made;
  }

  /**
   * The same tools, with more that is asked about the calls of each. It is observed with this one.
   *
   * @internal
   */
  guarding(...guards: readonly Guard[]): Toolbox {
    const all = [...this.#guards, ...guards];
    return new Toolbox(this.#tools, this.faults, this.mode, this.#refusing, this.#listeners, all);
  }

  /**
   * Refuses a call that must not even be looked at, and tells of it as of any other.
   *
   * @internal
   */
  refuse(name: string, refusal: HostRefusal): Outcome {
    const outcome = this.#tools.get(name)?.contract.refuse(refusal) ?? unknownTool(name, this.names);
    this.#tell(name, outcome, undefined);
    return outcome;
  }

  /** The names of the tools that can be called, in the order of the list. */
  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** The contract of a tool; `undefined` where there is no such tool. */
  contract(name: string): Contract | undefined {
    return this.#tools.get(name)?.contract;
  }

  /** What a tool does to the world, if its definition or an option says so. */
  effect(name: string): Effect | undefined {
    return this.#tools.get(name)?.effect;
  }

  /**
   * Repairs the arguments of a call, as `contract.repair` does, and asks the tool's guards. A name that there is no tool of,
   * or a tool that did not compile, is refused with `unknown_tool`. Throws `TypeError` if a guard is asynchronous.
   */
  repair(name: string, args?: unknown, options: RepairOptions = {}): Outcome {
    const outcome = this.#answer(name, args, options.finish);
    this.#tell(name, outcome, undefined);
    return outcome;
  }

  /** Does the same, and awaits asynchronous guards. */
  async repairAsync(name: string, args?: unknown, options: RepairOptions = {}): Promise<Outcome> {
    const outcome = await this.#answerAsync(name, args, options.finish);
    this.#tell(name, outcome, undefined);
    return outcome;
  }

  /**
   * Repairs every call in a message of a model, in their order: a message or a whole reply of OpenAI (chat and responses),
   * Anthropic or Gemini, or a request of the Model Context Protocol. Where it says why it ended, that counts beside
   * `finish`: what either of them calls cut is refused.
   *
   * Throws `TypeError` for what is no message of a model, or more than one; for a piece of a stream; and for calls that
   * stand where no shape that is known has them.
   */
  repairMessage(message: unknown, options: RepairOptions = {}): AnsweredCall[] {
    return callsIn(message, options.finish).map(({ id, name, arguments: args, finish }) => ({
      id,
      name,
      outcome: this.repair(name, args, { finish }),
    }));
  }

  /** Validates a result of a tool against the schema of its output; `undefined` where there is none. */
  check(name: string, result: unknown): Outcome | undefined {
    return this.#tools.get(name)?.output?.check(result);
  }

  /**
   * Begins the log of one run of an agent, or goes on with one that `attempts.toJSON()` gave. `budget` is how many calls of a
   * tool in a row may be refused until there is no retry: 3 if nothing is said, from 1 to 4294967295; a log that is gone on
   * with has its own. Throws `TypeError` for another budget, and for a state that is no log.
   */
  attempts(
    options: { readonly budget?: number | undefined; readonly state?: AttemptsState | undefined } = {},
  ): Attempts {
    const { budget = 3, state } = said(options);
    checkBudget(budget);
    const text = state === undefined ? undefined : JSON.stringify(state);
    if (text !== undefined) {
      const kept = JSON.parse(text) as { readonly budget?: unknown } | null;
      checkBudget(kept?.budget);
    }
    const answers = {
      isReport: this.mode === "report",
      answer: this.#answer.bind(this),
      answerAsync: this.#answerAsync.bind(this),
      tell: this.#tell.bind(this),
    };
    return new Attempts(answers, attemptsState(budget, text));
  }

  /**
   * Calls `listener` for every answered call from now on; what this returns ends that. A listener is called where the call
   * was made, and what it throws is thrown there.
   */
  observe(listener: (event: ToolboxEvent) => void): () => void {
    // Two observers may be one function.
    const one = (event: ToolboxEvent) => listener(event);
    this.#listeners.all = [...this.#listeners.all, one];
    return () => {
      this.#listeners.all = this.#listeners.all.filter((each) => each !== one);
    };
  }

  #answer(name: string, args: unknown, finish: Finish | undefined): Outcome {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      return unknownTool(name, this.names);
    }
    const outcome = tool.contract.repair(args, { finish });
    const guards = [...tool.guards, ...this.#guards];
    return outcome.ok && guards.length > 0 ? guarded(tool.contract, name, guards, outcome) : outcome;
  }

  async #answerAsync(name: string, args: unknown, finish: Finish | undefined): Promise<Outcome> {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      return unknownTool(name, this.names);
    }
    const outcome = tool.contract.repair(args, { finish });
    const guards = [...tool.guards, ...this.#guards];
    return outcome.ok && guards.length > 0 ? guardedAsync(tool.contract, name, guards, outcome) : outcome;
  }

  #tell(name: string, outcome: Outcome, decision: Decision | undefined): void {
    const listeners = [...this.#listeners.all, ...everywhere];
    if (listeners.length === 0) {
      return;
    }
    const after = decision !== undefined && decision.attempt > 1 ? "refused" : undefined;
    const event = { tool: this.#tools.has(name) ? name : undefined, outcome, decision, after } as const;
    for (const listener of listeners) {
      listener(event);
    }
  }
}
