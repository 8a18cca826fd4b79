"""Calls that are plainly valid take a short way: what is told of them is what the long way tells."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
from typing import Any

import pytest
import toolmend
from hypothesis import given
from hypothesis import strategies as st
from shared import POLICIES, Case, cases, exact

ANY = toolmend.compile(True)

# A rule that may rewrite what is valid closes the short way, and has nothing to do where a schema has no default.
LONG: dict[toolmend.RuleName, bool] = {"apply_default": True}
LONG_ANY = toolmend.compile(True, rules=LONG)

ROWS = toolmend.compile(
    {
        "type": "object",
        "properties": {
            "kind": {"enum": ["a", "b"]},
            "name": {"type": "string", "minLength": 2},
            "count": {"type": "integer", "minimum": 0},
            "rate": {"type": "number", "maximum": 10},
            "on": {"type": "boolean"},
            "rows": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["kind"],
        "additionalProperties": False,
    }
)


def both(case: Case, policy: toolmend.PolicyName) -> tuple[toolmend.Contract, toolmend.Contract]:
    options = {**case.options, "rules": {**case.options.get("rules", {}), **LONG}}
    return case.compile(policy), Case(case.name, case.tool, options, case.schema, case.input, case.expect).compile(
        policy
    )


@pytest.mark.parametrize("case", [case for case in cases() if '"default"' not in json.dumps(case.schema)])
def test_both_ways_tell_the_same(case: Case) -> None:
    for policy in POLICIES:
        short, long = both(case, policy)
        forms: list[Any] = [case.input]
        try:
            data = json.loads(case.input, object_pairs_hook=_without_duplicates)
        except (ValueError, RecursionError):
            pass
        else:
            forms += [] if isinstance(data, str) or data is None else [data]
        for form in forms:
            outcome, other = short.repair(form), long.repair(form)
            # In this order: the value is there before the rest is made.
            assert (outcome.ok, outcome.status, outcome.value) == (other.ok, other.status, other.value)
            assert (outcome.repairs, outcome.issues, outcome.warnings) == (other.repairs, other.issues, other.warnings)
            assert (repr(outcome), outcome.feedback(), outcome.patch()) == (
                repr(other),
                other.feedback(),
                other.patch(),
            )
            assert exact(outcome.to_json()) == exact(other.to_json())


def _without_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) < len(members):
        raise ValueError
    return dict(members)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(data=JSON, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]))
def test_any_text_and_any_data(*, data: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    outcome = ANY.repair(text)
    assert outcome == LONG_ANY.repair(text)
    assert exact(json.dumps(outcome.value)) == exact(json.dumps(data))
    if not isinstance(data, str) and data is not None:
        assert ANY.repair(data) == LONG_ANY.repair(data)
        assert ANY.repair(data).warnings == LONG_ANY.repair(data).warnings


@given(
    st.lists(
        st.sampled_from(
            ["\\n", "\\\\", '\\"', "\\/", "\\b", "\\f", "\\r", "\\t", "\\u0000", "\\u00fC", "\\u20ac", "ü", "€", "😀"]
        )
        | st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters='"\\'), max_size=40)
    )
)
def test_escapes(parts: list[str]) -> None:
    text = f'["{"".join(parts)}"]'
    assert ANY.repair(text).value == json.loads(text)
    assert ANY.repair(text.encode()).value == json.loads(text)


@pytest.mark.parametrize("escape", ["\\ud83d\\ude00", "\\ud800", "\\x41", "\\u00", "\\u+123", "\\"])
def test_escapes_that_are_looked_at_closely(escape: str) -> None:
    for text in (f'["{escape}"]', f'["{"x" * 40}{escape}"]'):
        assert ANY.repair(text).to_json() == LONG_ANY.repair(text).to_json()


@pytest.mark.parametrize(
    "digits", ["0", "-0", "-0.0", "1.0", "1e2", "123456789012345", "9007199254740993", "1" * 40, "0.1"]
)
def test_numbers(digits: str) -> None:
    for contract, long in ((ANY, LONG_ANY), (ROWS, None)):
        text = digits if long else f'{{"kind": "a", "count": {digits}, "rate": {digits}}}'
        value = contract.repair(text).value
        if long:
            assert (value, type(value)) == (json.loads(text), type(json.loads(text)))
            assert contract.repair(text) == long.repair(text)
        else:
            assert contract.repair(text).status == contract.repair(json.loads(text)).status


def test_keys_that_stand_twice() -> None:
    for text in ('{"kind": "a", "kind": "b"}', '{"kind": "a", "rows": [{"x": 1, "x": 2}]}'):
        assert [issue.code for issue in ROWS.repair(text).issues] == ["duplicate_key"]


def test_the_value_is_one_object() -> None:
    outcome = ROWS.repair('{"kind": "a", "rows": [{}]}')
    value = outcome.value
    value["rows"].append(1)
    assert outcome.value is value
    assert outcome.to_dict()["value"] == {"kind": "a", "rows": [{}]}
    assert (outcome.repairs, outcome.issues, outcome.warnings, outcome.feedback()) == ((), (), (), "")
    assert repr(outcome) == "<Outcome unchanged>"
    other = ROWS.repair('{"kind": "a", "rows": [{}]}')
    assert other == outcome
    assert hash(other) == hash(outcome)
    assert other.value is not value


def test_data_that_is_changed_afterwards() -> None:
    data: dict[str, Any] = {"kind": "a", "rows": [{}]}
    outcome = ROWS.repair(data)
    assert outcome.value is data
    data["kind"] = "none of them"
    assert outcome.status == "unchanged"
    with pytest.raises(ValueError, match="changed"):
        outcome.to_dict()
    data["kind"] = "b"
    assert outcome.to_dict() == {"status": "unchanged", "value": data, "repairs": [], "issues": [], "warnings": []}
    data["kind"] = "none of them"
    assert outcome.json == '{"kind":"b","rows":[{}]}'


class Text(str):
    __slots__ = ()
    __eq__ = __hash__ = None  # type: ignore[assignment]


class Whole(int):
    def __index__(self) -> int:
        raise AssertionError


class Mapping(dict[str, Any]):
    def __iter__(self) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    "data",
    [
        {"kind": Text("a")},
        {"kind": "a", "count": Whole(1)},
        {"kind": "a", "rows": [Mapping()]},
        {"kind": "a", 1: 2},
        {"kind": "a", "name": "x\ud800"},
        {"kind": "a", "na\ud800": 1},
        {"kind": "a", "count": True},
        {"kind": "a", "on": 1},
        {"kind": "a", "rate": float("inf")},
        {"kind": "a", "rows": [{"x": (1,), "y": {1}}]},
    ],
)
def test_data_of_other_types(data: dict[Any, Any]) -> None:
    assert ROWS.repair(data).status == "refused"


def test_a_tuple_is_an_array() -> None:
    data = {"kind": "a", "rows": ({},)}
    assert ROWS.repair(data).value is data


def test_keys_and_values_of_any_size() -> None:
    for value in (2**63, -(2**63), 10**400, 1e300, 5e-324, 0.1 + 0.2):
        data = {"kind": "a", "rows": [{"x": value}]}
        assert ROWS.repair(data).value is data
    assert ROWS.repair({"kind": "a", "count": 2**64}).ok
    assert not ROWS.repair({"kind": "a", "count": -(2**64)}).ok


def test_cycles_and_depth() -> None:
    cycle: dict[str, Any] = {}
    cycle["a"] = [cycle]
    nested: Any = []
    for _ in range(200):
        nested = [nested]
    for data, code in ((cycle, "unsupported_value"), (nested, "depth_limit")):
        assert [issue.code for issue in ANY.repair(data).issues] == [code]


def test_data_whose_text_would_be_too_long() -> None:
    small = toolmend.compile(True, limits={"bytes": 100})
    long = toolmend.compile(True, limits={"bytes": 100}, rules=LONG)
    for size in range(80, 110):
        for data in ({"a": "x" * size}, {"x" * size: 1}, [0] * (size // 2), ["x" * (size // 2)] * 2):
            assert small.repair(data).to_json() == long.repair(data).to_json()
            text = json.dumps(data)
            assert small.repair(text).to_json() == long.repair(text).to_json()


@pytest.mark.parametrize(
    "text", ["{}", "[1]", "\n {} \t", "\u00a0[1]\u00a0", "[\\n]", "{ not json }", "\\[1]", "\x00[1]"]
)
def test_text_that_looks_like_json(text: str) -> None:
    for data in ([text], {"a": text}):
        assert ANY.repair(data).to_json() == LONG_ANY.repair(data).to_json()
        assert ANY.repair(json.dumps(data)).to_json() == LONG_ANY.repair(json.dumps(data)).to_json()


def test_values_live_as_long_as_they_are_held() -> None:
    gc.collect()
    before = sys.getrefcount(None)
    for _ in range(1000):
        ROWS.repair('{"kind": "a", "name": "a\\nb", "rows": [{"x": [null, 1.5]}]}')
        ROWS.repair('{"kind": "a", "name": "a\\nb", "rows": [{"x": [null, 1.5]}], "more": 1}')
        ROWS.repair({"kind": "a", "rows": [{"x": None}]})
    gc.collect()
    assert abs(sys.getrefcount(None) - before) < 100


def test_data_that_another_thread_changes() -> None:
    data: dict[str, Any] = {"kind": "a", "rows": [{str(index): index for index in range(100)}]}
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            data["rows"][0]["more"] = 1
            data["rows"][0].pop("more", None)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        assert all(ROWS.repair(data).ok for _ in range(2000))
    finally:
        done.set()
        thread.join()


def test_a_plain_call_loads_little() -> None:
    program = """
import sys
before = set(sys.modules)
import toolmend
contract = toolmend.compile({"type": "object", "properties": {"a": {"type": "integer"}}})
for arguments in ('{"a": 1}', {"a": 1}):
    outcome = contract.repair(arguments)
    assert outcome.ok and outcome.value == {"a": 1} and not outcome.warnings
loaded = {"dataclasses", "typing", "enum", "inspect"} & (set(sys.modules) - before)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own program


def test_every_public_name_is_there() -> None:
    for name in toolmend.__all__:
        assert getattr(toolmend, name) is not None
        assert name in dir(toolmend)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        toolmend.nothing  # type: ignore[attr-defined] # noqa: B018
