"""What a host may say, keep and hand back: options that say nothing, budgets, turns, data that changes."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest
import toolmend
from toolmend import Event, compile_tools, observe_all

if TYPE_CHECKING:
    from collections.abc import Callable

ID: dict[str, Any] = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
UNREADABLE = "63f4c11020b6656ee51b337e4f8ee852ec7310c750dfb0ae909e4d52566edb84"
"""The same in every language."""

UNKNOWN = "9e3c53646197a2cc42869c226347a5b80086756cf7598ccd3ff0ca35eca12862"


def _message(arguments: str) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": arguments}}]}


def test_an_option_that_is_none_says_nothing() -> None:
    def policy(**options: Any) -> str | None:
        contract = compile_tools({"t": ID}, **options).contract("t")
        return contract and contract.policy

    assert policy(policy="strict", tools={"t": {"policy": None}}) == "strict"
    assert policy(policy="strict", tools={"t": None}) == "strict"
    assert policy(policy=None) == "narrow"
    own: Any = {"t": {"undeclared": None, "guards": None, "output": None}}
    assert not compile_tools({"t": ID}, undeclared="refuse", tools=own).repair("t", '{"id": 1, "x": 1}').ok
    deadly = [{"name": "d", "inputSchema": ID, "annotations": {"destructiveHint": True}}]
    nothing: Any = {"policy": None, "rules": None, "effect": None, "guards": None, "output": None}
    common: list[dict[str, Any]] = [
        {"policy": "lenient", "rules": {"parse_number": True}},
        {"policy": None, "rules": None},
    ]
    for options in common:
        toolbox = compile_tools(deadly, tools={"d": nothing}, **options)
        contract = toolbox.contract("d")
        assert toolbox.effect("d") == "destructive"
        assert contract is not None
        assert contract.policy == "narrow"
        assert not toolbox.repair("d", '{"id": "5"}').ok


class _Some:
    def __init__(self, x: int) -> None:
        self.x = x


def _deep(end: int) -> Any:
    data: Any = end
    for _ in range(300):
        data = [data]
    return data


NAN = float("nan")


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"id": NAN, "x": 1}, {"id": NAN, "x": 2}),
        (_Some(1), _Some(2)),
        ({"id": "a", "y": print}, {"id": "a", "y": len}),
        ('{"id": "\ud800"}', '{"id": "\ud801"}'),
        (b'{"id": "\xff"}', b'{"id": "\xfe"}'),
        (bytearray(b'{"id": "\xff"}'), bytearray(b'{"id": "\xfe"}')),
        (bytearray(b'{"id":"a"}'), bytearray(b'{"id":"b"}')),
        (memoryview(b'{"id":"a"}'), memoryview(b'{"id":"b"}')),
        ({"id": "x" * (8 << 20) + "a"}, {"id": "x" * (8 << 20) + "b"}),
        (_deep(1), _deep(2)),
    ],
    ids=range(10),
)
def test_what_cannot_be_read_is_the_same_as_no_other_call(one: Any, two: Any) -> None:
    attempts = compile_tools({"t": ID}).attempts(9)
    assert [attempts.decide("t", sent).reason for sent in (one, two)] == [None, None]


def test_what_can_be_read_is_compared() -> None:
    attempts = compile_tools({"t": ID}).attempts(9)
    attempts.decide("t", {"id": "a"})
    same: list[Any] = ['{"id": "a"}', b'{"id":"a"}', bytearray(b'{"id":"a"}'), {"id": "a"}]
    assert [attempts.decide("t", sent).reason for sent in same] == ["repeated"] * 4
    attempts = compile_tools({"t": ID}).attempts(99)
    assert {attempts.decide("t", _Some(1)).reason for _ in range(50)} == {None}
    told = compile_tools({"t": ID}).attempts()
    told.decide("t", {"id": NAN})
    assert told.to_dict()["refused"]["t"]["calls"][0]["sent"] == UNREADABLE


def test_a_budget_is_a_whole_number_from_1_to_4294967295() -> None:
    toolbox = compile_tools({"t": ID})
    for budget in (0, -1, 2**32, 2**64, -(2**64)):
        with pytest.raises(ValueError, match=r"budget.*4294967295"):
            toolbox.attempts(budget)
        with pytest.raises(ValueError, match=r"budget.*4294967295"):
            toolbox.attempts(state={"budget": budget, "refused": {}})
    wrong: list[Any] = [1.5, "3", True, NAN]
    for given in wrong:
        with pytest.raises(TypeError, match="budget"):
            toolbox.attempts(given)
        with pytest.raises(ValueError, match="log"):
            toolbox.attempts(state={"budget": given, "refused": {}})
    for budget in (1, 2**31, 2**32 - 1):
        attempts = toolbox.attempts(budget)
        assert attempts.decide("t", "{}").remaining == budget - 1
        assert toolbox.attempts(state=attempts.to_dict()).decide("t", '{"id": "b"}').remaining == max(budget - 2, 0)


def test_a_turn_is_well_formed_text() -> None:
    attempts = compile_tools({"t": ID}).attempts()
    for turn in ("\ud800", "a\udfff"):
        with pytest.raises(ValueError, match="turn") as raised:
            attempts.decide("t", "{}", turn=turn)
        assert type(raised.value) is ValueError
        with pytest.raises(ValueError, match="turn"):
            asyncio.run(attempts.decide_async("t", "{}", turn=turn))
    number: Any = 5
    with pytest.raises(TypeError, match="turn"):
        attempts.decide("t", "{}", turn=number)
    assert attempts.to_dict()["refused"] == {}, "nothing was counted"
    assert attempts.decide("t", '{"id": "😀"}', turn="😀").attempt == 1


@pytest.mark.parametrize("turn", ["message 1", "1", "#1", "##1", "#", ""])
def test_a_callers_turn_is_never_that_of_a_message(turn: str) -> None:
    attempts = compile_tools({"t": ID}).attempts(9)
    attempts.decide("t", "{}", turn=turn)
    assert attempts.decide_message(_message('{"id": "a"}'))[0].attempt == 2
    assert attempts.decide("t", '{"id": "b"}', turn=turn).attempt == 2
    assert attempts.decide("t", '{"id": "c"}', turn=f"{turn}!").attempt == 3


def test_a_hostile_state_makes_no_message_the_turn_of_another() -> None:
    toolbox = compile_tools({"t": ID})

    def state(turns: list[str]) -> dict[str, Any]:
        calls = [{"sent": str(at), "turn": turn} for at, turn in enumerate(turns)]
        return {"budget": 9, "refused": {"t": {"calls": calls}}}

    for turn in ("message 99999999999999999999", "#99999999999999999999", "#1e999", "#1", "#-1"):
        attempts = toolbox.attempts(state=state([turn]))
        told = [attempts.decide_message(_message(f'{{"id": "{each}"}}'))[0].attempt for each in "abc"]
        assert told == [2, 3, 4]
    attempts = toolbox.attempts(state=state([f"#{at + 1}" for at in range(30_000)]))
    assert attempts.decide_message(_message("{}"))[0].attempt == 30_001
    assert attempts.to_dict()["refused"]["t"]["calls"][-1]["turn"] == "#30001"


def test_the_turns_of_messages_are_named_the_same_in_every_language() -> None:
    toolbox = compile_tools({"t": ID})
    attempts = toolbox.attempts(9)
    names = []
    for at, given in enumerate(['{"id": "a"}', '{"id": "b"}', '{"id": 1}', '{"id": "c"}', '{"id": "d"}']):
        if at % 2:
            asyncio.run(attempts.decide_message_async(_message(given)))
        else:
            attempts.decide_message(_message(given))
        if at != 3:
            attempts = toolbox.attempts(state=attempts.to_dict())
        names.append(",".join(each["turn"] for each in attempts.to_dict()["refused"]["t"]["calls"]))
    assert names == ["#1", "#1,#2", "#1,#2", "#4", "#4,#5"]


CHANGES: list[Callable[[dict[str, Any]], Any]] = [
    lambda data: data.update(id="x"),
    lambda data: data.pop("id"),
    lambda data: data.update(id=NAN),
    lambda data: data.update(extra=1),
    lambda data: data.update(id=data),
]
WAYS: list[Callable[[toolmend.Outcome], Any]] = [
    lambda outcome: outcome.digest,
    lambda outcome: outcome.json,
    lambda outcome: outcome.to_dict(),
    lambda outcome: outcome.to_json(),
    hash,
    lambda outcome: outcome == toolmend.compile(ID).repair('{"id": 1}'),
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_an_outcome_does_not_contradict_itself_when_its_data_changes(change: Callable[[dict[str, Any]], Any]) -> None:
    contract = toolmend.compile(ID, name="t")
    for way in WAYS:
        data: dict[str, Any] = {"id": 1}
        outcome = contract.repair(data)
        change(data)
        with pytest.raises(ValueError, match="changed"):
            way(outcome)
        assert (outcome.ok, outcome.issues, outcome.warnings, outcome.patch()) == (True, (), (), [])
        assert (outcome.log()["status"], outcome.log()["tool"]) == ("unchanged", "t")
        assert repr(outcome) == "<Outcome unchanged>"
    data = {"id": 1}
    outcome = contract.repair(data)
    digest = outcome.digest
    change(data)
    assert (outcome.digest, outcome.json) == (digest, '{"id":1}'), "what was made once stays"


def test_what_would_be_repaired_now_was_not_found_valid() -> None:
    data: dict[str, Any] = {"id": 1}
    outcome = toolmend.compile(ID, policy="lenient").repair(data)
    data["id"] = "1"
    with pytest.raises(ValueError, match="changed"):
        _ = outcome.digest
    data["id"] = 2
    assert outcome.json == '{"id":2}', "still valid as it came"


def test_text_and_bytes_are_no_list_of_calls() -> None:
    contract = toolmend.compile(ID)
    wrong: list[Any] = ["{}", b"{}", bytearray(b'{"id":1}'), memoryview(b"{}"), {"id": 1}, None, 5]
    for calls in wrong:
        with pytest.raises(TypeError, match="calls"):
            contract.repair_many(calls)
    assert all(outcome.ok for outcome in contract.repair_many(iter(['{"id":1}', {"id": 2}])))


def test_what_a_guard_says_may_leave_parts_unsaid_and_has_a_pointer_that_is_one() -> None:
    contract = toolmend.compile(ID)
    issue = contract.refuse({"hint": "h", "reason": None, "path": None, "code": None}).issues[0]
    assert issue.to_dict() == {"code": "precondition_failed", "path": "", "hint": "h"}
    for path in ("/~2", "/a~", "/~", "id", "/a/~x"):
        with pytest.raises(ValueError, match="RFC 6901"):
            contract.refuse({"hint": "h", "path": path})
    for path in ("", "/", "/~0~1/a//b", "/id"):
        assert contract.refuse({"hint": "h", "path": path}).issues[0].path == path
    assert contract.refuse({"hint": "a\ud800b\udfff\udffec"}).issues[0].hint == "a\ufffdb\ufffd\ufffdc"
    wrong: list[Any] = [{"hint": None}, {"hint": 5}, {1: "h"}, ["h"], [], (), {"hint": "h", "x": 1}]
    for given in wrong:
        with pytest.raises(ValueError, match=r"hint|dict|issue"):
            contract.refuse(given)


def test_a_name_is_replaced_as_in_every_language() -> None:
    attempts = compile_tools({"t": ID}).attempts(9)
    assert [attempts.decide(f"x{half}", "{}").reason for half in ("\ud800", "\ud801")] == [None, None]
    assert attempts.to_dict()["unknown"]["calls"][0]["sent"] == UNKNOWN


def test_what_a_guard_raises_is_raised_in_report_mode_too() -> None:
    def broken(_: Any) -> None:
        raise LookupError("broken")

    toolbox = compile_tools({"t": ID}, mode="report", tools={"t": {"guards": broken}})
    with pytest.raises(LookupError):
        toolbox.attempts().decide("t", {"id": 1})
    assert toolbox.attempts().decide("t", {"id": "x"}).action == "run"


def test_a_bad_schema_of_results_is_told_by_its_place_in_the_definition() -> None:
    bad = {"type": "objekt"}
    given: list[tuple[dict[str, Any], str]] = [
        ({"name": "t", "inputSchema": ID, "outputSchema": bad}, "/outputSchema/type"),
        ({"name": "t", "input_schema": ID, "output_schema": bad}, "/output_schema/type"),
        ({"name": "t", "inputSchema": ID, "outputSchema": 5, "output_schema": bad}, "/output_schema/type"),
        (
            {"type": "function", "function": {"name": "t", "parameters": ID, "outputSchema": bad}},
            "/function/outputSchema/type",
        ),
    ]
    for definition, path in given:
        assert [fault.path for fault in compile_tools([definition]).faults] == [path]
    (fault,) = compile_tools([{"name": "t", "inputSchema": ID}], tools={"t": {"output": bad}}).faults
    assert fault.path == ""
    assert fault.message.startswith("the option `output` at /type: ")


@pytest.mark.parametrize("everywhere", [True, False])
def test_two_observers_that_are_one_function_are_two(*, everywhere: bool) -> None:
    told: list[str | None] = []

    def listener(event: Event) -> None:
        told.append(event.tool)

    toolbox = compile_tools({"t": ID})
    observe = observe_all if everywhere else toolbox.observe
    one, two = observe(listener), observe(listener)
    one()
    one()
    toolbox.repair("t", "{}")
    two()
    toolbox.repair("t", "{}")
    assert told == ["t"]


def test_observers_come_and_go_in_threads() -> None:
    toolbox = compile_tools({"t": ID})
    told: list[int] = []
    stops: list[Callable[[], None]] = []

    def work(number: int) -> None:
        for _ in range(100):
            stops.append(toolbox.observe(lambda _: told.append(number)))
            observe_all(lambda _: None)()
            toolbox.observe(lambda _: None)()
            toolbox.repair("t", "{}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told.clear()
    toolbox.repair("t", "{}")
    assert sorted(told) == sorted([*range(8)] * 100)
    for stop in stops:
        stop()
    told.clear()
    toolbox.repair("t", "{}")
    assert told == []


def test_a_state_is_plain_json() -> None:
    attempts = compile_tools({"t": ID}).attempts()
    attempts.decide("t", memoryview(b"{}"), turn="#1")
    assert json.loads(json.dumps(attempts.to_dict()))["refused"]["t"]["calls"][0]["turn"] == "##1"
