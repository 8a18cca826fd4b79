/** Checks what the caller passes to `repair`, `hints` and `feedback`: a mistake is a `TypeError` that says what is right. */

import { wellFormed } from "./host.js";
import { FEEDBACK_FORMATS, type FeedbackFormat, FINISHES } from "./lists.js";
import type { FeedbackOptions, Finish, HintsOptions, HostRefusal, RepairOptions } from "./types.js";

/** What the module can count to. */
const MAX_COUNT = 0x7fffffff;
/** How long a text for the model is if nothing else is said. */
const USUAL_BYTES = 1024;

/** Reads the options of `repair`: whether the reply was cut. */
export function wasCut(options: RepairOptions): boolean {
  known(options, ["finish"]);
  return FINISHES[choice(options.finish ?? "complete", Object.keys(FINISHES) as Finish[], "finish")];
}

/** Reads the options of `feedback`. */
export function feedbackOptions(options: FeedbackOptions): { format: FeedbackFormat; maxBytes: number } {
  known(options, ["format", "maxBytes"]);
  const format = choice(options.format ?? "text", FEEDBACK_FORMATS, "feedback format");
  return { format, maxBytes: maxBytes(options) };
}

/** Reads the options of `hints`: how long they may be. */
export function hintsOptions(options: HintsOptions): number {
  known(options, ["maxBytes"]);
  return maxBytes(options);
}

const HOST_CODES = ["precondition_failed", "unknown_tool", "unsupported_value"] as const;

/** Reads the issues of `refuse`, as JSON text. */
export function refusalText(given: HostRefusal | readonly HostRefusal[]): string {
  const issues: readonly HostRefusal[] = Array.isArray(given) ? given : [given];
  if (issues.length === 0) {
    throw new TypeError("a refusal needs an issue");
  }
  const read = issues.map((issue) => {
    known(issue, ["code", "path", "hint", "reason"]);
    const code = choice(issue.code ?? HOST_CODES[0], HOST_CODES, "code of a host");
    const { hint } = issue;
    const path = issue.path ?? "";
    const reason = issue.reason ?? undefined;
    for (const [name, text] of Object.entries({ path, hint, reason: reason ?? "" })) {
      if (typeof text !== "string") {
        throw new TypeError(`\`${name}\` of an issue must be a string`);
      }
    }
    if (!/^(?:\/(?:[^~/]|~[01])*)*$/.test(path)) {
      throw new TypeError("`path` of an issue must be a JSON Pointer (RFC 6901)");
    }
    return {
      code,
      path: wellFormed(path),
      hint: wellFormed(hint),
      ...(reason === undefined ? {} : { reason: wellFormed(reason) }),
    };
  });
  return JSON.stringify(read);
}

function maxBytes({ maxBytes = USUAL_BYTES }: { readonly maxBytes?: number | undefined }): number {
  if (!Number.isInteger(maxBytes) || maxBytes < 0) {
    throw new TypeError("`maxBytes` must be a whole number, 0 or more");
  }
  return Math.min(maxBytes, MAX_COUNT);
}

function known(options: object, keys: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("the options must be an object");
  }
  for (const key of Object.keys(options)) {
    if (!keys.includes(key)) {
      throw new TypeError(`unknown option \`${key}\`: there are ${list(keys)}`);
    }
  }
}

function choice<T extends string>(value: T, values: readonly T[], what: string): T {
  if (!values.includes(value)) {
    throw new TypeError(`unknown ${what} \`${String(value)}\`: expected one of ${list(values)}`);
  }
  return value;
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}
