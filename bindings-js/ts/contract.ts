/** `compile`, and what it gives. */

import { type Call, Engine, PLAIN, SOURCE } from "./engine.js";
import { type Reading, readHost } from "./host.js";
import type { PolicyName } from "./lists.js";
import { prepare } from "./modules.js";
import { hintsOptions, refusalText, wasCut } from "./options.js";
import { CallOutcome } from "./outcome.js";
import { type PlainTest, plainTest } from "./plain.js";
import { optionsText, schemaText } from "./schema.js";
import type {
  CompileOptions,
  HintsOptions,
  HostRefusal,
  Limits,
  Outcome,
  Refused,
  RepairOptions,
  Schema,
  SchemaMaker,
} from "./types.js";

declare global {
  // Where the caller's `lib` has no `esnext.disposable`.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** A compiled tool schema. */
class CompiledContract<T> {
  readonly #engine: Engine;
  /** Made for the first object. */
  #isPlain: PlainTest | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get policy(): PolicyName {
    return this.#engine.made.policy;
  }

  get name(): string | undefined {
    return this.#engine.made.name;
  }

  get limits(): Limits {
    return { ...this.#engine.made.limits };
  }

  get fingerprint(): string {
    return this.#engine.fingerprint;
  }

  hints(options: HintsOptions = {}): string {
    return this.#engine.hints(hintsOptions(options));
  }

  repair(args?: unknown, options?: RepairOptions): Outcome<T> {
    const isCut = options !== undefined && wasCut(options);
    return this.#outcome(args, isCut) as unknown as Outcome<T>;
  }

  repairMany(calls: Iterable<unknown>, options?: RepairOptions): Outcome<T>[] {
    return Array.from(listed(calls), (args) => this.repair(args, options));
  }

  check(value: unknown): Outcome<T> {
    const call = new HostCall(value, this.#engine.made.limits, SOURCE.checked);
    return this.#answered(call, value) as unknown as Outcome<T>;
  }

  refuse(issues: HostRefusal | readonly HostRefusal[]): Refused {
    return this.#answered({ source: SOURCE.issues, text: refusalText(issues) }) as unknown as Refused;
  }

  free(): void {
    this.#engine.free();
  }

  #outcome(args: unknown, isCut: boolean): CallOutcome {
    if (isCut) {
      return this.#answered({ source: SOURCE.cut, text: typeof args === "string" ? args : "" });
    }
    if (typeof args === "string") {
      const call = { source: SOURCE.text, text: args };
      return this.#engine.isPlain(args) ? new CallOutcome(this.#engine, call, PLAIN) : this.#answered(call);
    }
    if (args === undefined) {
      return this.#answered({ source: SOURCE.missing, text: "" });
    }
    this.#isPlain ??= plainTest(this.#engine.rules(), this.#engine.made.limits);
    const call = new HostCall(args, this.#engine.made.limits);
    return this.#isPlain(args) ? new CallOutcome(this.#engine, call, PLAIN, args) : this.#answered(call, args);
  }

  #answered(call: Call, given?: unknown): CallOutcome {
    return new CallOutcome(this.#engine, call, this.#engine.answer(call, false), given);
  }
}

/** What `repairMany` is given: what is the arguments of one call is no list of them. */
function listed(calls: Iterable<unknown>): Iterable<unknown> {
  const isList = typeof calls === "object" && calls !== null && typeof calls[Symbol.iterator] === "function";
  if (!isList || calls instanceof String || ArrayBuffer.isView(calls)) {
    throw new TypeError("`calls` must be a list of arguments, and no text");
  }
  return calls;
}

/** Host data, which is read when the module is asked about it. */
class HostCall implements Call {
  readonly #args: unknown;
  readonly #limits: Limits;
  readonly #source: Call["source"];
  #reading: Reading | undefined;

  constructor(args: unknown, limits: Limits, source: Call["source"] = SOURCE.host) {
    this.#args = args;
    this.#limits = limits;
    this.#source = source;
  }

  get source(): Call["source"] {
    return "text" in this.#read() ? this.#source : SOURCE.issues;
  }

  get text(): string {
    const reading = this.#read();
    return "text" in reading ? reading.text : JSON.stringify(reading.issues);
  }

  #read(): Reading {
    this.#reading ??= readHost(this.#args, { ...this.#limits, symbols: "refuse" });
    return this.#reading;
  }
}

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(CompiledContract.prototype, Symbol.dispose, { value: CompiledContract.prototype.free });
}

