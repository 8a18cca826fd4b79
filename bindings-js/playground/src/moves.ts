/**
 * Where a repair's place is in the input and in the result. The pointer of a repair is one into the value as it was
 * when that repair was applied: those before it and after it may have moved what it names.
 */

import type { RuleName } from "toolmend";

import { segments } from "./places.js";

/** What of a repair moves values. */
export interface Move {
  readonly rule: RuleName;
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The pointer of the repair at `index` into what came. */
export function inInput(repairs: readonly Move[], index: number): string {
  let path = segments(repairs[index]?.path ?? "");
  for (const earlier of repairs.slice(0, index).reverse()) {
    path = undone(path, earlier);
  }
  return pointer(path);
}

/** The pointer of the repair at `index` into the result. */
export function inResult(repairs: readonly Move[], index: number): string {
  const repair = repairs[index];
  let path = segments(repair?.path ?? "");
  if (repair?.rule === "rename_key") {
    path = [...path.slice(0, -1), String(repair.after)];
  }
  for (const later of repairs.slice(index + 1)) {
    path = done(path, later);
  }
  return pointer(path);
}

function done(path: string[], { rule, path: at, after }: Move): string[] {
  const place = segments(at);
  if (!startsWith(path, place)) {
    return path;
  }
  const rest = path.slice(place.length);
  switch (rule) {
    case "rename_key":
      return [...place.slice(0, -1), String(after), ...rest];
    case "wrap_in_array":
      return [...place, "0", ...rest];
    case "unwrap_object":
    case "unwrap_array":
      return [...place, ...rest.slice(1)];
    default:
      return path;
  }
}

function undone(path: string[], { rule, path: at, before, after }: Move): string[] {
  const place = segments(at);
  if (rule === "rename_key") {
    const renamed = [...place.slice(0, -1), String(after)];
    return startsWith(path, renamed) ? [...place, ...path.slice(renamed.length)] : path;
  }
  if (!startsWith(path, place)) {
    return path;
  }
  const rest = path.slice(place.length);
  switch (rule) {
    case "wrap_in_array":
      return [...place, ...rest.slice(1)];
    case "unwrap_array":
      return [...place, "0", ...rest];
    case "unwrap_object":
      return [...place, opened(before, after), ...rest];
    default:
      return path;
  }
}

/** The key of the wrapper around what came out of it. */
function opened(before: unknown, after: unknown): string {
  const inside = JSON.stringify(after, plain);
  const entries = Object.entries(typeof before === "object" && before !== null ? before : {});
  const [key] = entries.find(([, value]) => JSON.stringify(value, plain) === inside) ?? entries[0] ?? [""];
  return key;
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((segment, index) => path[index] === segment);
}

function pointer(path: readonly string[]): string {
  return path.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
