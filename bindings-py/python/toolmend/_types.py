"""The closed lists as types. A test holds each of them to the core's own list."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

PolicyName = Literal["strict", "narrow", "adapter", "lenient"]
"""A preset of rules; each holds the one before."""

Status = Literal["unchanged", "repaired", "refused"]
"""What became of a call."""

FormatsMode = Literal["warn", "assert"]
"""Whether a string without its `format` is a warning or an issue."""

UndeclaredMode = Literal["warn", "refuse"]
"""What becomes of keys that an object with declared properties does not speak of: taken with a warning, or refused."""

FeedbackFormat = Literal["text", "json"]
"""The form of a feedback."""

Finish = Literal[
    "complete",
    "stop",
    "tool_calls",
    "function_call",
    "end_turn",
    "tool_use",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "completed",
    "STOP",
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_context_window_exceeded",
    "content_filter",
    "incomplete",
    "MAX_TOKENS",
]
"""The end of a reply, as we or a model service call it. From `length` on the text was cut."""

RuleName = Literal[
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
]
"""What a repair did. The last four are in no policy: a host asks for them."""

Code = Literal[
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
]
"""Why a call was refused. A code never changes its meaning."""


class Limits(TypedDict, total=False):
    """Where the work on one call ends; what is left out keeps its default."""

    bytes: int
    """Longest argument text in bytes (`size_limit`)."""
    depth: int
    """Deepest nesting of arrays and objects, at most 256 (`depth_limit`)."""
    work: int
    """Values that the repair may look at for one call (`work_limit`)."""
    issues: int
    """Most issues that are reported; at least 1."""
    readings: int
    """Most readings that an `ambiguous` issue lists."""


class Override(TypedDict, total=False):
    """What holds for one place of the arguments only."""

    rules: dict[RuleName, bool]
    """Single rules, switched on or off here."""
    single_item: bool
    """Whether text that is wrapped here is always one item, whatever separators it holds."""
    aliases: dict[str, Any]
    """What the host calls a value: the text, and what it stands for. Applied before validation."""
    other: Any
    """What any other text stands for that the schema does not allow here."""
    keys: dict[str, str]
    """In the object here: another name of a key, and the declared key. Recorded as `rename_key`."""


class Redact(TypedDict, total=False):
    """What of the input is kept out of everything that is told about a call; the value itself is never touched."""

    values: bool
    """No value that came is echoed."""
    keys: bool
    """No key that the schema does not declare is echoed."""
    properties: list[str]
    """Properties whose values are not echoed, as patterns like those of `overrides`."""
