"""`compile`: a schema and options become a contract, once per tool."""

from __future__ import annotations

from . import _core
from ._schema_makers import json_schema_of

# Not from `typing`, which takes long to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._types import FormatsMode, Limits, Override, PolicyName, Redact, RuleName, UndeclaredMode


def compile(  # noqa: A001 - the name it has in every language
    schema: Any,
    *,
    policy: PolicyName = "narrow",
    rules: dict[RuleName, bool] | None = None,
    overrides: dict[str, Override] | None = None,
    undeclared: UndeclaredMode = "warn",
    name: str | None = None,
    formats: FormatsMode = "warn",
    schemas: dict[str, Any] | None = None,
    limits: Limits | None = None,
    redact: Redact | None = None,
) -> _core.Contract:
    """Compile the schema of a tool's arguments into a contract.

    >>> contract = compile({"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}})
    >>> contract.repair('{"names": "dotnet/eshop"}').value
    {'names': ['dotnet/eshop']}

    Args:
        schema: A JSON Schema (drafts 4 to 2020-12) as a dict or a bool, or a tool definition in the shape of OpenAI,
            Anthropic, Gemini or MCP; either also as JSON text. A pydantic model class, a `TypeAdapter`, and, where
            pydantic is installed, a `TypedDict` stand for the schema they make. It is read now and never changed.
        policy: How far a repair may go: `"strict"` (not at all), `"narrow"`, `"adapter"` or `"lenient"`.
        rules: Single rules, switched on or off whatever the policy has, such as `{"drop_null": False}`.
        overrides: What holds for single places: `{"/tags": {"single_item": True}}`. A key is a JSON Pointer into the
            arguments, with declared names, and `*` for any index or any key of a map.
        undeclared: `"warn"` takes keys that an object with declared properties does not speak of, with a warning;
            `"refuse"` reads such an object as closed.
        name: The tool's own name, if the schema does not come with it.
        formats: `"warn"` reports a string without its `format` as a warning, `"assert"` refuses it.
        schemas: Documents that a `$ref` may reach, by URI, each also as JSON text. Nothing is ever fetched.
        limits: Other limits than the default ones, such as `{"depth": 64}`.
        redact: What of the input is kept out of issues, repairs, feedback and representations, such as
            `{"properties": ["/token"]}`. Properties that the schema marks (`x-sensitive: true`, `writeOnly: true`,
            `format: password`) always are.

    Returns:
        A contract, free to be shared between threads.

    Raises:
        SchemaError: The schema cannot be compiled, or an option does not go with it; `path` says where and `message`
            why.
        ValueError: An option cannot be understood; the message says what may have been meant.
        TypeError: The schema or an option is of a Python type that it cannot have.

    """
    options = {
        "policy": policy,
        "rules": rules,
        "overrides": overrides,
        "undeclared": undeclared,
        "name": name,
        "formats": formats,
        "schemas": schemas,
        "limits": limits,
        "redact": redact,
    }
    return _core.compile(json_schema_of(schema), options)
