"""LangChain's own agent loop, with a chat model that plays a script."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import StructuredTool
from langchain_core.utils.json import parse_partial_json
from langgraph.checkpoint.memory import InMemorySaver
from toolmend.langchain import Mend

from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received


class Scripted(GenericFakeChatModel):
    """A model that plays the messages that it is given."""

    def bind_tools(self, *_: Any, **__: Any) -> Scripted:
        return self


def replies(*calls: tuple[str, str]) -> list[AIMessage]:
    messages = []
    for index, (name, text) in enumerate(calls):
        call_id = f"call_{index}"
        try:
            parsed = {"tool_calls": [tool_call(name=name, args=json.loads(text), id=call_id)]}
        except ValueError:
            parsed = {"invalid_tool_calls": [invalid_tool_call(name=name, args=text, id=call_id, error="e")]}
        messages.append(AIMessage(content="", id=f"m{index}", **parsed))
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
    given = {"messages": [("user", "go")]}
    config: Any = {"configurable": {"thread_id": "1"}}
    state = asyncio.run(agent.ainvoke(given, config)) if is_async else agent.invoke(given, config)
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