/** A compiled tool schema: `compile` makes it once, `repair` is called for every call. */
export interface Contract<T = unknown> {
  /** The policy in force. */
  readonly policy: PolicyName;
  /** The tool's own name, where it is known. */
  readonly name: string | undefined;
  /** The limits in force. */
  readonly limits: Limits;
  /**
   * The first 64 bits of SHA-256 over the schema, as 16 hexadecimal digits: the same for equal schemas, whatever the
   * order of their members, and in every language.
   */
  readonly fingerprint: string;

  /**
   * What the schema wants, in a few lines for a system or tool message: the exact keys in the notation of TypeScript,
   * and which lists hold plain values. What is nested deeply is left out first.
   */
  hints(options?: HintsOptions): string;

  /**
   * Repairs the arguments of one call: the raw text of the model, or data that a client has parsed already, or
   * `undefined` where there was no argument. Nothing of the caller's is changed. Never throws because of what `args`
   * holds: whatever is wrong with it is an issue.
   */
  repair(args?: unknown, options?: RepairOptions): Outcome<T>;

  /** Repairs the arguments of many calls: a replay, say. Throws `TypeError` for what is no iterable, and for text. */
  repairMany(calls: Iterable<unknown>, options?: RepairOptions): Outcome<T>[];

  /**
   * Only validates data, whatever the policy: the results of a tool against the schema of its output, say. The outcome
   * is `unchanged` or `refused`. Text is a JSON string here.
   */
  check(value: unknown): Outcome<T>;

  /**
   * A refusal for reasons of the host's own, in the shape of all others. Throws `TypeError` for anything but a list of
   * issues with a `hint`, and for no issue at all.
   */
  refuse(issues: HostRefusal | readonly HostRefusal[]): Refused;

  /**
   * Gives back the WebAssembly memory of this contract at once; otherwise that happens when it is collected. A
   * contract that is used afterwards is compiled again.
   */
  free(): void;
  [Symbol.dispose](): void;
}

/**
 * Compiles a JSON Schema or a tool definition.
 *
 * Throws `SchemaError` for a schema that is none, has a bad `pattern`, or a `$ref` that leads nowhere or to a document
 * that was not handed in, and for options that do not go with the schema; `TypeError` for a bad option;
 * `NotReadyError` in a browser for a schema that needs the full validator, before `ready({ full: true })`, and in one
 * that refuses to compile WebAssembly at once, before `ready()`.
 */
export function compile<Input>(schema: SchemaMaker<Input>, options?: CompileOptions): Contract<Input>;
export function compile<T = unknown>(schema: Schema, options?: CompileOptions): Contract<T>;
export function compile(schema: Schema, options: CompileOptions = {}): Contract {
  const engine = new Engine(schemaText(schema), optionsText(options));
  return new CompiledContract(engine) as CompiledContract<unknown> & Contract;
}

/**
 * Loads the WebAssembly module without blocking, for pages in browsers that refuse to compile it on the main thread.
 *
 * With `full` also the module with the full validator, which few schemas need (`compile` throws `NotReadyError` for one
 * that does). In Node, in Workers and from `toolmend/full` nobody needs to wait: it is there at once. Rejects with
 * `NotReadyError` where a bundle for Node left its file behind.
 */
export async function ready({ full = false }: { readonly full?: boolean } = {}): Promise<void> {
  await prepare(full);
}
