"""Outcomes, repairs and issues: typed, frozen, comparable, and the wire shape."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
import toolmend
from shared import POLICIES, cases
from toolmend import ABSENT, Absent, Issue, Received, Repair, Span

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer", "maximum": 10},
    },
    "required": ["names"],
    "additionalProperties": False,
}
CONTRACT = toolmend.compile(SCHEMA)


def test_unchanged() -> None:
    outcome = CONTRACT.repair('{"names": ["a"], "limit": 3}')
    assert (outcome.ok, outcome.status) == (True, "unchanged")
    assert outcome.value == {"names": ["a"], "limit": 3}
    assert outcome.value is outcome.value
    assert outcome.json == '{"names":["a"],"limit":3}'
    assert (outcome.repairs, outcome.issues, outcome.warnings) == ((), (), ())
    assert outcome.feedback() == ""
    assert repr(outcome) == "<Outcome unchanged>"


def test_repaired() -> None:
    outcome = CONTRACT.repair('{"names": "a"}')
    assert (outcome.ok, outcome.status) == (True, "repaired")
    assert outcome.value == {"names": ["a"]}
    assert outcome.repairs == (Repair("wrap_in_array", "/names", "a", ["a"]),)
    assert repr(outcome.repairs[0]) == "Repair(rule='wrap_in_array', path='/names', before='a', after=['a'])"
    assert repr(outcome) == "<Outcome repaired: wrap_in_array at /names>"


def test_patch() -> None:
    outcome = CONTRACT.repair('{"names": "a"}')
    assert outcome.patch() == [{"op": "replace", "path": "/names", "value": ["a"]}]
    assert CONTRACT.repair({"names": ["a"]}).patch() == []
    assert CONTRACT.repair({"names": object()}).patch() == []
    lenient = toolmend.compile({"properties": {"a": {"type": "string"}}}, policy="lenient")
    assert lenient.repair('{"a": null}').patch() == [{"op": "remove", "path": "/a"}]


def test_log() -> None:
    about = {"schema": CONTRACT.fingerprint, "tool": None, "policy": "narrow"}
    nothing: dict[str, Any] = {"repairs": [], "issues": [], "warnings": []}
    assert CONTRACT.repair('{"names": ["a"]}').log() == {**about, **nothing, "status": "unchanged"}
    repairs = [{"rule": "wrap_in_array", "path": "/names"}]
    assert CONTRACT.repair({"names": "a"}).log() == {**about, **nothing, "status": "repaired", "repairs": repairs}
    issues = [{"code": "unsupported_value", "path": "/*"}]
    assert CONTRACT.repair({"x": object()}).log() == {**about, **nothing, "status": "refused", "issues": issues}
    assert toolmend.compile(SCHEMA, name="t", policy="lenient").repair("{").log()["tool"] == "t"


def test_refused() -> None:
    outcome = CONTRACT.repair('{"names": ["a"], "limit": 11}')
    assert (outcome.ok, outcome.status, outcome.value, outcome.json) == (False, "refused", None, None)
    (issue,) = outcome.issues
    assert (issue.code, issue.path, issue.keyword) == ("out_of_range", "/limit", "maximum")
    assert issue.schema == "/properties/limit/maximum"
    assert issue.received == Received("integer", "11")
    assert issue.span == Span(26, 1, 27)
    assert "/limit" in outcome.feedback()
    assert repr(outcome) == "<Outcome refused: out_of_range at /limit>"


def test_the_deepest_value_and_its_wire_shape() -> None:
    deepest = toolmend.compile({"type": "array"}, limits={"depth": 256})
    nested = "[" * 255 + "]" * 255
    for text in (nested, json.dumps(nested)):
        outcome = deepest.repair(text)
        assert outcome.json == nested
        assert outcome.to_dict()["value"] == outcome.value
        assert outcome.repairs or outcome.status == "unchanged"
        assert isinstance(outcome.patch(), list)


def test_null_is_a_value() -> None:
    outcome = toolmend.compile(True).repair("null")
    assert (outcome.ok, outcome.value, outcome.json) == (True, None, "null")


def test_what_is_dropped_has_no_after() -> None:
    outcome = toolmend.compile({"properties": {"a": {"type": "string"}}}, policy="lenient").repair('{"a": null}')
    assert outcome.repairs == (Repair("drop_null", "/a", None, ABSENT),)
    assert outcome.repairs != (Repair("drop_null", "/a", None, None),)
    assert "after" not in outcome.to_dict()["repairs"][0]


def test_numbers() -> None:
    text = '{"a":[1,-0,1.0,1e2,-2.5e-3,12345678901234567890,0.1000000000000000055511151231257827]}'
    outcome = toolmend.compile(True, policy="strict").repair(text)
    assert outcome.json == text
    numbers = outcome.value["a"]
    assert numbers == [1, 0, 1.0, 100.0, -0.0025, 12345678901234567890, 0.1]
    assert [type(number) for number in numbers] == [int, int, float, float, float, int, float]


def test_feedback() -> None:
    outcome = CONTRACT.repair('{"limit": 11}')
    assert json.loads(outcome.feedback("json"))["issues"][0]["code"]
    assert len(outcome.feedback(max_bytes=120).encode()) <= 120
    assert outcome.feedback(max_bytes=2) == ""
    with pytest.raises(ValueError, match="unknown feedback format `xml`: expected `text` or `json`"):
        outcome.feedback("xml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_bytes must not be negative"):
        outcome.feedback(max_bytes=-1)
    with pytest.raises(TypeError, match="max_bytes must be of type `int`, not `str`"):
        outcome.feedback(max_bytes="1")  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", POLICIES)
def test_the_wire_shape_is_one(policy: toolmend.PolicyName) -> None:
    for case in cases():
        outcome = case.compile(policy).repair(case.input)
        wire = outcome.to_dict()
        assert wire == json.loads(outcome.to_json())
        assert wire["status"] == outcome.status
        assert wire.get("value") == outcome.value
        assert wire["repairs"] == [repair.to_dict() for repair in outcome.repairs]
        assert wire["issues"] == [issue.to_dict() for issue in outcome.issues]
        assert wire["warnings"] == [issue.to_dict() for issue in outcome.warnings]


def test_the_wire_shape_is_the_callers_own() -> None:
    outcome = CONTRACT.repair('{"names": ["a"]}')
    outcome.to_dict()["value"]["names"].append("b")
    assert outcome.value == {"names": ["a"]}


def test_equality_and_hash() -> None:
    one, two, other = (CONTRACT.repair(text) for text in ('{"names": "a"}', '{"names" : "a"}', '{"names": "b"}'))
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert one != "a"
    assert {one, two, other} == {one, other}
    assert one.repairs == two.repairs
    assert hash(one.repairs) == hash(two.repairs)
    refused = [CONTRACT.repair("{}") for _ in range(2)]
    assert refused[0].issues == refused[1].issues
    assert hash(refused[0].issues) == hash(refused[1].issues)


def test_nothing_can_be_changed() -> None:
    outcome = CONTRACT.repair('{"names": "a"}')
    for name in ("ok", "status", "value", "json", "repairs", "issues", "warnings", "other"):
        with pytest.raises(AttributeError):
            setattr(outcome, name, None)
    for name in ("policy", "name", "limits", "other"):
        with pytest.raises(AttributeError):
            setattr(CONTRACT, name, None)
    parts: list[Any] = [outcome.repairs[0], CONTRACT.repair("{}").issues[0], Span(0, 1, 1), Received("null")]
    for part in parts:
        for field in fields(part):
            with pytest.raises(FrozenInstanceError):
                setattr(part, field.name, None)


def test_parts_can_be_pickled_and_copied() -> None:
    parts: list[Any] = [
        *CONTRACT.repair('{"names": "a"}').repairs,
        *CONTRACT.repair("{}").issues,
        Repair("drop_null", "/a", None, ABSENT),
    ]
    for part in parts:
        assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 - our own
        assert copy.deepcopy(part) == part
    assert copy.deepcopy(ABSENT) is pickle.loads(pickle.dumps(ABSENT)) is ABSENT  # noqa: S301 - our own


def test_absent() -> None:
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"
    assert ABSENT is Absent.ABSENT


def test_representations_are_short_and_never_fail() -> None:
    long: list[Any] = ["x" * 10_000, 10**10_000, ["x"] * 10_000, {str(key): key for key in range(1000)}, [[[[[[]]]]]]]
    for value in long:
        assert len(repr(Repair("wrap_in_array", "", value, [value]))) < 1000
        assert len(repr(Issue("ambiguous", "", None, None, value, None, "", (value,)))) < 1000
    assert repr(Issue("ambiguous", "/a", None, None, ABSENT, None, "h")) == (
        "Issue(code='ambiguous', path='/a', hint='h')"
    )
