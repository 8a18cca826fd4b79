/** The rules in the page's words. A test holds `from` to the cases of the repository. */

import type { PolicyName, RuleName } from "toolmend";

export interface RuleInfo {
  /** The narrowest policy that has the rule; `host` where only a host asks for it. */
  readonly from: PolicyName | "host";
  /** What it does, in few words. */
  readonly what: string;
}

export const RULE_INFO: Readonly<Record<RuleName, RuleInfo>> = {
  wrap_in_array: { from: "narrow", what: "One value where only a list is wanted becomes a list of one." },
  parse_json_string: { from: "narrow", what: "Text that is one whole JSON array or object becomes that value." },
  strip_code_fence: { from: "narrow", what: "The code fence around one JSON text is taken off." },
  empty_to_object: { from: "narrow", what: "No arguments at all are {}, for a tool that takes none." },
  canonical_integer: { from: "narrow", what: "5.0 is written as 5 where an integer is wanted." },
  rename_key: { from: "adapter", what: "A key that differs in case, - or _ only gets its declared spelling." },
  unwrap_object: { from: "adapter", what: "A neutral envelope around the value is opened." },
  strip_prose: { from: "adapter", what: "Words around the one JSON text are taken off." },
  relaxed_syntax: { from: "lenient", what: "Trailing commas, comments, single quotes and Python literals are read." },
  parse_number: { from: "lenient", what: "Exact number text becomes that number." },
  parse_boolean: { from: "lenient", what: "“true” and “false” as text become booleans." },
  parse_null: { from: "lenient", what: "“null” as text becomes null where no text is possible." },
  number_to_string: { from: "lenient", what: "A number in its shortest form becomes text." },
  drop_null: { from: "lenient", what: "null is left out where the property may be absent and not null." },
  null_to_object: { from: "lenient", what: "null in place of all arguments is {} where none is required." },
  fold_enum: { from: "lenient", what: "Text that equals one member but for case and separators is that member." },
  unwrap_array: { from: "lenient", what: "A list of one becomes its item where a single value is wanted." },
  alias: { from: "host", what: "The host’s own names for values, from “aliases” in the options." },
  apply_default: { from: "host", what: "The schema’s default fills a property that was left out." },
  drop_unknown: { from: "host", what: "A property that a closed object does not declare is dropped. Loses something." },
  null_for_missing: { from: "host", what: "null for a required property that may be null." },
};

export const POLICY_INFO: Readonly<Record<PolicyName, string>> = {
  strict: "Validates and changes nothing.",
  narrow: "Lossless changes of form that no careful reader disputes.",
  adapter: "Also the spelling of declared keys, and neutral wrappers.",
  lenient: "Also exact scalar conversions, and relaxed JSON syntax.",
};
