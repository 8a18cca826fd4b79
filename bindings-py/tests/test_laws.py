"""The laws that a host could break: valid stays, repairing twice, the input untouched, data and text agree."""

from __future__ import annotations

import copy
import json
from typing import Any

import toolmend
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from shared import POLICIES

COMMON = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "limit": {"type": "integer"},
        "ratio": {"type": ["number", "null"]},
        "mode": {"enum": ["fast", "slow"]},
        "filter": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "dry_run": {"type": "boolean"},
    },
    "required": ["names"],
}
CONTRACTS = [toolmend.compile(SCHEMA, policy=policy) for policy in POLICIES]

text = st.text(st.characters(codec="utf-8"), max_size=12)
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | floats | text
near = st.sampled_from(["", "null", "true", "7", "1.5", "a, b", '["a"]', '{"path": "p"}', "FAST", "```json\n{}\n```"])
values = st.recursive(
    scalars | near,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from([*SCHEMA["properties"], "Names", "dryRun", "args", "other"])
arguments = st.dictionaries(names, values, max_size=5) | values.filter(lambda value: not isinstance(value, str | None))

valid = st.fixed_dictionaries(
    {"names": st.lists(text, max_size=3)},
    optional={
        "counts": st.lists(st.integers(), max_size=3),
        "limit": st.integers(),
        "ratio": st.none() | floats | st.integers(),
        "mode": st.sampled_from(["fast", "slow"]),
        "filter": st.fixed_dictionaries({"path": text}, optional={"more": values}),
        "either": text | st.lists(text, max_size=3),
        "dry_run": st.booleans(),
        "undeclared": values,
    },
)


def without_spans(outcome: toolmend.Outcome) -> dict[str, Any]:
    wire = outcome.to_dict()
    for issue in [*wire["issues"], *wire["warnings"]]:
        issue.pop("span", None)
    return wire


@COMMON
@given(valid)
def test_valid_data_comes_back_as_it_is(data: dict[str, Any]) -> None:
    for contract in CONTRACTS:
        assert contract.repair(data).value is data
        outcome = contract.repair(json.dumps(data))
        assert outcome.status == "unchanged"
        assert repr(outcome.value) == repr(data)


@COMMON
@given(arguments)
@example({"names": [1.0, -0.0, 1e22, 1e-7, 2**64]})
def test_data_and_its_text_agree(data: Any) -> None:
    for contract in CONTRACTS:
        of_data, of_text = contract.repair(data), contract.repair(json.dumps(data))
        assert of_data.json == of_text.json
        assert repr(without_spans(of_data)) == repr(without_spans(of_text))


@COMMON
@given(arguments)
def test_nothing_of_the_callers_is_changed(data: Any) -> None:
    before = copy.deepcopy(data)
    for contract in CONTRACTS:
        contract.repair(data).value  # noqa: B018 - made when it is asked for
        assert repr(data) == repr(before)


@COMMON
@given(arguments)
def test_a_repaired_value_needs_no_repair(data: Any) -> None:
    for contract in CONTRACTS:
        outcome = contract.repair(data)
        if outcome.ok:
            again = contract.repair(outcome.json)
            assert again.status == "unchanged"
            assert again.json == outcome.json
            assert contract.repair(outcome.value).json == outcome.json


@COMMON
@given(arguments)
def test_the_patch_gives_the_value(data: Any) -> None:
    for contract in CONTRACTS:
        outcome = contract.repair(data)
        if outcome.ok:
            assert repr(patched(data, outcome.patch())) == repr(json.loads(outcome.json or ""))


def patched(data: Any, patch: list[dict[str, Any]]) -> Any:
    """Apply an RFC 6902 patch; an object keeps the place of a member that is moved within it."""
    root = {"": json.loads(json.dumps(data))}
    for operation in patch:
        holder, key = place(root, operation["path"])
        match operation["op"]:
            case "remove":
                del holder[key]
            case "move":
                _, old = place(root, operation["from"])
                members = {key if name == old else name: value for name, value in holder.items()}
                holder.clear()
                holder.update(members)
            case _:
                holder[key] = json.loads(json.dumps(operation["value"]))
    return root[""]


def place(root: Any, pointer: str) -> tuple[Any, Any]:
    holder = root
    key: int | str = ""
    for token in pointer.split("/")[1:]:
        holder = holder[key]
        name = token.replace("~1", "/").replace("~0", "~")
        key = int(name) if isinstance(holder, list) else name
    return holder, key


@COMMON
@given(arguments)
def test_policies_only_grow(data: Any) -> None:
    told = [outcome.json for outcome in (contract.repair(data) for contract in CONTRACTS[1:]) if outcome.ok]
    assert len(set(told)) <= 1
    accepted = [contract.repair(data).ok for contract in CONTRACTS]
    assert accepted == sorted(accepted)


@COMMON
@given(text | st.binary(max_size=30) | st.text(max_size=12))
def test_no_text_raises(raw: str | bytes) -> None:
    for contract in CONTRACTS:
        outcome = contract.repair(raw)
        assert outcome.ok == (not outcome.issues)
