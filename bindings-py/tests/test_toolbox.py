"""Many tools at once: definitions, policies, guards, messages, attempts."""

from __future__ import annotations

import asyncio
import json
from enum import IntEnum
from pathlib import Path
from typing import Any

import pydantic
import pytest
import toolmend
from toolmend import Event, _core, _messages, compile_tools

NAMES = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
    "additionalProperties": False,
}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
LISTED = [
    {"type": "function", "function": {"name": "index", "parameters": NAMES}},
    {"name": "delete", "inputSchema": COUNT, "annotations": {"destructiveHint": True}},
    {"name": "bad", "inputSchema": {"type": "objekt"}},
]
MESSAGES = Path(__file__).parents[2] / "tests" / "agents" / "messages.jsonl"


def test_one_bad_schema_hides_no_other_tool() -> None:
    toolbox = compile_tools(LISTED)
    assert toolbox.names == ["index", "delete"]
    assert [(fault.name, fault.index) for fault in toolbox.faults] == [("bad", 2)]
    assert toolbox.faults[0].path.endswith("/type")
    assert toolbox.repair("index", '{"names": "a"}').value == {"names": ["a"]}
    assert [toolbox.repair(name, "{}").issues[0].code for name in ("bad", "indexx")] == ["unknown_tool"] * 2
    assert toolbox.repair("Index", "{}").issues[0].candidates[0] == "index"


def test_what_may_destroy_is_repaired_no_further_than_narrow() -> None:
    call = '{"count": "5"}'
    rules: Any = {"parse_number": True}
    for toolbox, ok in [
        (compile_tools(LISTED, policy="lenient"), False),
        (compile_tools(LISTED, rules=rules), False),
        (compile_tools(LISTED, tools={"delete": {"policy": "lenient"}}), True),
        (compile_tools(LISTED, tools={"delete": {"effect": "write"}}, policy="lenient"), True),
        (compile_tools(LISTED, policy="strict"), False),
    ]:
        assert toolbox.repair("delete", call).ok is ok
    assert compile_tools(LISTED).effect("delete") == "destructive"


def test_models_and_functions_are_tools() -> None:
    class Forecast(pydantic.BaseModel):
        city: str
        days: list[int]

    def add(one: int, two: int = 0) -> int:
        return one + two

    class Desk:
        async def add(self, one: int, two: int = 0) -> int:
            return one + two

    for toolbox in (
        compile_tools([Forecast, add]),
        compile_tools([Forecast, Desk().add]),
        compile_tools({"Forecast": Forecast, "add": add}),
    ):
        assert toolbox.names == ["Forecast", "add"]
        assert toolbox.repair("Forecast", '{"city": "Bern", "days": 3}').value == {"city": "Bern", "days": [3]}
        assert toolbox.repair("add", {"one": 1}).ok
        assert toolbox.repair("add", {"two": 1}).issues[0].code == "missing_property"


def test_guards_refuse_in_the_shape_of_all_issues() -> None:
    async def later(_: Any) -> list[Any]:
        await asyncio.sleep(0)
        return ["later", {"hint": "closed", "path": "/count", "reason": "order_closed"}]

    def now(value: Any) -> str | None:
        return "too many" if value["count"] > 9 else None

    def wrong(_: Any) -> Any:
        return True

    toolbox = compile_tools(LISTED, tools={"delete": {"guards": now}})
    assert toolbox.repair("delete", '{"count": 3}').ok
    assert [issue.to_dict() for issue in toolbox.repair("delete", '{"count": 10}').issues] == [
        {"code": "precondition_failed", "path": "", "hint": "too many"}
    ]
    assert toolbox.repair("delete", "{}").issues[0].code == "missing_property", "an invalid call reaches no guard"
    toolbox = compile_tools(LISTED, tools={"delete": {"guards": [now, later]}})
    with pytest.raises(TypeError, match="repair_async"):
        toolbox.repair("delete", '{"count": 3}')
    outcome = asyncio.run(toolbox.repair_async("delete", '{"count": 30}'))
    assert [issue.reason for issue in outcome.issues] == [None, None, "order_closed"]
    with pytest.raises(TypeError, match="guard"):
        compile_tools(LISTED, tools={"delete": {"guards": wrong}}).repair("delete", {"count": 1})


