"""Python data as arguments: read exactly, by type, with nothing of the caller's run or changed."""

from __future__ import annotations

import collections
import copy
import datetime as dt
import decimal
import enum
import json
import math
from typing import Any, NamedTuple

import pytest
import toolmend

ANY = toolmend.compile(True)


def codes(outcome: toolmend.Outcome) -> list[tuple[str, str]]:
    return [(issue.code, issue.path) for issue in outcome.issues]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        ((1, ("a",)), '[1,["a"]]'),
        (True, "true"),
        ({"a": [None, False, True, 0, 1]}, '{"a":[null,false,true,0,1]}'),
        (-(2**63), "-9223372036854775808"),
        (2**63, "9223372036854775808"),
        (10**30, "1" + "0" * 30),
        (0.1, "0.1"),
        (5.0, "5.0"),
        (-0.0, "-0.0"),
        (1e16, "1e+16"),
        (1e-7, "1e-07"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        ({"": {"~/": '\x00\n"\\\u2028😀'}}, '{"":{"~/":"\\u0000\\n\\"\\\\\u2028😀"}}'),
        ({"__proto__": 1, "constructor": {"__class__": 2}}, '{"__proto__":1,"constructor":{"__class__":2}}'),
    ],
)
def test_data_is_read_exactly(data: Any, text: str) -> None:
    outcome = ANY.repair(data)
    assert outcome.status == "unchanged"
    assert outcome.json == text
    assert outcome.value is data


def test_integers_of_any_size() -> None:
    for digits in (4300, 5000, 9999, 10_000, 10_001, 20_001, 123_456):
        number = (10**digits - 1) // 9 * 7
        for value in (number, -number):
            outcome = ANY.repair([value])
            assert outcome.json == "[" + "-" * (value < 0) + "7" * digits + "]"
            assert ANY.repair(outcome.json).value == [value]


def test_a_str_is_text_and_data_is_data() -> None:
    assert ANY.repair("[1]").value == [1]
    assert ANY.repair(["[1]"]).value == ["[1]"]


def test_text_in_any_form_is_one_outcome() -> None:
    contract = toolmend.compile({"properties": {"a": {"type": "array"}}}, policy="narrow")
    text = '{"a": "ü"}'

    class Text(str):
        __slots__ = ()

        def encode(self, *_: object) -> bytes:
            raise AssertionError

    outcome = contract.repair(text)
    forms: list[object] = [text.encode(), bytearray(text.encode()), Text(text)]
    assert [contract.repair(form) for form in forms] == [outcome] * 3
    assert codes(contract.repair(Text("\ud800"))) == [("invalid_unicode", "")]


def test_none_is_no_argument() -> None:
    for policy in ("strict", "narrow", "adapter", "lenient"):
        contract = toolmend.compile({"type": "object"}, policy=policy)
        assert contract.repair() == contract.repair(None) == contract.repair("")


def test_an_unchanged_object_is_the_callers_own() -> None:
    contract = toolmend.compile({"properties": {"a": {"type": "integer"}}})
    arguments = {"a": 1, "b": (2,)}
    assert contract.repair(arguments).value is arguments


def test_a_repaired_object_is_a_new_one() -> None:
    contract = toolmend.compile({"properties": {"a": {"type": "array"}, "b": {"type": "object"}}})
    arguments = {"a": 1, "b": {"c": []}}
    before = copy.deepcopy(arguments)
    outcome = contract.repair(arguments)
    assert outcome.status == "repaired"
    assert outcome.value == {"a": [1], "b": {"c": []}}
    outcome.value["b"]["c"].append(1)
    assert arguments == before
    assert outcome.json == '{"a":[1],"b":{"c":[]}}'


def test_a_boolean_is_no_integer() -> None:
    contract = toolmend.compile({"properties": {"a": {"type": "integer"}}})
    assert codes(contract.repair({"a": True})) == [("type_mismatch", "/a")]


def test_floats_are_written_as_json_does() -> None:
    contract = toolmend.compile({"properties": {"a": {"type": "integer"}}}, policy="strict")
    for value in (1e22, 123456789.125, 1e15, 1e16, 0.0001, 0.00001, 3.0):
        assert contract.repair({"a": value, "b": value}).status in ("unchanged", "refused")
        assert ANY.repair(value).json == json.dumps(value)


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Point(NamedTuple):
    x: int


class Loud(dict[str, object]):
    def __iter__(self) -> Any:
        raise AssertionError("user code was run")

    items = keys = values = __len__ = __getitem__ = __iter__  # type: ignore[assignment]


class LoudList(list[object]):
    def __iter__(self) -> Any:
        raise AssertionError("user code was run")

    __len__ = __getitem__ = __iter__  # type: ignore[assignment]


