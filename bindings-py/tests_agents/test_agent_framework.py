"""Microsoft Agent Framework's own agent loop, with a chat client that plays a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Mapping, Sequence
from typing import Any

import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionTool,
    Message,
    ResponseStream,
)
from toolmend.agent_framework import mend

from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done."""

    def __init__(self, *calls: tuple[str, str], finish: str = "tool_calls") -> None:
        super().__init__()
        self.script = list(calls)
        self.finish = finish
        self.told: list[str] = []

    def _reply(self, messages: Sequence[Message]) -> tuple[list[Content], str]:
        results = [content for content in messages[-1].contents if content.type == "function_result"]
        self.told.extend(str(content.result) for content in results)
        if not self.script:
            return [Content.from_text("done")], "stop"
        name, arguments = self.script.pop(0)
        return [Content.from_function_call(f"call_{len(self.script)}", name, arguments=arguments)], self.finish

    def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any) -> Any:
        contents, finish = self._reply(messages)
        if stream:

            async def updates() -> AsyncIterable[ChatResponseUpdate]:
                yield ChatResponseUpdate(role="assistant", contents=contents, finish_reason=finish)

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def response() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=contents)], finish_reason=finish)

        return response()


def tools(received: Received, **options: Any) -> list[FunctionTool]:
    return [
        FunctionTool(name="index", description="d", func=received.index, input_model=NAMES, **options),
        FunctionTool(name="order", description="d", func=received.order, input_model=NESTED, **options),
    ]


def play(*calls: tuple[str, str], stream: bool = False, finish: str = "tool_calls") -> tuple[list[Any], list[str]]:
    received = Received()
    client = Scripted(*calls, finish=finish)
    own = tools(received)
    agent = Agent(client=client, tools=own, middleware=mend(own))

    async def run() -> None:
        if stream:
            async for _ in agent.run("go", stream=True):
                pass
        else:
            await agent.run("go")

    asyncio.run(run())
    return list(received), client.told


@pytest.mark.parametrize("stream", [False, True])
def test_the_loop(stream: bool) -> None:
    received, told = play(
        ("index", VALID), ("index", MENDED), ("index", REFUSED), ("index", CORRECTED), ("order", NESTED_CALL), stream=stream
    )
    assert received == [
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop"]},
        {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
        NESTED_VALUE,
    ]
    assert told[:2] == ["indexed", "indexed"]
    assert told[2].startswith("Not run. Resend the whole call")
    assert "/data_source_names" in told[2]
    assert told[3:] == ["indexed", "ordered"]


def test_an_identical_resend_is_stopped() -> None:
    received, told = play(("index", REFUSED), ("index", REFUSED), ("index", VALID))
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
    assert "refused before" in told[1]


def test_text_that_is_no_json_and_text_that_was_cut_reach_no_tool() -> None:
    received, told = play(("index", '{"data_source_names": ["a"'))
    assert (received, "cut" in told[0] or "ends" in told[0]) == ([], True)
    assert play(("index", VALID), finish="length")[0] == []


def test_two_runs_of_one_agent_have_attempts_of_their_own() -> None:
    received = Received()
    own = tools(received)
    client = Scripted(("index", REFUSED))
    agent = Agent(client=client, tools=own, middleware=mend(own))

    async def run() -> None:
        await agent.run("go")
        client.script = [("index", REFUSED)]
        await agent.run("go again")

    asyncio.run(run())
    assert [text.startswith("Not run. Resend") for text in client.told] == [True, True]


def test_without_the_middleware_the_founding_call_fails() -> None:
    received = Received()
    client = Scripted(("index", MENDED))
    asyncio.run(Agent(client=client, tools=tools(received)).run("go"))
    assert received == []
    assert "rror" in client.told[0]


def test_an_approval_is_asked_for_canonical_arguments() -> None:
    received = Received()
    own = tools(received, approval_mode="always_require")
    client = Scripted(("index", MENDED))
    agent = Agent(client=client, tools=own, middleware=mend(own))

    async def run() -> None:
        session = agent.create_session()
        asked = await agent.run("go", session=session)
        (request,) = asked.user_input_requests
        assert request.function_call.arguments == '{"data_source_names":["dotnet/eshop"]}'
        await agent.run(Message(role="user", contents=[request.to_function_approval_response(approved=True)]), session=session)

    asyncio.run(run())
    assert received == [{"data_source_names": ["dotnet/eshop"]}]
