/** What a visitor has chosen: all that an answer depends on, and all that a link shares. */

import { type CompileOptions, POLICIES, type PolicyName, RULES, type RuleName } from "toolmend";

export interface State {
  /** JSON text: a JSON Schema or a tool definition. */
  readonly schema: string;
  /** The model's text. */
  readonly args: string;
  readonly policy: PolicyName;
  /** Rules that are switched, whatever the policy has. */
  readonly rules: Readonly<Partial<Record<RuleName, boolean>>>;
  /** Other options of `compile` as JSON text, or nothing. */
  readonly options: string;
}

/** What `compile` is given beside the schema. Throws what a visitor can read where the text of the options is wrong. */
export function compileOptions({ policy, rules, options }: State): CompileOptions {
  const others = parsed(options);
  for (const key of ["policy", "numbers"]) {
    if (key in others) {
      throw new TypeError(key === "policy" ? "`policy` is chosen above" : "`numbers` has no effect on what is shown");
    }
  }
  const switched = { ...(others.rules as object | undefined), ...rules };
  return { policy, ...others, ...(Object.keys(switched).length === 0 ? {} : { rules: switched }) };
}

function parsed(text: string): Record<string, unknown> {
  if (text.trim() === "") {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`the options are no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError('the options are an object, such as {"undeclared": "refuse"}');
  }
  return value as Record<string, unknown>;
}

/** Reads a state that came from elsewhere; nothing where it is none. */
export function readState(value: unknown): State | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const { schema, args, policy, rules, options } = value as Record<string, unknown>;
  const isKnown = POLICIES.some((known) => known === policy);
  if (typeof schema !== "string" || typeof args !== "string" || !isKnown) {
    return undefined;
  }
  return {
    schema,
    args,
    policy: policy as PolicyName,
    rules: readRules(rules),
    options: typeof options === "string" ? options : "",
  };
}

function readRules(value: unknown): State["rules"] {
  const rules: Partial<Record<RuleName, boolean>> = {};
  for (const rule of RULES) {
    const switched = (value as Record<string, unknown> | undefined)?.[rule];
    if (typeof switched === "boolean") {
      rules[rule] = switched;
    }
  }
  return rules;
}