@pytest.mark.parametrize("line", MESSAGES.read_text().splitlines(), ids=lambda line: json.loads(line)["name"])
def test_messages(line: str) -> None:
    given = json.loads(line)
    message, finish = given["message"], given.get("given")
    if given.get("error"):
        for read in (compile_tools({"x": {}}).repair_message, compile_tools({"x": {}}).attempts().decide_message):
            with pytest.raises(ValueError, match="message"):
                read(message, finish=finish)
        return
    want = []
    for call in given["calls"]:
        contract = toolmend.compile({"type": "object"}, name=call["name"], policy="adapter")
        outcome = contract.repair(call.get("arguments"), finish=call.get("finish") or given.get("finish"))
        want.append((call["name"], call.get("id"), outcome))
    toolbox = compile_tools({name: {"type": "object"} for name, _, _ in want}, policy="adapter")
    calls = toolbox.repair_message(message, finish=finish)
    assert [(call.name, call.id, call.outcome) for call in calls] == want
    decisions = toolbox.attempts().decide_message(message, finish=finish)
    assert [(each.tool, each.id, each.outcome) for each in decisions] == want
    decisions = asyncio.run(toolbox.attempts().decide_message_async(message, finish=finish))
    assert [(each.tool, each.id, each.outcome) for each in decisions] == want


def test_a_message_that_holds_itself_is_none() -> None:
    message: dict[str, Any] = {}
    message["choices"] = [message]
    response: dict[str, Any] = {}
    response["message"] = response
    metadata: dict[str, Any] = {"role": "assistant"}
    metadata["response_metadata"] = metadata
    for each in (message, response):
        with pytest.raises(ValueError, match="message"):
            compile_tools({}).repair_message(each)
    assert compile_tools({}).repair_message(metadata) == []


def test_an_end_of_a_reply_that_nobody_knows_is_an_error_of_the_host() -> None:
    message = {
        "finish_reason": "length",
        "message": {"role": "assistant", "tool_calls": [{"name": "delete", "args": {}}]},
    }
    unknown: list[Any] = ["cut", 5, ["stop"]]
    for finish in unknown:
        with pytest.raises((ValueError, TypeError), match="finish"):
            compile_tools(LISTED).repair_message(message, finish=finish)
        with pytest.raises((ValueError, TypeError), match="finish"):
            compile_tools(LISTED).attempts().decide_message(message, finish=finish)


def test_the_ends_that_cut_are_those_of_the_core() -> None:
    contract = toolmend.compile({})
    cut = {finish for finish in _core.FINISHES if not contract.repair({}, finish=finish).ok}
    assert cut == _messages.CUT


def test_an_end_of_an_sdk_may_be_a_number_with_a_name() -> None:
    class Reason(IntEnum):
        STOP = 1
        MAX_TOKENS = 2

    part = {"function_call": {"name": "index", "args": {"names": ["a"]}}}
    for member, is_ok in zip(Reason, (True, False), strict=True):
        message = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finish_reason": member}]}
        assert [call.outcome.ok for call in compile_tools(LISTED).repair_message(message)] == [is_ok]


def test_messages_of_sdks_are_objects() -> None:
    class Function:
        name = "index"
        arguments = '{"names": "a"}'

    class ToolCall:
        id = "call_1"
        type = "function"
        function = Function()

    class Message:
        role = "assistant"
        content = None
        tool_calls = (ToolCall(),)

    class Choice:
        message = Message()
        finish_reason = "length"

    (call,) = compile_tools(LISTED).repair_message(Message())
    assert (call.id, call.outcome.value) == ("call_1", {"names": ["a"]})
    (call,) = compile_tools(LISTED).repair_message(Choice())
    assert call.outcome.issues[0].code == "truncated"


def test_attempts_decide_what_follows() -> None:
    toolbox = compile_tools(LISTED)
    attempts = toolbox.attempts(budget=3)
    first = attempts.decide("index", "{}", id="call_1")
    assert (first.action, first.attempt, first.remaining, first.id, first.value) == ("retry", 1, 2, "call_1", None)
    second = attempts.decide("index", '{"name": "a"}')
    assert second.action == "retry"
    assert "names: " in (second.message or ""), "the keys that there are"
    attempts = toolbox.attempts(state=json.loads(json.dumps(attempts.to_dict())))
    again = attempts.decide("index", {})
    assert (again.action, again.reason) == ("stop", "repeated")
    good = attempts.decide("index", '{"names": "a"}')
    assert (good.action, good.value, good.attempt) == ("run", {"names": ["a"]}, 4)
    assert attempts.to_dict() == toolbox.attempts().to_dict()
    with pytest.raises(ValueError, match="log"):
        toolbox.attempts(state={"budget": "many"})


