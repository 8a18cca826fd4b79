/** The shapes of the public face. */

import type { Code, FeedbackFormat, FINISHES, PolicyName, RuleName, Status } from "./lists.js";

/** JSON as data. An integer beyond `Number.MAX_SAFE_INTEGER` is a `bigint`. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** One change that was made. Applied in order to the input, the repairs of an outcome give its value. */
export interface Repair {
  /** What was done. */
  readonly rule: RuleName;
  /** JSON Pointer into the input. */
  readonly path: string;
  /** The value before; for `rename_key`, the key; nothing where a member was added. */
  readonly before?: Json;
  /** The value after; for `rename_key`, the key; nothing where a member was left out. */
  readonly after?: Json;
  /** Whether something was lost. Only a rule that was asked for by name loses anything. */
  readonly lossy?: true;
}

/** One reason for a refusal, or one warning. */
export interface Issue {
  /** The stable code. */
  readonly code: Code;
  /** JSON Pointer into what was sent. */
  readonly path: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword?: string;
  /** JSON Pointer into the schema, to that keyword. */
  readonly schema?: string;
  /** What the schema wants there, in its own terms. */
  readonly expected?: Json;
  /** What came: its JSON type and, for a scalar, the value as JSON text, cut where it is long. */
  readonly received?: { readonly type: string; readonly preview?: string };
  /** One line that a model can act on. */
  readonly hint: string;
  /** Keys, members or readings that may have been meant. Suggestions only: none is applied. */
  readonly candidates?: readonly Json[];
  /** The host's own code, where the issue is the host's. */
  readonly reason?: string;
  /** The place in the raw text: byte offset from 0, line and column from 1. */
  readonly span?: { readonly offset: number; readonly line: number; readonly column: number };
}

/** Why a host refuses a call. */
export interface HostRefusal {
  /** `precondition_failed` if nothing is said. */
  readonly code?: "precondition_failed" | "unknown_tool" | "unsupported_value" | undefined;
  /** JSON Pointer (RFC 6901) into the arguments; `""`, the whole, if nothing is said. */
  readonly path?: string | undefined;
  /** One line that a model can act on. It is told as it is: it must hold nothing secret. */
  readonly hint: string;
  /** The host's own code. */
  readonly reason?: string | undefined;
}

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move"; readonly from: string; readonly path: string };

/** How a refusal is told to the model. */
export interface FeedbackOptions {
  /** Plain lines (the default) or compact JSON. */
  readonly format?: FeedbackFormat | undefined;
  /** Longest feedback in bytes; 1024 by default. */
  readonly maxBytes?: number | undefined;
}

/** How hints are given. */
export interface HintsOptions {
  /** Longest text in bytes; 1024 by default. */
  readonly maxBytes?: number | undefined;
}

/** What may stand in a log: nothing of what was sent. In a path `*` stands for every key that the schema does not declare. */
export interface Log {
  /** The contract's fingerprint; `null` for a tool that there is none of. */
  readonly schema: string | null;
  /** The tool's own name, where it is known. */
  readonly tool: string | null;
  readonly policy: PolicyName | null;
  readonly status: Status;
  readonly repairs: readonly { readonly rule: RuleName; readonly path: string }[];
  readonly issues: readonly { readonly code: Code; readonly path: string }[];
  readonly warnings: readonly { readonly code: Code; readonly path: string }[];
}

interface Told {
  /** What is valid but looks wrong. */
  readonly warnings: readonly Issue[];
  /** The wire shape as JSON text: every digit kept, the same bytes in every language. */
  readonly wire: string;
  /** The refusal in words for the model; `""` when the call was not refused. */
  feedback(options?: FeedbackOptions): string;
  /** The repairs as a JSON Patch (RFC 6902): applied to the parsed input it gives the value. */
  patch(): readonly PatchOperation[];
  /** What may stand in a log, as plain data: what was done and why, and nothing of what was sent. */
  log(): Log;
  /**
   * The wire shape as data, for `JSON.stringify`. An unsafe integer is written with all its digits where the runtime
   * has `JSON.rawJSON`, and as a string otherwise; `wire` is exact everywhere.
   */
  toJSON(): unknown;
}

/** A call that may run, with canonical arguments. */
export interface Accepted<T = unknown> extends Told {
  readonly ok: true;
  readonly status: "unchanged" | "repaired";
  /** The canonical arguments; when unchanged and given as data, the caller's own object. */
  readonly value: T;
  /**
   * The canonical arguments as JSON text, every digit kept. This, `digest` and the wire shape are made of the caller's own
   * object when one of them is first asked for: `TypeError` if that would not be valid as it came any more.
   */
  readonly json: string;
  /**
   * What the call is known by, so that what was approved is what runs: SHA-256 in 64 hexadecimal digits over
   * `{"arguments", "name"}` in the canonical form of RFC 8785, with a third member `numbers` where no double holds a
   * number exactly: its digits by JSON Pointer.
   */
  readonly digest: string;
  /** Every repair, in the order in which they apply. */
  readonly repairs: readonly Repair[];
  readonly issues: readonly [];
}

