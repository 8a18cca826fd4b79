/** Schemas made with a library: anything of the Standard JSON Schema interface, and zod before it had that. */

import { SchemaError } from "./errors.js";
import { isPlain, type Place } from "./host.js";

interface Maker {
  readonly "~standard"?: {
    readonly vendor?: unknown;
    readonly jsonSchema?: { readonly input?: (options: { target: string }) => unknown };
  };
  readonly toJSONSchema?: (options: { io: "input" }) => unknown;
}

/** The JSON Schema of what the maker takes *in*, which is what a model sends; nothing for what is no maker. */
export function madeSchema(value: object, place: Place): object | boolean | undefined {
  if (!isMaker(value)) {
    return undefined;
  }
  const standard = value["~standard"];
  const vendor = String(standard?.vendor);
  const made = attempt(place, vendor, () => {
    if (typeof standard?.jsonSchema?.input === "function") {
      return standard.jsonSchema.input({ target: "draft-2020-12" });
    }
    return typeof value.toJSONSchema === "function" ? value.toJSONSchema({ io: "input" }) : undefined;
  });
  if (typeof made === "boolean" || (typeof made === "object" && made !== null)) {
    return made;
  }
  throw new SchemaError(place.pointer(), `this ${vendor} schema does not tell its JSON Schema: pass that instead`);
}

function isMaker(value: object): value is Maker {
  if (!("~standard" in value) || typeof value["~standard"] !== "object" || value["~standard"] === null) {
    return false;
  }
  // zod hides a `~standard` in the JSON Schemas that it gives out: they are data, and may have been changed since.
  const own = Reflect.getOwnPropertyDescriptor(value, "~standard");
  const hidden = own !== undefined && !own.enumerable && isPlain(value);
  return !hidden && "vendor" in value["~standard"];
}

function attempt(place: Place, vendor: string, make: () => unknown): unknown {
  try {
    return make();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaError(place.pointer(), `this ${vendor} schema has no JSON Schema: ${reason}`, { cause });
  }
}
