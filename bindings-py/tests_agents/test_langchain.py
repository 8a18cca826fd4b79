"""LangChain's own agent loop, with a chat model that plays a script."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import StructuredTool, tool
from langchain_core.utils.json import parse_partial_json
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
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
from toolmend.langchain import Mend

GO: Any = {"messages": [("user", "go")]}


class Scripted(GenericFakeChatModel):
    """A model that plays the messages that it is given."""

    def bind_tools(self, *_: Any, **__: Any) -> Scripted:
        return self


def replies(*calls: Any) -> list[AIMessage]:
    """Give a message for each call, or for each list of calls, and one that says that the model is done."""
    messages = []
    for index, reply in enumerate(calls):
        read: list[Any] = []
        unread: list[Any] = []
        for each, (name, text) in enumerate(reply if isinstance(reply, list) else [reply]):
            call_id = f"call_{index}_{each}"
            try:
                read.append(tool_call(name=name, args=json.loads(text), id=call_id))
            except ValueError:
                unread.append(invalid_tool_call(name=name, args=text, id=call_id, error="e"))
        messages.append(AIMessage(content="", id=f"m{index}", tool_calls=read, invalid_tool_calls=unread))
    return [*messages, AIMessage(content="done")]


def tools(received: Received) -> list[StructuredTool]:
    return [
        StructuredTool.from_function(received.index, name="index", description="d", args_schema=NAMES),
        StructuredTool.from_function(received.order, name="order", description="d", args_schema=NESTED),
    ]


def play(messages: list[AIMessage], *, is_async: bool = False, **options: Any) -> tuple[list[Any], list[str]]:
    received = Received()
    own = tools(received)
    agent = create_agent(Scripted(messages=iter(messages)), own, middleware=[Mend(own)], **options)
    config: Any = {"configurable": {"thread_id": "1"}}
    state = asyncio.run(agent.ainvoke(GO, config)) if is_async else agent.invoke(GO, config)
    told = [str(message.content) for message in state["messages"] if isinstance(message, ToolMessage)]
    return list(received), told


@pytest.mark.parametrize("is_async", [False, True])
def test_the_loop(is_async: bool) -> None:
    calls = (("index", VALID), ("index", MENDED), ("index", REFUSED), ("index", CORRECTED), ("order", NESTED_CALL))
    received, told = play(replies(*calls), is_async=is_async, checkpointer=InMemorySaver())
    assert received == [
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
        NESTED_VALUE,
    ]
    assert told[2].startswith("Not run. Resend the whole call")
    assert told[3:] == ["indexed", "ordered"]


def test_an_identical_resend_is_stopped() -> None:
    received, told = play(replies(("index", REFUSED), ("index", REFUSED), ("index", VALID)))
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
    assert "refused before" in told[1]


def test_text_that_langchain_cannot_read_is_mended_or_refused() -> None:
    received, told = play(replies(("index", f"```json\n{MENDED}\n```"), ("index", '{"data_source_names": ["a"')))
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
    assert told[0] == "indexed"
    assert told[1].startswith("Not run.")


def test_a_call_that_a_stream_completed_is_refused_as_cut() -> None:
    text = '{"data_source_names": ["dotnet/es'
    message = AIMessage(
        content="",
        id="m",
        tool_calls=[tool_call(name="index", args=parse_partial_json(text), id="call_1")],
        additional_kwargs={"tool_calls": [{"id": "call_1", "function": {"name": "index", "arguments": text}}]},
    )
    assert message.tool_calls[0]["args"] == {"data_source_names": ["dotnet/es"]}, "what LangChain makes of it"
    received, told = play([message, AIMessage(content="done")])
    assert (received, told[0].startswith("Not run.")) == ([], True)


def test_the_finish_reason_counts() -> None:
    messages = replies(("index", VALID))
    messages[0].response_metadata = {"finish_reason": "length"}
    assert play(messages)[0] == []


def test_calls_of_one_reply_are_one_attempt() -> None:
    reply = [("index", REFUSED), ("index", '{"data_source_names": null}'), ("order", NESTED_CALL)]
    received, told = play(replies(reply, ("index", VALID)))
    assert received == [NESTED_VALUE, {"data_source_names": ["dotnet/eshop"]}]
    assert [text.startswith("Not run. Resend") for text in told] == [True, True, False, False]
    assert not any("last attempt" in text for text in told)


def test_a_run_begins_anew_with_each_message_of_the_user() -> None:
    received = Received()
    own = tools(received)
    script = [*replies(("index", REFUSED)), *replies(("index", REFUSED))]
    for number, message in enumerate(script):
        message.id = f"m{number}"
    agent = create_agent(Scripted(messages=iter(script)), own, middleware=[Mend(own)], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    agent.invoke(GO, config)
    state = agent.invoke(GO, config)
    told = [str(message.content) for message in state["messages"] if isinstance(message, ToolMessage)]
    assert [text.startswith("Not run. Resend") for text in told] == [True, True]
    assert not any("refused before" in text for text in told)
    assert "toolmend" not in state, "the log is the middleware's own"


def test_a_typed_tool_gets_what_its_types_say() -> None:
    got: list[Any] = []

    @tool
    def add(numbers: list[int], at: list[datetime]) -> str:
        """Add numbers."""
        got.append((numbers, at))
        return "added"

    script = replies(("add", '{"numbers": 123456789012345678, "at": "2026-01-01T00:00:00Z"}'))
    create_agent(Scripted(messages=iter(script)), [add], middleware=[Mend([add])]).invoke(
        {"messages": [("user", "go")]}
    )
    assert got == [([123456789012345678], [datetime(2026, 1, 1, tzinfo=timezone.utc)])]


def test_an_approval_sees_canonical_arguments() -> None:
    received = Received()
    own = tools(received)
    agent = create_agent(
        Scripted(messages=iter(replies(("index", MENDED)))),
        own,
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"index": True}), Mend(own)],
        checkpointer=InMemorySaver(),
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    state = agent.invoke(GO, config)
    (interrupt,) = state["__interrupt__"]
    assert interrupt.value["action_requests"][0]["args"] == {"data_source_names": ["dotnet/eshop"]}
    agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]


def test_a_toolbox_brings_guards_that_may_be_asynchronous() -> None:
    async def guard(_: Any) -> dict[str, str]:
        return {"hint": "the index is closed", "reason": "closed"}

    received = Received()
    toolbox = compile_tools({"index": NAMES}, tools={"index": {"guards": guard}})
    agent = create_agent(
        Scripted(messages=iter(replies(("index", VALID)))), tools(received), middleware=[Mend(toolbox)]
    )
    state = asyncio.run(agent.ainvoke(GO))
    assert received == []
    assert "the index is closed" in str(state["messages"][-2].content)


A, B = {"data_source_names": ["a"]}, {"data_source_names": ["b"]}
SENT_A, SENT_B = '{"data_source_names": "a"}', '{"data_source_names": "b"}'


def reply(*calls: tuple[Any, str, str], has_text: bool = False) -> AIMessage:
    """Give a reply whose calls have the ids that are given, and maybe the text that they were read from."""
    sent = [{"id": call_id, "function": {"name": name, "arguments": text}} for call_id, name, text in calls]
    return AIMessage(
        content="",
        tool_calls=[tool_call(name=name, args=parse_partial_json(text), id=call_id) for call_id, name, text in calls],
        additional_kwargs={"tool_calls": sent} if has_text else {},
    )


@pytest.mark.parametrize("has_text", [False, True])
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("call_id", ["same", "", None])
def test_calls_that_their_ids_do_not_tell_apart_get_what_is_their_own(
    call_id: Any, is_async: bool, has_text: bool
) -> None:
    calls = [(call_id, "index", text) for text in (SENT_A, REFUSED, SENT_B)]
    received, told = play([reply(*calls, has_text=has_text), AIMessage("done")], is_async=is_async)
    # The calls of a reply run at the same time.
    assert sorted(received, key=str) == [A, B]
    assert [text.startswith("Not run.") for text in told] == [False, True, False]


def test_an_id_of_two_tools_gives_each_its_own_outcome() -> None:
    for calls in (
        [("c", "index", REFUSED), ("c", "order", NESTED_CALL)],
        [("c", "order", "{}"), ("c", "index", VALID)],
    ):
        received, told = play([reply(*calls), AIMessage("done")])
        assert received == [NESTED_VALUE] if calls[1][1] == "order" else [{"data_source_names": ["dotnet/eshop"]}]
        assert [text.startswith("Not run.") for text in told] == [True, False]


def test_report_mode_changes_nothing() -> None:
    received, events = Received(), list[Any]()
    toolbox = compile_tools({"index": NAMES}, mode="report")
    toolbox.observe(events.append)
    script = [reply(("c", "index", SENT_A), ("c", "index", VALID)), AIMessage("done")]
    agent = create_agent(Scripted(messages=iter(script)), tools(received), middleware=[Mend(toolbox)])
    state = agent.invoke(GO)
    assert state["messages"][1].tool_calls == script[0].tool_calls
    assert sorted(received, key=str) == [{"data_source_names": "a"}, {"data_source_names": ["dotnet/eshop"]}]
    assert [event.outcome.status for event in events] == ["repaired", "unchanged"]


def test_text_that_was_cut_is_refused_beside_a_call_with_the_same_id() -> None:
    calls = [("c", "index", '{"data_source_names": ["dotnet/es'), ("c", "index", VALID), ("c", "index", "no JSON")]
    message = reply(*calls[:2], has_text=True)
    message.invalid_tool_calls = [invalid_tool_call(name="index", args="no JSON", id="c", error="e")]
    message.additional_kwargs["tool_calls"].insert(
        1, {"id": "c", "function": {"name": "index", "arguments": "no JSON"}}
    )
    received, told = play([message, AIMessage("done")])
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
    assert [text.startswith("Not run.") for text in told] == [True, False, True]


def test_text_that_no_call_can_be_found_for_refuses_the_calls_that_it_may_be_of() -> None:
    message = reply(("c", "index", VALID), ("c", "index", SENT_A), has_text=True)
    del message.additional_kwargs["tool_calls"][0]
    received, told = play([message, AIMessage("done")])
    assert (received, [text.startswith("Not run.") for text in told]) == ([], [True, True])


def test_an_id_that_comes_again_brings_nothing_of_an_earlier_reply() -> None:
    received = Received()
    index, order = tools(received)
    script = [reply(("c", "index", REFUSED)), reply(("c", "order", NESTED_CALL)), AIMessage("done")]
    agent = create_agent(Scripted(messages=iter(script)), [index, order], middleware=[Mend([index])])
    told = [str(each.content) for each in agent.invoke(GO)["messages"] if isinstance(each, ToolMessage)]
    assert list(received) == [json.loads(NESTED_CALL)], "`order` is not the middleware's"
    assert told[1] == "ordered"


def test_the_calls_beside_a_structured_answer_go_through_the_boundary() -> None:
    received = Received()
    own = tools(received)
    answer = {"title": "answer", "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    script = [reply(("1", "answer", "{}"), ("2", "answer", "{}"), ("3", "index", MENDED), ("4", "index", REFUSED))]
    agent = create_agent(
        Scripted(messages=iter(script)), own, middleware=[Mend(own)], response_format=ToolStrategy(answer)
    )
    state = agent.invoke(GO)
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]
    told = [str(message.content) for message in state["messages"] if getattr(message, "tool_call_id", None) == "4"]
    assert told[0].startswith("Not run.")


def test_runs_at_the_same_time_have_attempts_and_calls_of_their_own() -> None:
    shared = Mend(tools(Received()))

    def run(number: int) -> tuple[list[Any], list[str]]:
        received = Received()
        mine = f'{{"data_source_names": "{number}"}}'
        script = [reply(("c", "index", REFUSED)), reply(("c", "index", mine)), AIMessage("done")]
        agent = create_agent(Scripted(messages=iter(script)), tools(received), middleware=[shared])
        state = agent.invoke(GO) if number % 2 else asyncio.run(agent.ainvoke(GO))
        return list(received), [str(each.content) for each in state["messages"] if isinstance(each, ToolMessage)]

    with ThreadPoolExecutor(8) as threads:
        for number, (received, told) in enumerate(threads.map(run, range(40))):
            assert received == [{"data_source_names": [str(number)]}]
            assert told[0].startswith("Not run. Resend")
            assert told[1] == "indexed"


def test_digits_and_characters_arrive_untouched() -> None:
    received, _ = play(replies(("order", HARD)))
    assert received == [HARD_VALUE]
