// Who is measured in Node, and how each is asked as its users ask it.
//
// Each adapter loads its library when it is told to, so that a cold start can be timed, and gives
// `text(workload)`, a function of the arguments as JSON text, and mostly
// `data(workload)`, a function of the arguments as an object. Both answer `{ ok, value, errors }`.

import { createRequire } from "node:module";

const accepted = (value) => ({ ok: true, value, errors: 0 });
const refused = (errors) => ({ ok: false, value: undefined, errors });

/** A validator of data as one of text: by `JSON.parse`, or by `parse`. */
function parsed(validate, parse = JSON.parse) {
  return (text) => {
    let value;
    try {
      value = parse(text);
    } catch {
      return refused(1);
    }
    return validate(value);
  };
}

/** An adapter of a library that validates data. */
function validator(load) {
  return async () => {
    const data = await load();
    return { data, text: (workload) => parsed(data(workload)) };
  };
}

async function toolmend() {
  const { compile } = createRequire(import.meta.url)(process.env.TOOLMEND_NPM);
  const contract = ({ schema, policy, limits }) => {
    const compiled = compile(schema, { policy, limits });
    return (given) => {
      const outcome = compiled.repair(given);
      return outcome.ok ? accepted(outcome.value) : refused(outcome.issues.length);
    };
  };
  return { text: contract, data: contract };
}

const ajv = (options) => async () => {
  const { Ajv } = await import("ajv");
  const instance = new Ajv(options);
  return ({ schema }) => {
    const validate = instance.compile(schema);
    return (value) => (validate(value) ? accepted(value) : refused(validate.errors.length));
  };
};

const COERCE = { coerceTypes: "array", allErrors: true };

/** Repairs the text only where it must: cheaper than always. */
async function jsonrepairAndAjv() {
  const { jsonrepair } = await import("jsonrepair");
  const data = await ajv(COERCE)();
  const parse = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return JSON.parse(jsonrepair(text));
    }
  };
  return { text: (workload) => parsed(data(workload), parse) };
}

const typebox = (useAcceleration) => async () => {
  const { Compile } = await import("typebox/schema");
  const { Settings } = await import("typebox/system");
  Settings.Set({ useAcceleration });
  return ({ schema }) => {
    const compiled = Compile(schema);
    return (value) => (compiled.Check(value) ? accepted(value) : refused(compiled.Errors(value)[1].length));
  };
};

/** `Parse` converts, but only by types that are built with the library. */
async function typeboxParse() {
  const { Type } = await import("typebox");
  const { Compile } = await import("typebox/compile");
  const { Settings } = await import("typebox/system");
  Settings.Set({ correctiveParse: true });
  return ({ schema }) => {
    const compiled = Compile(typeboxType(Type, schema, schema));
    return (value) => {
      try {
        return accepted(compiled.Parse(value));
      } catch (error) {
        return refused((error.cause?.errors ?? error.errors ?? [error]).length);
      }
    };
  };
}

function typeboxType(Type, root, schema) {
  const { type, description: _, ...rules } = schema;
  const of = (part) => typeboxType(Type, root, part);
  if (schema.$ref) return of(root.$defs[schema.$ref.split("/").at(-1)]);
  if (schema.anyOf) return Type.Union(schema.anyOf.map(of));
  if (schema.const !== undefined) return Type.Literal(schema.const);
  if (schema.enum) return Type.Enum(schema.enum);
  switch (type) {
    case "string":
      return Type.String(rules);
    case "integer":
      return Type.Integer(rules);
    case "number":
      return Type.Number(rules);
    case "boolean":
      return Type.Boolean();
    case "array": {
      const { items, ...bounds } = rules;
      return Type.Array(of(items), bounds);
    }
    case "object": {
      const isOptional = (name) => !schema.required.includes(name);
      const properties = Object.entries(schema.properties).map(([name, part]) => [
        name,
        isOptional(name) ? Type.Optional(of(part)) : of(part),
      ]);
      return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
    }
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

const zod = (jitless) => async () => {
  const z = await import("zod");
  z.config({ jitless });
  return ({ schema }) => {
    const type = z.fromJSONSchema(schema);
    return (value) => {
      const result = type.safeParse(value);
      return result.success ? accepted(result.data) : refused(result.error.issues.length);
    };
  };
};

async function cfworker() {
  const { Validator } = await import("@cfworker/json-schema");
  return ({ schema }) => {
    const instance = new Validator(schema, "2020-12", true);
    return (value) => {
      const result = instance.validate(value);
      return result.valid ? accepted(value) : refused(result.errors.length);
    };
  };
}

/** The parser that typia has for models, then its coercion and its validation: all that is made from a schema alone. */
async function typia() {
  const { LlmJson } = await import("@typia/utils");
  const judge = (result) => (result.success ? accepted(result.data) : refused(result.errors.length));
  const prepared = ({ schema }) => {
    const parameters = { $defs: {}, ...schema };
    return { parameters, validate: LlmJson.validate(parameters, true) };
  };
  return {
    text(workload) {
      const { parameters, validate } = prepared(workload);
      return (text) => {
        const result = LlmJson.parse(text, parameters);
        return result.success ? judge(validate(result.data)) : refused(result.errors.length);
      };
    },
    data(workload) {
      const { parameters, validate } = prepared(workload);
      return (value) => judge(validate(LlmJson.coerce(value, parameters)));
    },
  };
}

const nothing = async () => ({ text: () => parsed(accepted) });

/**
 * The adapters by name. A `floor` does no validation. What is `evalFree` runs where code cannot be made from text, as
 * in browsers with a strict policy and in Workers.
 */
export const ADAPTERS = {
  "JSON.parse": { load: nothing, floor: true },
  toolmend: { load: toolmend, evalFree: true },
  ajv: { load: validator(ajv({})), package: "ajv" },
  "ajv coerce": { load: validator(ajv(COERCE)), package: "ajv" },
  "jsonrepair + ajv coerce": { load: jsonrepairAndAjv, package: "jsonrepair" },
  typebox: { load: validator(typebox(true)), package: "typebox" },
  "typebox Parse": { load: validator(typeboxParse), package: "typebox" },
  zod: { load: validator(zod(false)), package: "zod" },
  "zod without eval": { load: validator(zod(true)), package: "zod", evalFree: true },
  cfworker: { load: validator(cfworker), package: "@cfworker/json-schema", evalFree: true },
  "typebox without eval": { load: validator(typebox(false)), package: "typebox", evalFree: true },
  typia: { load: typia, package: "@typia/utils", evalFree: true },
};
