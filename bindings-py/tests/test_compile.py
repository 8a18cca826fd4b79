"""`compile`: what it takes, and how it refuses what it can't."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import pytest
import toolmend

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("definition", "name"),
    [
        (SCHEMA, None),
        ({"type": "function", "function": {"name": "t", "parameters": SCHEMA}}, "t"),
        ({"type": "function", "name": "t", "parameters": SCHEMA, "strict": True}, "t"),
        ({"name": "t", "description": "", "input_schema": SCHEMA}, "t"),
        ({"name": "t", "parametersJsonSchema": SCHEMA}, "t"),
        ({"name": "t", "inputSchema": SCHEMA}, "t"),
    ],
)
def test_definitions(definition: dict[str, Any], name: str | None) -> None:
    before = copy.deepcopy(definition)
    for form in (definition, json.dumps(definition)):
        contract = toolmend.compile(form)
        assert contract.name == name
        assert contract.repair('{"a": 1}').ok
        assert not contract.repair("{}").ok
    assert definition == before
    assert toolmend.compile(definition, name="own").name == "own"


def test_boolean_schemas() -> None:
    assert toolmend.compile(True).repair("[1]").ok
    assert not toolmend.compile(False).repair("[1]").ok


def test_no_digit_of_a_schema_is_lost() -> None:
    big = 123456789012345678901234567890
    for form in ({"const": big}, json.dumps({"const": big})):
        contract = toolmend.compile(form, policy="strict")
        assert contract.repair(str(big)).value == big
        assert not contract.repair(str(big + 1)).ok
    huge = 10**5000
    contract = toolmend.compile({"maximum": huge}, policy="strict")
    assert contract.repair([huge][0]).ok
    assert not contract.repair(huge + 1).ok


def test_defaults_and_representation() -> None:
    contract = toolmend.compile(SCHEMA, name="t")
    assert contract.policy == "narrow"
    assert repr(contract) == "<Contract `t`, policy narrow>"
    assert contract.limits == {"bytes": 8 << 20, "depth": 128, "work": 4_000_000, "issues": 100, "readings": 8}
    assert toolmend.compile(SCHEMA, limits={"depth": 5}).limits["depth"] == 5


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        ({"type": 3}, "/type", "3"),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "/properties/a/type", "strin"),
        ({"properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "("),
        ({"$ref": "#/nowhere"}, None, "/nowhere"),
        ({"$ref": "https://example.com/schema"}, None, "https://example.com/schema"),
        ({"type": "function", "function": {"name": "t", "parameters": {"type": 3}}}, "/function/parameters/type", "3"),
        ([], "", "object or a boolean"),
        (None, "", "object or a boolean"),
        (7, "", "object or a boolean"),
        ("{", "", "the schema is no JSON: "),
        ("\ud800", "", "surrogate"),
        ({"properties": {"a": {"enum": [object()]}}}, "/properties/a/enum/0", "`object`"),
        ({"const": float("nan")}, "/const", "NaN"),
        ({"title": "\ud800"}, "/title", "surrogate"),
        ({1: 2}, "", "key"),
    ],
)
def test_bad_schemas(schema: Any, path: str | None, words: str) -> None:
    with pytest.raises(toolmend.SchemaError) as caught:
        toolmend.compile(schema)
    error = caught.value
    assert isinstance(error, ValueError)
    assert path is None or error.path == path
    assert words in error.message
    assert str(error) == f"invalid schema at {error.path or 'the schema'}: {error.message}"
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (copied.path, copied.message) == (error.path, error.message)


def test_a_schema_without_end() -> None:
    cycle: dict[str, Any] = {}
    cycle["not"] = cycle
    with pytest.raises(toolmend.SchemaError, match="/not: the `dict` holds itself"):
        toolmend.compile(cycle)
    deep: Any = {}
    for _ in range(100_000):
        deep = {"not": deep}
    with pytest.raises(toolmend.SchemaError, match="nested deeper"):
        toolmend.compile(deep)
    with pytest.raises(toolmend.SchemaError):
        toolmend.compile('{"not":' * 100_000)


@pytest.mark.parametrize("schema", [object(), int, b"{}", {1, 2}, json])
def test_what_is_no_schema_at_all(schema: Any) -> None:
    with pytest.raises(TypeError, match="schema must be a JSON Schema or a tool definition"):
        toolmend.compile(schema)


def test_documents_that_are_handed_in() -> None:
    schemas = {"https://example.com/id": {"type": "integer", "minimum": 10**30}}
    before = copy.deepcopy(schemas)
    contract = toolmend.compile({"$ref": "https://example.com/id"}, schemas=schemas, policy="strict")
    assert contract.repair(10**30).ok
    assert not contract.repair(10**30 - 1).ok
    assert schemas == before
    text = {uri: json.dumps(document) for uri, document in schemas.items()}
    assert not toolmend.compile({"$ref": "https://example.com/id"}, schemas=text).repair(10**30 - 1).ok
    with pytest.raises(toolmend.SchemaError, match="the document `u` is no JSON: "):
        toolmend.compile({}, schemas={"u": "{"})


def test_limits_saturate() -> None:
    limits = toolmend.compile(True, limits={"bytes": 2**70, "depth": 2**40, "work": 2**70, "issues": 0}).limits
    assert limits["depth"] == 256
    assert limits["issues"] == 1
    assert min(limits["bytes"], limits["work"]) > 2**29


def test_fingerprint() -> None:
    fingerprint = toolmend.compile({"type": "object", "title": "a"}).fingerprint
    assert re.fullmatch("[0-9a-f]{16}", fingerprint)
    assert toolmend.compile('{"title": "a", "type": "object"}', policy="lenient").fingerprint == fingerprint
    assert toolmend.compile({"type": "object", "title": "b"}).fingerprint != fingerprint


def test_hints() -> None:
    schema = {"properties": {"names": {"type": "array", "items": {"type": "string"}}}, "required": ["names"]}
    contract = toolmend.compile(schema)
    hints = contract.hints()
    assert "names" in hints
    assert hints == contract.hints(max_bytes=2**40) == contract.hints(1024)
    assert len(contract.hints(20).encode()) <= 20
    assert contract.hints(0) == ""
    with pytest.raises(ValueError, match="max_bytes must not be negative"):
        contract.hints(-1)
    with pytest.raises(TypeError, match="max_bytes must be of type `int`, not `str`"):
        contract.hints("1")  # type: ignore[arg-type]


def test_formats() -> None:
    schema = {"properties": {"at": {"type": "string", "format": "date"}}}
    assert toolmend.compile(schema).repair({"at": "soon"}).ok
    refused = toolmend.compile(schema, formats="assert").repair({"at": "soon"})
    assert [issue.code for issue in refused.issues] == ["format_mismatch"]


def test_contracts_and_outcomes_are_made_by_toolmend_only() -> None:
    for cls in (toolmend.Contract, toolmend.Outcome):
        with pytest.raises(TypeError):
            cls()