def test_the_calls_of_one_message_are_one_attempt() -> None:
    attempts = compile_tools(LISTED).attempts(budget=2)
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "index", "arguments": "{}"}}] * 3}
    assert [decision.action for decision in attempts.decide_message(message)] == ["retry"] * 3
    assert [decision.reason for decision in asyncio.run(attempts.decide_message_async(message))] == ["repeated"] * 3


def test_report_mode_touches_nothing() -> None:
    toolbox = compile_tools(LISTED, mode="report")
    attempts = toolbox.attempts()
    for arguments in ('{"names": "a"}', "{", {"names": "a"}):
        decision = attempts.decide("index", arguments)
        assert (decision.action, decision.value) == ("run", arguments)
    assert decision.outcome.status == "repaired"


def test_results_are_checked() -> None:
    tool = {"name": "count", "inputSchema": {}, "outputSchema": COUNT}
    toolbox = compile_tools([tool, {"name": "other", "inputSchema": {}}], tools={"other": {"output": NAMES}})
    for name, good, bad in (("count", {"count": 1}, {"count": "1"}), ("other", {"names": ["a"]}, {"names": "a"})):
        checked = [toolbox.check(name, result) for result in (good, bad)]
        assert [outcome is not None and outcome.ok for outcome in checked] == [True, False]
    assert compile_tools(LISTED).check("index", {}) is None


def test_every_answer_is_told_once() -> None:
    toolbox = compile_tools(LISTED)
    events: list[Event] = []
    stop = toolbox.observe(events.append)
    toolbox.repair("index", '{"names": "a"}')
    toolbox.repair("secret name", "{}")
    attempts = toolbox.attempts()
    attempts.decide("index", "{}")
    attempts.decide("index", '{"names": []}')
    stop()
    toolbox.repair("index", "{}")
    assert [(event.tool, event.outcome.status, event.decision is None, event.after) for event in events] == [
        ("index", "repaired", True, None),
        (None, "refused", True, None),
        ("index", "refused", False, None),
        ("index", "unchanged", False, "refused"),
    ]


def test_mistakes_of_the_host_are_errors() -> None:
    with pytest.raises(toolmend.SchemaError):
        compile_tools(5)
    wrong: list[dict[str, Any]] = [
        {"tools": {"none": {}}},
        {"mode": "off"},
        {"policy": "wide"},
        {"tools": {"index": {"effect": "x"}}},
    ]
    for options in wrong:
        with pytest.raises(ValueError, match=r"none|off|wide|effect"):
            compile_tools(LISTED, **options)


def test_a_log_that_is_gone_on_with_for_each_message_counts_each() -> None:
    toolbox = compile_tools(LISTED)
    state: dict[str, Any] | None = None
    told = []
    for wrong in (1, 2, 3, 3):
        attempts = toolbox.attempts(3, state=state)
        call = {"id": "1", "type": "function", "function": {"name": "index", "arguments": f'{{"names": {wrong}}}'}}
        # Two calls of one message are one attempt.
        told.append(attempts.decide_message({"role": "assistant", "tool_calls": [call, call]})[1])
        state = json.loads(json.dumps(attempts.to_dict()))
    assert [(each.action, each.attempt, each.reason) for each in told] == [
        ("retry", 1, None),
        ("retry", 2, None),
        ("stop", 3, "budget"),
        ("stop", 4, "repeated"),
    ]


def test_calls_of_a_message_that_their_ids_do_not_tell_apart_get_what_is_their_own() -> None:
    toolbox = compile_tools(LISTED)
    for call_id in ("same", "", None):
        calls = [
            {"id": call_id, "type": "function", "function": {"name": "index", "arguments": f'{{"names": {names}}}'}}
            for names in ('"a"', "5", '"b"')
        ]
        message = {"role": "assistant", "tool_calls": calls}
        assert [call.outcome.ok and call.outcome.value for call in toolbox.repair_message(message)] == [
            {"names": ["a"]},
            False,
            {"names": ["b"]},
        ]
        decisions = toolbox.attempts().decide_message(message)
        assert [decision.value for decision in decisions] == [{"names": ["a"]}, None, {"names": ["b"]}]
