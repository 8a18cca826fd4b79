"""Microsoft Agent Framework's own agent loop, with a chat client that plays a script."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timezone
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
    FunctionMiddleware,
    FunctionTool,
    Message,
    ResponseStream,
    tool,
)
from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received
from toolmend import compile_tools
from toolmend.agent_framework import mend


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done.

    A list in the script is one reply with several calls.
    """

    def __init__(self, *calls: tuple[str, str], finish: str = "tool_calls") -> None:
        super().__init__()
        self.script: list[Any] = list(calls)
        self.finish = finish
        self.told: list[str] = []

    def _reply(self, messages: Sequence[Message]) -> tuple[list[Content], str]:
        results = [content for content in messages[-1].contents if content.type == "function_result"]
        self.told.extend(str(content.result) for content in results)
        if not self.script:
            return [Content.from_text("done")], "stop"
        reply = self.script.pop(0)
        calls = reply if isinstance(reply, list) else [reply]
        return [
            Content.from_function_call(f"call_{len(self.script)}_{index}", name, arguments=arguments)
            for index, (name, arguments) in enumerate(calls)
        ], self.finish

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Any:
        contents, finish = self._reply(messages)
        if stream:

            async def updates() -> AsyncIterable[ChatResponseUpdate]:
                for content in contents:
                    for part in parts(content):
                        yield ChatResponseUpdate(role="assistant", contents=[part])
                yield ChatResponseUpdate(role="assistant", contents=[], finish_reason=finish)

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def response() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=contents)], finish_reason=finish)

        return response()


def parts(content: Content) -> list[Content]:
    """What a stream has of a content: a call's arguments come in two pieces."""
    if content.type != "function_call":
        return [content]
    half = len(content.arguments) // 2
    return [
        Content.from_function_call(content.call_id, content.name, arguments=content.arguments[:half]),
        Content.from_function_call(content.call_id, "", arguments=content.arguments[half:]),
    ]


def tools(received: Received, **options: Any) -> list[FunctionTool]:
    return [
        FunctionTool(name="index", description="d", func=received.index, input_model=NAMES, **options),
        FunctionTool(name="order", description="d", func=received.order, input_model=NESTED, **options),
    ]