class Meta(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise AssertionError("user code was run")


class Object(metaclass=Meta):
    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("user code was run")

    def __hash__(self) -> int:
        return 1

    __eq__ = __repr__ = __str__ = __getattribute__  # type: ignore[assignment]


OTHERS: dict[str, Any] = {
    "Colour": lambda: Colour.RED,
    "Level": lambda: Level.LOW,
    "Point": lambda: Point(1),
    "Loud": lambda: Loud(a=1),
    "LoudList": lambda: LoudList([1]),
    "Object": Object,
    "object": object,
    "OrderedDict": collections.OrderedDict,
    "defaultdict": collections.defaultdict,
    "set": set,
    "bytes": bytes,
    "memoryview": lambda: memoryview(b""),
    "range": lambda: range(3),
    "generator": lambda: (item for item in [1]),
    "date": lambda: dt.date(2025, 1, 1),
    "Decimal": decimal.Decimal,
    "complex": complex,
    "builtin_function_or_method": lambda: print,
    "Meta": lambda: Object,
    "ellipsis": lambda: ...,
    "Absent": lambda: toolmend.ABSENT,
}


# By name: a test runner runs code of the values that it is given.
@pytest.mark.parametrize("name", OTHERS)
def test_other_types_are_refused_by_name(name: str) -> None:
    outcome = ANY.repair({"a": [OTHERS[name]()], "b": 1})
    assert codes(outcome) == [("unsupported_value", "/a/0")]
    assert f"`{name}`" in outcome.issues[0].hint
    assert outcome.value is None


def test_another_type_at_the_root() -> None:
    assert codes(ANY.repair(Object())) == [("unsupported_value", "")]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number(value: float) -> None:
    outcome = ANY.repair({"a/b": value})
    assert codes(outcome) == [("unsupported_value", "/a~1b")]
    preview = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    assert outcome.issues[0].received == toolmend.Received("number", preview)


def test_keys_that_are_no_text() -> None:
    assert codes(ANY.repair({"a": {1: 2, None: 3, "b": 4}})) == [("unsupported_value", "/a")] * 2
    assert codes(ANY.repair({"a": {Colour.RED: 1}})) == [("unsupported_value", "/a")]
    assert codes(ANY.repair({"a": {Object(): 1}})) == [("unsupported_value", "/a")]


def test_lone_surrogates() -> None:
    assert codes(ANY.repair({"a": "x\ud800", "b\udfff": 1})) == [("invalid_unicode", "/a"), ("invalid_unicode", "")]


def test_every_place_is_told_up_to_the_limit() -> None:
    assert len(ANY.repair([object()] * 1000).issues) == 100
    assert len(toolmend.compile(True, limits={"issues": 3}).repair([math.nan] * 5).issues) == 3
    assert len(toolmend.compile(True, limits={"issues": 0}).repair([math.nan] * 5).issues) == 1


def test_cycles() -> None:
    cycle: list[Any] = [1]
    cycle.append({"a": cycle})
    assert codes(ANY.repair(cycle)) == [("unsupported_value", "/1/a")]
    own: dict[str, Any] = {}
    own["self"] = own
    assert codes(ANY.repair(own)) == [("unsupported_value", "/self")]


def test_shared_values_are_no_cycle() -> None:
    shared = [1]
    assert ANY.repair([shared, shared, {"a": shared}]).ok


def test_depth() -> None:
    for depth in (3, 128, 256):
        contract = toolmend.compile(True, limits={"depth": depth})
        nested: Any = 1
        for _ in range(depth):
            nested = [nested]
        assert contract.repair(nested).ok
        assert contract.repair("[" * depth + "1" + "]" * depth).ok
        assert codes(contract.repair({"a": nested})) == [("depth_limit", "/a" + "/0" * (depth - 1))]
        assert contract.repair("[" + "[" * depth + "1" + "]" * depth + "]").issues[0].code == "depth_limit"


def test_depth_beyond_every_stack() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = {"a": [nested]}
    assert [issue.code for issue in ANY.repair(nested).issues] == ["depth_limit"]


def test_data_that_is_larger_than_it_looks() -> None:
    doubled: Any = [1]
    for _ in range(100):
        doubled = [doubled, doubled]
    assert codes(ANY.repair(doubled)) == [("size_limit", "")]
    assert codes(ANY.repair([1 << (10**9)])) == [("size_limit", "")]
    small = toolmend.compile(True, limits={"bytes": 100})
    assert codes(small.repair({"a": "x" * 200})) == [("size_limit", "")]
    assert small.repair({"a": "x" * 50}).ok


def test_an_unreadable_value_is_an_outcome_like_any_other() -> None:
    outcome = ANY.repair({"a": object(), "b": math.nan})
    wire = outcome.to_dict()
    assert json.loads(outcome.to_json()) == wire
    assert list(wire) == ["status", "repairs", "issues", "warnings"]
    assert wire["issues"] == [issue.to_dict() for issue in outcome.issues]
    assert outcome == ANY.repair({"a": object(), "b": math.nan})
    assert "/a" in outcome.feedback()
    assert json.loads(outcome.feedback("json"))["issues"][1]["path"] == "/b"
    for most in (3, 10, 110, 210, 300):
        assert len(outcome.feedback(max_bytes=most).encode()) <= most
