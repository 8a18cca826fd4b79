/** Checks what the caller passes to `repair` and `feedback`: a mistake is a `TypeError` that says what is right. */

import { FINISHES } from "./lists.js";
import type { FeedbackOptions, Finish, RepairOptions } from "./types.js";

/** What the module can count to. */
const MAX_COUNT = 0x7fffffff;

/** Reads the options of `repair`: whether the reply was cut. */
export function wasCut(options: RepairOptions): boolean {
  known(options, ["finish"]);
  return FINISHES[choice(options.finish ?? "complete", Object.keys(FINISHES) as Finish[], "finish")];
}

/** Reads the options of `feedback`. */
export function feedbackOptions(options: FeedbackOptions): { asJson: boolean; maxBytes: number } {
  known(options, ["format", "maxBytes"]);
  const { format = "text", maxBytes = 1024 } = options;
  if (!Number.isInteger(maxBytes) || maxBytes < 0) {
    throw new TypeError("`maxBytes` must be a whole number, 0 or more");
  }
  const asJson = choice(format, ["text", "json"], "format") === "json";
  return { asJson, maxBytes: Math.min(maxBytes, MAX_COUNT) };
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
