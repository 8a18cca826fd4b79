/** The closed lists, as literal types. A test holds those of the core to the lists inside the WebAssembly module. */

/** The presets of rules, from the narrowest to the widest. */
export const POLICIES = ["strict", "narrow", "adapter", "lenient"] as const;

/** What became of a call. */
export const STATUSES = ["unchanged", "repaired", "refused"] as const;

/** What a repair can have done. The last four are in no policy: a host asks for them. */
export const RULES = [
  "wrap_in_array",
  "parse_json_string",
  "strip_code_fence",
  "empty_to_object",
  "canonical_integer",
  "rename_key",
  "unwrap_object",
  "strip_prose",
  "relaxed_syntax",
  "parse_number",
  "parse_boolean",
  "parse_null",
  "number_to_string",
  "drop_null",
  "null_to_object",
  "fold_enum",
  "unwrap_array",
  "alias",
  "apply_default",
  "drop_unknown",
  "null_for_missing",
] as const;

/** What can be wrong with a call. A code never changes its meaning. */
export const CODES = [
  "json_syntax",
  "truncated",
  "multiple_values",
  "duplicate_key",
  "invalid_unicode",
  "depth_limit",
  "size_limit",
  "missing_property",
  "unknown_property",
  "type_mismatch",
  "wrong_size",
  "duplicate_items",
  "enum_mismatch",
  "out_of_range",
  "pattern_mismatch",
  "format_mismatch",
  "number_precision",
  "ambiguous",
  "no_variant",
  "constraint_mismatch",
  "work_limit",
  "unsupported_value",
  "unknown_tool",
  "precondition_failed",
] as const;

/** How a reply can end, and whether it was cut then; the same names in every language. */
export const FINISHES = {
  complete: false,
  stop: false,
  tool_calls: false,
  function_call: false,
  end_turn: false,
  tool_use: false,
  stop_sequence: false,
  pause_turn: false,
  refusal: false,
  completed: false,
  STOP: false,
  length: true,
  max_tokens: true,
  max_output_tokens: true,
  model_context_window_exceeded: true,
  content_filter: true,
  incomplete: true,
  MAX_TOKENS: true,
} as const;

/** The forms of a feedback. */
export const FEEDBACK_FORMATS = ["text", "json"] as const;

/** A preset of rules. */
export type PolicyName = (typeof POLICIES)[number];
/** What became of a call. */
export type Status = (typeof STATUSES)[number];
/** The name of a rule. */
export type RuleName = (typeof RULES)[number];
/** The code of an issue. */
export type Code = (typeof CODES)[number];
/** The form of a feedback. */
export type FeedbackFormat = (typeof FEEDBACK_FORMATS)[number];
