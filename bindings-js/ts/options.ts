/** Checks what the caller passes beside the schema and the arguments: a mistake is a `TypeError` that says what is right. */

import { FINISHES } from "./lists.js";
import { schemaText } from "./schema.js";
import type { CompileOptions, FeedbackOptions, Finish, Limits, RepairOptions } from "./types.js";

/** The options as the module takes them; what is left out has its default there. */
export interface ModuleOptions {
  readonly policy?: string | undefined;
  readonly name?: string | undefined;
  readonly assertFormats: boolean;
  readonly exactNumbers: boolean;
  readonly schemas: Record<string, string>;
  readonly limits: Partial<Limits>;
}

const MAX_COUNT = 0x7fffffff;
/** Validation recurses once a level. */
const MAX_DEPTH = 512;
const LIMITS = ["bytes", "depth", "work", "issues", "readings"] as const;

/** Reads the options of `compile`. The names of policies are the module's to check. */
export function compileOptions(options: CompileOptions = {}): ModuleOptions {
  known(options, ["policy", "name", "formats", "schemas", "limits", "numbers"], "option");
  const { policy, name, formats = "warn", schemas = {}, limits = {}, numbers = "bigint" } = options;
  known(limits, LIMITS, "limit");
  for (const limit of LIMITS) {
    if (limits[limit] !== undefined) {
      count(limits[limit], `limits.${limit}`, limit === "depth" ? MAX_DEPTH : MAX_COUNT);
    }
  }
  object(schemas, "schemas");
  return {
    policy: policy === undefined ? undefined : text(policy, "policy"),
    name: name === undefined ? undefined : text(name, "name"),
    assertFormats: choice(formats, ["warn", "assert"], "formats") === "assert",
    exactNumbers: choice(numbers, ["bigint", "refuse"], "numbers") === "refuse",
    // Without a prototype, so that `__proto__` is a URI like any other.
    schemas: Object.assign(
      Object.create(null) as Record<string, string>,
      Object.fromEntries(
        Object.entries(schemas).map(([uri, schema]) => [uri, schemaText(schema, `schemas[\`${uri}\`]`)]),
      ),
    ),
    limits: { ...limits },
  };
}

/** Reads the options of `repair`: whether the reply was cut. */
export function wasCut(options: RepairOptions): boolean {
  known(options, ["finish"], "option");
  return FINISHES[choice(options.finish ?? "complete", Object.keys(FINISHES) as Finish[], "finish")];
}

/** Reads the options of `feedback`. */
export function feedbackOptions(options: FeedbackOptions): { asJson: boolean; maxBytes: number } {
  known(options, ["format", "maxBytes"], "option");
  const { format = "text", maxBytes = 1024 } = options;
  return {
    asJson: choice(format, ["text", "json"], "format") === "json",
    maxBytes: count(maxBytes, "maxBytes"),
  };
}

function object(value: unknown, what: string): asserts value is object {
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`\`${what}\` must be an object`);
  }
}

function known(value: unknown, keys: readonly string[], what: string): void {
  object(value, `${what}s`);
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      throw new TypeError(`unknown ${what} \`${key}\`: expected one of ${list(keys)}`);
    }
  }
}

function choice<T extends string>(value: T, values: readonly T[], what: string): T {
  if (!values.includes(value)) {
    throw new TypeError(`unknown \`${what}\` \`${String(value)}\`: expected one of ${list(values)}`);
  }
  return value;
}

function text(value: unknown, what: string): string {
  if (typeof value !== "string") {
    throw new TypeError(`\`${what}\` must be a string`);
  }
  return value;
}

function count(value: unknown, what: string, most = MAX_COUNT): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most) {
    throw new TypeError(`\`${what}\` must be a whole number from 1 to ${most}`);
  }
  return value;
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}
