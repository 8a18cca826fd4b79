// What each peer in Node says to a call that it refuses; `null` where it takes the call.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { LlmJson, OpenApiConverter, OpenApiValidator } from "@typia/utils";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import betterAjvErrors from "better-ajv-errors";

const { compile } = createRequire(import.meta.url)(process.env.TOOLMEND_NPM);

/** The feedback of this project, at the policy that mends most. */
function toolmend({ schema, input }) {
  const outcome = compile(schema, { policy: "lenient", formats: "assert" }).repair(input);
  return outcome.ok ? null : outcome.feedback();
}

/** The errors of Ajv, all of them, in words by `render`. What is no JSON gets the parser's own message. */
function byAjv(render) {
  return ({ schema, input }) => {
    let data;
    try {
      data = JSON.parse(input);
    } catch (error) {
      return error.message;
    }
    // `strict` is about the schema; `discriminator` lets it tell one branch only, where the schema says how.
    const ajv = new Ajv2020({ allErrors: true, discriminator: true, strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    return validate(data) ? null : render({ ajv, schema, data, errors: validate.errors });
  };
}

/** The schema in the form that typia works on, which has fewer keywords than JSON Schema. */
function forTypia(schema) {
  return OpenApiConverter.upgradeSchema({ components: {}, schema: structuredClone(schema) });
}

/** The arguments as they came, with the errors as comments: what typia has for a model. It reads JSON its own way. */
function typia({ schema, input }) {
  const read = LlmJson.parse(input);
  // Its parser tells a failure in the same shape as its validator does.
  if (!read.success) return LlmJson.stringify(read);
  const validate = OpenApiValidator.create({ components: {}, schema: forTypia(schema), required: true, equals: true });
  const result = validate(read.data);
  return result.success ? null : LlmJson.stringify(result);
}

const lock = JSON.parse(readFileSync(new URL("package-lock.json", import.meta.url), "utf8"));
const versioned = (name) => `${name} ${lock.packages[`node_modules/${name}`].version}`;

/** The name of this project among the peers. */
export const OURS = "toolmend";

export const peers = {
  [OURS]: toolmend,
  [`${versioned("ajv")}, errors as JSON`]: byAjv(({ errors }) => JSON.stringify(errors)),
  [`${versioned("ajv")}, errorsText`]: byAjv(({ ajv, errors }) => ajv.errorsText(errors, { dataVar: "" })),
  [versioned("better-ajv-errors")]: byAjv(({ schema, data, errors }) =>
    betterAjvErrors(schema, data, errors, { indent: 2 }),
  ),
  [`${versioned("@typia/utils")}, annotated echo`]: typia,
};
