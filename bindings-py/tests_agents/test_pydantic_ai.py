"""Pydantic AI's own agent loop, with its `FunctionModel`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.tools import Tool
from script import (
    CORRECTED,
    HARD,
    HARD_VALUE,
    MENDED,
    NAMES,
    NESTED,
    NESTED_CALL,
    NESTED_VALUE,
    REFUSED,
    VALID,
    Received,
)
from toolmend import compile_tools
from toolmend.pydantic_ai import Mend


class Scripted:
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done.

    A list in the script is one reply with several calls. A call is a name, arguments, and an id if it is to have one.
    """

    def __init__(self, *calls: Any, finish: Any = None) -> None:
        self.script = list(calls)
        self.finish = finish
        self.told: list[str] = []

    def __call__(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        for part in messages[-1].parts:
            if isinstance(part, (ToolReturnPart, RetryPromptPart)):
                self.told.append(str(part.content))
        if not self.script:
            return ModelResponse(parts=[TextPart("done")])
        reply = self.script.pop(0)
        parts = [
            ToolCallPart(name, arguments, tool_call_id=own_id[0] if own_id else f"call_{len(self.script)}_{index}")
            for index, (name, arguments, *own_id) in enumerate(reply if isinstance(reply, list) else [reply])
        ]
        return ModelResponse(parts=parts, finish_reason=self.finish)

    async def stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        """Play the same, each call in two pieces."""
        for index, part in enumerate(self(messages, info).parts):
            if isinstance(part, ToolCallPart):
                text = str(part.args)
                half = len(text) // 2
                name, call_id = part.tool_name, part.tool_call_id
                yield {index: DeltaToolCall(name, text[:half], tool_call_id=call_id)}
                yield {index: DeltaToolCall(None, text[half:], tool_call_id=call_id)}
            elif isinstance(part, TextPart):
                yield part.content


def tools(received: Received) -> list[Tool[Any]]:
    return [
        Tool.from_schema(received.index, "index", "d", NAMES),
        Tool.from_schema(received.order, "order", "d", NESTED),
    ]


def play(
    *calls: Any, mend: Mend | None = None, stream: bool = False, finish: Any = None
) -> tuple[list[Any], list[str]]:
    received, model = Received(), Scripted(*calls, finish=finish)
    function = FunctionModel(model, stream_function=model.stream)
    agent = Agent(function, tools=tools(received), capabilities=[mend or Mend()])

    async def run() -> None:
        if stream:
            async with agent.run_stream_events("go") as events:
                async for _ in events:
                    pass
        else:
            await agent.run("go")

    asyncio.run(run())
    return list(received), model.told


@pytest.mark.parametrize("stream", [False, True])
def test_the_loop(stream: bool) -> None:
    received, told = play(
        ("index", VALID),
        ("index", MENDED),
        ("index", REFUSED),
        ("index", CORRECTED),
        ("order", NESTED_CALL),
        stream=stream,
    )
    assert received == [
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
        NESTED_VALUE,
    ]
    assert told[2].startswith("Not run. Resend the whole call")
    assert told[3:] == ["indexed", "ordered"]


def test_an_identical_resend_is_stopped() -> None:
    toolbox = compile_tools({"index": NAMES})
    for mend in (Mend(), Mend(toolbox)):
        received, told = play(("index", REFUSED), ("index", REFUSED), ("index", VALID), mend=mend)
        assert received == [{"data_source_names": ["dotnet/eshop"]}]
        assert "refused before" in told[1]
        assert [play(("index", REFUSED), mend=mend)[1][0].startswith("Not run.") for _ in range(2)] == [True, True]


def test_a_typed_tool_gets_what_its_types_say() -> None:
    got: list[Any] = []

    def add(numbers: list[int], label: str) -> str:
        got.append((numbers, label))
        return "added"

    model = Scripted(("add", '{"numbers": 123456789012345678, "label": "x"}'))
    asyncio.run(Agent(FunctionModel(model), tools=[add], capabilities=[Mend()]).run("go"))
    assert got == [([123456789012345678], "x")]


class Line(BaseModel):
    model_config = ConfigDict(strict=True)

    price: Decimal
    at: datetime


def test_text_stays_text_so_that_strict_types_and_digits_hold() -> None:
    got: list[Any] = []

    def order(lines: list[Line]) -> str:
        got.extend(lines)
        return "ordered"

    model = Scripted(("order", '{"lines": {"price": "0.12345678901234567890", "at": "2026-01-01T00:00:00Z"}}'))
    asyncio.run(Agent(FunctionModel(model), tools=[order], capabilities=[Mend()]).run("go"))
    assert model.told == ["ordered"]
    assert got == [Line(price=Decimal("0.12345678901234567890"), at=datetime(2026, 1, 1, tzinfo=timezone.utc))]


def test_calls_of_one_reply_are_one_attempt() -> None:
    received, told = play(
        [("index", REFUSED), ("index", '{"data_source_names": null}'), ("order", NESTED_CALL)], ("index", VALID)
    )
    assert received == [NESTED_VALUE, {"data_source_names": ["dotnet/eshop"]}]
    assert sum(text.startswith("Not run. Resend") for text in told) == 2
    assert not any("last attempt" in text for text in told)


def test_the_finish_reason_counts() -> None:
    received, told = play(("index", VALID), finish="length")
    assert (received, told[0].startswith("Not run.")) == ([], True)


def test_an_approval_is_asked_for_canonical_arguments() -> None:
    got: list[Any] = []

    def add(numbers: list[int]) -> str:
        got.append(numbers)
        return "added"

    model = Scripted(("add", '{"numbers": 5}'))
    tool = Tool(add, requires_approval=True)
    agent = Agent(FunctionModel(model), tools=[tool], output_type=[str, DeferredToolRequests], capabilities=[Mend()])

    async def run() -> None:
        asked = await agent.run("go")
        assert isinstance(asked.output, DeferredToolRequests)
        (call,) = asked.output.approvals
        answer = DeferredToolResults(approvals={call.tool_call_id: True})
        await agent.run(message_history=asked.all_messages(), deferred_tool_results=answer)

    asyncio.run(run())
    assert got == [[5]]
    refused = Scripted(("add", '{"numbers": "a, b"}'))
    with agent.override(model=FunctionModel(refused)):
        asyncio.run(agent.run("go"))
    assert refused.told[0].startswith("Not run."), "nobody is asked to approve a refused call"


def test_the_budget_and_not_the_tools_own_retries_ends_the_attempts() -> None:
    calls = [("index", f'{{"data_source_names": {wrong}}}') for wrong in ("null", "[5]", "true", "{}")]
    received, told = play(*calls, ("index", VALID), mend=Mend(budget=4))
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
    assert ["last attempt" in text for text in told] == [False, False, False, True, False]


A, B = {"data_source_names": ["a"]}, {"data_source_names": ["b"]}
SENT_A, SENT_B = '{"data_source_names": "a"}', '{"data_source_names": "b"}'


@pytest.mark.parametrize("call_id", ["same", ""])
def test_calls_that_their_ids_do_not_tell_apart_never_get_what_is_anothers(call_id: str) -> None:
    """The framework itself ends a run whose calls have no ids of their own."""
    for texts in ((SENT_A, SENT_B), (REFUSED, SENT_B), (SENT_A, REFUSED)):
        received = Received()
        model = FunctionModel(Scripted([("index", text, call_id) for text in texts]))
        agent = Agent(model, tools=tools(received), capabilities=[Mend()])
        with pytest.raises(UnexpectedModelBehavior):
            agent.run_sync("go")
        assert list(received) == []


def test_an_id_that_comes_again_brings_nothing_of_an_earlier_reply() -> None:
    received, told = play(*(("index", text, "c") for text in (REFUSED, SENT_A, REFUSED, SENT_B)))
    assert received == [A, B]
    assert [text.startswith("Not run.") for text in told] == [True, False, True, False]


def test_an_agent_as_a_tool_and_runs_at_the_same_time_have_attempts_and_calls_of_their_own() -> None:
    shared = Mend()

    async def run(number: int) -> None:
        received = Received()
        mine = f'{{"data_source_names": "{number}"}}'
        inner, outer = Scripted(("index", REFUSED, "c"), ("index", SENT_A, "c")), Scripted()
        helper = Agent(FunctionModel(inner), tools=tools(received), capabilities=[shared])

        async def ask(task: str) -> str:
            return (await helper.run(task)).output

        ask_call = ("ask", '{"task": "x"}', "a")
        outer.script = [[ask_call, ("index", REFUSED, "c")], [("index", REFUSED, "c"), ask_call], ("index", mine, "c")]
        agent = Agent(FunctionModel(outer), tools=[*tools(received), Tool(ask)], capabilities=[shared])
        await agent.run("go")
        assert list(received) == [A, {"data_source_names": [str(number)]}]
        assert inner.told == [inner.told[0], "indexed"]
        assert inner.told[0].startswith("Not run. Resend")
        refused = [text for text in outer.told if "Not run." in text]
        assert ["refused before" in text for text in refused] == [False, True], "of the outer run itself"

    async def runs() -> None:
        await asyncio.gather(*(run(number) for number in range(20)))

    asyncio.run(runs())


def test_digits_and_characters_arrive_untouched() -> None:
    assert play(("order", HARD))[0] == [HARD_VALUE]


def test_a_typed_tool_gets_every_digit() -> None:
    got: list[Any] = []

    def pay(id: int, amount: Decimal, memos: list[str]) -> str:  # noqa: A002
        got.append((id, amount, memos))
        return "paid"

    call = '{"id": 123456789012345678901234567890, "amount": "0.12345678901234567890", "memos": "\\ud83d\\ude00"}'
    asyncio.run(Agent(FunctionModel(Scripted(("pay", call))), tools=[pay], capabilities=[Mend()]).run("go"))
    assert got == [(123456789012345678901234567890, Decimal("0.12345678901234567890"), ["\U0001f600"])]
