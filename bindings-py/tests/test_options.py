"""The options of `compile`: passed on to the core as they are, and refused in its words."""

from __future__ import annotations

import copy
import enum
import re
from collections import OrderedDict
from typing import Any

import pytest
import toolmend
from toolmend import ABSENT, Repair

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "mode": {"enum": ["fast", "slow"]},
        "size": {"type": "integer", "default": 10**30},
    },
    "required": ["query"],
    "additionalProperties": False,
}


def repaired(text: str, **options: Any) -> tuple[Repair, ...]:
    """Repair `text` with these options only, or not at all."""
    assert not toolmend.compile(SCHEMA, policy="strict").repair(text).ok
    before = copy.deepcopy(options)
    outcome = toolmend.compile(SCHEMA, policy="strict", **options).repair(text)
    assert options == before
    assert outcome.status == "repaired", outcome.issues
    assert outcome.to_dict()["repairs"] == [repair.to_dict() for repair in outcome.repairs]
    return outcome.repairs


def test_rules_are_switched_on_and_off() -> None:
    text = '{"query": "a", "tags": "b"}'
    assert repaired(text, rules={"wrap_in_array": True}) == (Repair("wrap_in_array", "/tags", "b", ["b"]),)
    without = toolmend.compile(SCHEMA, policy="lenient", rules={"wrap_in_array": False})
    assert without.policy == "lenient"
    assert [issue.path for issue in without.repair(text).issues] == ["/tags"]


def test_rules_that_a_host_asks_for() -> None:
    contract = toolmend.compile(SCHEMA, rules={"apply_default": True, "null_for_missing": True, "drop_unknown": True})
    outcome = contract.repair('{"other": [1]}')
    assert outcome.value == {"query": None, "size": 10**30}
    assert set(outcome.repairs) == {
        Repair("drop_unknown", "/other", [1], ABSENT, lossy=True),
        Repair("apply_default", "/size", ABSENT, 10**30),
        Repair("null_for_missing", "/query", ABSENT, None),
    }
    assert {"op": "add", "path": "/size", "value": 10**30} in outcome.patch()
    assert not toolmend.compile(SCHEMA, policy="lenient").repair("{}").ok


def test_overrides() -> None:
    text = '{"query": "a", "tags": "b, c"}'
    assert not toolmend.compile(SCHEMA, policy="lenient").repair(text).ok
    one_item: toolmend.Override = {"single_item": True, "rules": {"wrap_in_array": True}}
    assert repaired(text, overrides={"/tags": one_item}) == (Repair("wrap_in_array", "/tags", "b, c", ["b, c"]),)


def test_aliases() -> None:
    mode: toolmend.Override = {"aliases": {"quick": "fast"}, "other": "slow"}
    for sent, meant in (("quick", "fast"), ("whatever", "slow")):
        text = f'{{"query": "a", "mode": "{sent}"}}'
        assert repaired(text, overrides={"/mode": mode}) == (Repair("alias", "/mode", sent, meant),)
    keys: toolmend.Override = {"keys": {"q": "query"}}
    assert repaired('{"q": "a"}', overrides={"": keys}) == (Repair("rename_key", "/q", "q", "query"),)
    renamed = toolmend.compile(SCHEMA, overrides={"": keys}).repair('{"q": "a"}')
    assert renamed.patch() == [{"op": "move", "from": "/q", "path": "/query"}]
    big = toolmend.compile({"properties": {"n": {"type": "integer"}}}, overrides={"/n": {"aliases": {"all": 10**30}}})
    assert big.repair({"n": "all"}).value == {"n": 10**30}


def test_undeclared_keys() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    taken = toolmend.compile(schema).repair('{"b": 1}')
    assert (taken.ok, [issue.path for issue in taken.warnings]) == (True, ["/b"])
    refused = toolmend.compile(schema, undeclared="refuse").repair('{"b": 1}')
    assert [(issue.code, issue.path) for issue in refused.issues] == [("unknown_property", "/b")]


def test_none_is_left_out() -> None:
    options: dict[str, Any] = dict.fromkeys(["policy", "rules", "undeclared", "limits", "redact"])
    assert toolmend.compile(SCHEMA, **options).policy == "narrow"


def test_a_str_may_be_of_a_class() -> None:
    class Choice(str, enum.Enum):
        LENIENT = "lenient"

    options: dict[str, Any] = {"policy": Choice.LENIENT}
    assert toolmend.compile(SCHEMA, **options).policy == "lenient"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "loose"}, "unknown policy `loose`: expected one of `strict`, `narrow`, `adapter`, `lenient`"),
        ({"rules": {"drop_nul": True}}, "unknown rule `drop_nul`: did you mean `drop_null`?"),
        ({"rules": {"drop_null": 1}}, "`drop_null` must be true or false"),
        ({"undeclared": "refus"}, "`undeclared` is `warn` or `refuse`, not `refus`"),
        ({"formats": "check"}, "`formats` is `warn` or `assert`, not `check`"),
        ({"limits": {"dept": 3}}, "unknown limit `dept`: did you mean `depth`?"),
        ({"limits": {"depth": "3"}}, "`depth` must be a whole number, 0 or more"),
        ({"limits": {"depth": -1}}, "`depth` must be a whole number, 0 or more"),
        (
            {"overrides": {"/tags": {"single": True}}},
            "unknown setting of a property `single`: did you mean `single_item`?",
        ),
        ({"overrides": {"/tags": {1: 2}}}, "overrides/~1tags: a key is no str"),
        ({"schemas": {"u": {"a": float("nan")}}}, "schemas/u/a: `NaN` is no JSON number"),
        ({"name": "\ud800"}, "name holds a lone surrogate"),
    ],
)
def test_what_cannot_be_understood(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as caught:
        toolmend.compile(SCHEMA, **options)
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": 3}, "policy must be of type `str`, not `int`"),
        ({"name": b"t"}, "name must be of type `str`, not `bytes`"),
        ({"formats": True}, "formats must be of type `str`, not `bool`"),
        ({"rules": ["alias"]}, "rules must be of type `dict`, not `list`"),
        ({"limits": OrderedDict(depth=3)}, "limits must be of type `dict`, not `OrderedDict`"),
        ({"polcy": "strict"}, "polcy"),
    ],
)
def test_what_is_of_the_wrong_type(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        toolmend.compile(SCHEMA, **options)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"/tag": {}}, "did you mean `tags`?"),
        ({"/mode": {"aliases": {"quick": "quickest"}}}, "does not allow the alias's value"),
        ({"/mode": {"aliases": {"quick": "fast", "fast": "slow"}}}, "alias chain"),
        ({"": {"keys": {"q": "quarry"}}}, "did you mean `query`?"),
    ],
)
def test_what_does_not_go_with_the_schema(overrides: dict[str, toolmend.Override], words: str) -> None:
    with pytest.raises(toolmend.SchemaError) as caught:
        toolmend.compile(SCHEMA, overrides=overrides)
    assert caught.value.path == ""
    assert words in caught.value.message