def play(
    *calls: Any, stream: bool = False, finish: str = "tool_calls", middleware: Any = None
) -> tuple[list[Any], list[str]]:
    received = Received()
    client = Scripted(*calls, finish=finish)
    agent = Agent(client=client, tools=tools(received), middleware=mend() if middleware is None else middleware)

    async def run() -> None:
        if stream:
            async for _ in agent.run("go", stream=True):
                pass
        else:
            await agent.run("go")

    asyncio.run(run())
    return list(received), client.told


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_the_loop(stream: bool, given: bool) -> None:
    middleware = mend(tools(Received())) if given else None
    received, told = play(
        ("index", VALID),
        ("index", MENDED),
        ("index", REFUSED),
        ("index", CORRECTED),
        ("order", NESTED_CALL),
        stream=stream,
        middleware=middleware,
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
    assert client.told[0].startswith("Error")


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
        await agent.run(
            Message(role="user", contents=[request.to_function_approval_response(approved=True)]), session=session
        )

    asyncio.run(run())
    assert received == [{"data_source_names": ["dotnet/eshop"]}]


def test_an_approval_that_comes_in_another_context_runs_what_was_approved() -> None:
    got: list[Any] = []

    @tool(approval_mode="always_require")
    def book(id: int, at: list[datetime]) -> str:  # noqa: A002
        got.append((id, at))
        return "booked"

    client = Scripted(("book", '{"id": 123456789012345678, "at": "2026-01-01T00:00:00Z"}'))
    agent = Agent(client=client, tools=[book], middleware=mend())
    session = agent.create_session()
    (request,) = asyncio.run(agent.run("go", session=session)).user_input_requests
    answer = Message(role="user", contents=[request.to_function_approval_response(approved=True)])
    asyncio.run(agent.run(answer, session=session))
    assert got == [(123456789012345678, [datetime(2026, 1, 1, tzinfo=timezone.utc)])]


def test_a_refused_call_does_not_run_even_if_it_is_approved() -> None:
    received = Received()
    client = Scripted(("index", REFUSED))
    agent = Agent(client=client, tools=tools(received, approval_mode="always_require"), middleware=mend())

    async def run() -> None:
        session = agent.create_session()
        (request,) = (await agent.run("go", session=session)).user_input_requests
        answer = Message(role="user", contents=[request.to_function_approval_response(approved=True)])
        await agent.run(answer, session=session)

    asyncio.run(run())
    assert list(received) == []
    assert client.told[0].startswith("Not run.")


def test_other_middleware_sees_canonical_arguments() -> None:
    seen: list[Any] = []

    class Policy(FunctionMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            seen.append(dict(context.arguments))
            await call_next()

    received, _ = play(("index", MENDED), ("index", REFUSED), middleware=[*mend(), Policy()])
    assert seen == received == [{"data_source_names": ["dotnet/eshop"]}]


def test_calls_of_one_reply_are_one_attempt() -> None:
    other = '{"data_source_names": null}'
    received, told = play([("index", REFUSED), ("index", other), ("order", NESTED_CALL)], ("index", VALID))
    assert received == [NESTED_VALUE, {"data_source_names": ["dotnet/eshop"]}]
    assert [text.startswith("Not run. Resend") for text in told] == [True, True, False, False]


def test_a_budget_ends_the_retries() -> None:
    calls = [("index", f'{{"data_source_names": {wrong}}}') for wrong in ("null", "[5]", "true", "{}")]
    _, told = play(*calls, middleware=mend(budget=2))
    assert ["the last attempt" in text for text in told] == [False, True, True, True]


def test_a_toolbox_brings_its_policies_and_guards() -> None:
    async def guard(value: Any) -> str | None:
        return "the index is closed" if value["data_source_names"] == ["dotnet/eshop"] else None

    toolbox = compile_tools({"index": NAMES}, tools={"index": {"guards": guard}})
    received, told = play(("index", MENDED), ("index", CORRECTED), ("order", NESTED_CALL), middleware=mend(toolbox))
    assert received == [{"data_source_names": ["dotnet/eshop", "dotnet/runtime"]}, json.loads(NESTED_CALL)]
    assert "the index is closed" in told[0]
    assert told[1:] == ["indexed", "ordered"], "`order` is not in the toolbox; the framework looks at the surface alone"


def test_report_mode_changes_nothing() -> None:
    events: list[Any] = []
    toolbox = compile_tools({"index": NAMES}, mode="report")
    toolbox.observe(events.append)
    received, _ = play(("index", MENDED), ("index", VALID), middleware=mend(toolbox))
    assert received == [{"data_source_names": ["dotnet/eshop"]}], "the first was the framework's to refuse"
    assert [event.outcome.status for event in events] == ["repaired", "unchanged"]


def test_a_schema_that_cannot_be_compiled_is_told_before_a_run() -> None:
    bad = FunctionTool(name="bad", description="d", func=Received().index, input_model={"type": "objekt"})
    with pytest.raises(ValueError, match="tool `bad` at /inputSchema/type"):
        mend([bad])


def test_two_agents_that_share_the_middleware_have_tools_of_their_own() -> None:
    received, shared = Received(), mend()
    index, order = tools(received)
    clients = Scripted(("index", MENDED)), Scripted(("order", NESTED_CALL))
    agents = [Agent(client=client, tools=[own], middleware=shared) for client, own in zip(clients, (index, order))]

    async def run() -> None:
        await asyncio.gather(*(agent.run("go") for agent in agents))

    asyncio.run(run())
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}, NESTED_VALUE]
