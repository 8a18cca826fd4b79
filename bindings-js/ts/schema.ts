/** What `compile` takes, as JSON text. */

import { SchemaError } from "./errors.js";
import { type HostRules, readHost } from "./host.js";
import { madeSchema } from "./standard.js";
import type { CompileOptions, Schema } from "./types.js";

/** Deep and long enough for any schema; the JSON reader of the module goes 128 levels down. */
const RULES: HostRules = {
  depth: 127,
  bytes: 1 << 28,
  issues: 1,
  symbols: "ignore",
  convert: madeSchema,
};

/** The JSON text of a schema or definition. */
export function schemaText(schema: Schema): string {
  if (typeof schema === "string") {
    return schema;
  }
  if (schema === null || !["object", "boolean", "function"].includes(typeof schema)) {
    throw new TypeError("the schema must be an object, a boolean or JSON text");
  }
  const reading = readHost(schema, RULES);
  if ("text" in reading) {
    return reading.text;
  }
  const [issue] = reading.issues;
  throw new SchemaError(issue?.path ?? "", issue?.hint ?? "no JSON");
}

/** The JSON text of the options, which are the module's to check. Schemas of a library may stand in them too. */
export function optionsText(options: CompileOptions): string {
  const reading = readHost(options, RULES);
  if ("text" in reading) {
    return reading.text;
  }
  const [issue] = reading.issues;
  throw new TypeError(`the options${issue?.path ? ` at ${issue.path}` : ""}: ${issue?.hint}`);
}