/** A call that must not run. Nothing was changed. */
export interface Refused extends Told {
  readonly ok: false;
  readonly status: "refused";
  readonly value: undefined;
  readonly json: undefined;
  readonly digest: undefined;
  readonly repairs: readonly [];
  /** Why, in document order. */
  readonly issues: readonly Issue[];
}

/** The answer to one call. */
export type Outcome<T = unknown> = Accepted<T> | Refused;

/** Where the work on one call ends. Every limit that is passed gives a typed issue. */
export interface Limits {
  /** Longest argument text in bytes (`size_limit`). */
  readonly bytes: number;
  /** Deepest nesting of arrays and objects (`depth_limit`); at most 256. */
  readonly depth: number;
  /** Values that the repair may look at for one call (`work_limit`). */
  readonly work: number;
  /** Most issues that are reported; at least 1. */
  readonly issues: number;
  /** Most readings that an `ambiguous` issue lists. */
  readonly readings: number;
}

/**
 * What `compile` takes: a JSON Schema, a tool definition (OpenAI, Anthropic, Gemini, MCP), either of them as JSON
 * text, which keeps every digit, or as an object.
 */
export type Schema = string | boolean | object;

/** A schema made with zod or any other library of the Standard JSON Schema interface. */
export interface SchemaMaker<Input> {
  readonly "~standard": {
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

/** Single rules, switched on or off whatever the policy has. */
export type Rules = { readonly [rule in RuleName]?: boolean | undefined };

/** What holds for one place of the arguments only. */
export interface Override {
  /** Single rules, switched on or off here. */
  readonly rules?: Rules | undefined;
  /** Whether text that is wrapped here is always one item, whatever separators it holds. */
  readonly single_item?: boolean | undefined;
  /** What the host calls a value: the text, and what it stands for. Applied before validation. */
  readonly aliases?: { readonly [text: string]: Json } | undefined;
  /** What any other text stands for that the schema does not allow here. */
  readonly other?: Json | undefined;
  /** In the object here: another name of a key, and the declared key. Recorded as `rename_key`. */
  readonly keys?: { readonly [alias: string]: string } | undefined;
}

/** What of the input is kept out of everything that is told about a call; the value itself is never touched. */
export interface Redact {
  /** No value that came is echoed. */
  readonly values?: boolean | undefined;
  /** No key that the schema does not declare is echoed. */
  readonly keys?: boolean | undefined;
  /** Properties whose values are not echoed, as patterns like those of `overrides`. */
  readonly properties?: readonly string[] | undefined;
}

/** What `compile` is told beside the schema: plain data, with names that are the same in every language. */
export interface CompileOptions {
  /** How far a repair may go; `narrow` by default. */
  readonly policy?: PolicyName | undefined;
  /** Single rules, switched on or off whatever the policy has. */
  readonly rules?: Rules | undefined;
  /**
   * What holds for single places: a JSON Pointer into the arguments, with declared names, and `*` for any index or any
   * key of a map.
   */
  readonly overrides?: { readonly [pattern: string]: Override } | undefined;
  /**
   * What becomes of keys that an object with declared properties does not speak of: `warn` (the default) takes them,
   * with a warning; `refuse` reads the object as closed.
   */
  readonly undeclared?: "warn" | "refuse" | undefined;
  /** The tool's own name, if the schema does not come with it. */
  readonly name?: string | undefined;
  /** Whether a string without its `format` is refused; by default it is a warning. */
  readonly formats?: "warn" | "assert" | undefined;
  /** Documents that a `$ref` may reach, by URI, in every form of a schema. Nothing is ever fetched. */
  readonly schemas?: { readonly [uri: string]: Schema } | undefined;
  /** Other limits than the default ones. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * What of the input is kept out of issues, repairs and feedback, and of what `console.log` shows of an outcome. Properties that the schema marks
   * (`x-sensitive: true`, `writeOnly: true`, `format: password`) always are.
   */
  readonly redact?: Redact | undefined;
  /**
   * What becomes of an integer beyond `Number.MAX_SAFE_INTEGER`: a `bigint` (the default), or a refusal, which then
   * also meets every fraction with more digits than a double holds.
   */
  readonly numbers?: "bigint" | "refuse" | undefined;
}

/**
 * How the model's reply ended: in our own words (`complete` and `length`), or as its service says. After `length` or
 * `max_tokens` the reply was cut.
 */
export type Finish = keyof typeof FINISHES;

/** What `repair` is told beside the arguments. */
export interface RepairOptions {
  /** How the reply ended: a call that was cut is refused whatever it looks like. */
  readonly finish?: Finish | undefined;
}
