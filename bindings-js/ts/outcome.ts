/** The answer to one call. Only its status crossed from the module: everything else is fetched when it is asked for. */

import { type Answer, type Call, type Kept, type Source, STATUS_BITS, UNSAFE_INTEGERS } from "./engine.js";
import { jsonInteger, mayNeedExactness, parseExactly } from "./json.js";
import { STATUSES, type Status } from "./lists.js";
import { feedbackOptions } from "./options.js";
import type { FeedbackOptions, Issue, Log, PatchOperation, Repair } from "./types.js";

interface Report {
  readonly repairs: readonly Repair[];
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
}

const NOTHING: Report = Object.freeze({
  repairs: Object.freeze([]),
  issues: Object.freeze([]),
  warnings: Object.freeze([]),
});

/** What `Outcome` (types.ts) is at run time. */
export class CallOutcome {
  readonly ok: boolean;
  readonly status: Status;
  readonly #source: Source;
  readonly #call: Call;
  readonly #hasUnsafeIntegers: boolean;
  /** Where the module keeps the answer, if there is more to it than "valid as it came". */
  #kept: Kept | undefined;
  #value: { readonly it: unknown } | undefined;
  #wire: string | undefined;
  #report: Report | undefined;

  /** `given` is the caller's own data, where that came instead of text. */
  constructor(source: Source, call: Call, { bits, kept }: Answer, given?: unknown) {
    this.status = STATUSES[bits & STATUS_BITS] ?? "refused";
    this.ok = this.status !== "refused";
    this.#source = source;
    this.#call = call;
    this.#kept = kept;
    this.#hasUnsafeIntegers = (bits & UNSAFE_INTEGERS) !== 0;
    if (kept === undefined) {
      this.#report = NOTHING;
    }
    if (this.status === "unchanged" && given !== undefined) {
      this.#value = { it: given };
    }
  }

  get value(): unknown {
    if (!this.ok) {
      return undefined;
    }
    this.#value ??= { it: this.#parse(this.status === "unchanged" ? this.#call.text : (this.json ?? "")) };
    return this.#value.it;
  }

  get json(): string | undefined {
    return this.ok ? this.#read((glue) => glue.json()) : undefined;
  }

  get repairs(): readonly Repair[] {
    return this.#told().repairs;
  }

  get issues(): readonly Issue[] {
    return this.#told().issues;
  }

  get warnings(): readonly Issue[] {
    return this.#told().warnings;
  }

  get wire(): string {
    this.#wire ??= this.#read((glue) => glue.wire());
    return this.#wire;
  }

  feedback(options: FeedbackOptions = {}): string {
    const { format, maxBytes } = feedbackOptions(options);
    return this.ok ? "" : this.#read((glue) => glue.feedback(format, maxBytes));
  }

  patch(): readonly PatchOperation[] {
    if (this.#report === NOTHING) {
      return [];
    }
    return parse(
      this.#read((glue) => glue.patch()),
      BigInt,
    ) as PatchOperation[];
  }

  log(): Log {
    if (this.#report === NOTHING) {
      return this.#source.plainLog();
    }
    return JSON.parse(this.#read((glue) => glue.log())) as Log;
  }

  get digest(): string | undefined {
    return this.ok ? this.#read((glue) => glue.digest()) : undefined;
  }

  /** What follows from this refusal (agent/core.ts), in the words of the module. */
  decide(state: string, tool: string, sent: string, turn: string | undefined): string {
    return this.#read((glue) => glue.decide(state, tool, sent, turn));
  }

  toJSON(): unknown {
    return parse(this.wire, jsonInteger);
  }

  /** What `console.log` shows in Node: not the value, which no contract redacts. */
  [Symbol.for("nodejs.util.inspect.custom")](): unknown {
    return { status: this.status, ...this.#told() };
  }

  #parse(text: string): unknown {
    return this.#hasUnsafeIntegers ? parseExactly(text, BigInt) : JSON.parse(text);
  }

  #told(): Report {
    if (this.#report === undefined) {
      const { repairs, issues, warnings } = parse(this.wire, BigInt) as Report;
      this.#report = { repairs, issues, warnings };
    }
    return this.#report;
  }

  #read(what: Parameters<Source["read"]>[3]): string {
    return this.#source.read(
      this.#call,
      this.#kept,
      (kept) => {
        this.#kept = kept;
      },
      what,
    );
  }
}

function parse(text: string, unsafe: (digits: string) => unknown): unknown {
  return mayNeedExactness(text) ? parseExactly(text, unsafe) : JSON.parse(text);
}
