"""Microsoft Agent Framework's own agent loop, with a chat client that plays a script."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterable, Mapping, Sequence
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddleware,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    FunctionTool,
    MCPStdioTool,
    Message,
    ResponseStream,
    tool,
)
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
from toolmend.agent_framework import mend


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A model that makes one call after the other, each in a reply of its own, and then says that it is done.

    A list in the script is one reply with several calls. A call is a name, arguments, and an id if it is to have one.
    """

    def __init__(self, *calls: Any, finish: str = "tool_calls") -> None:
        super().__init__()
        self.script: list[Any] = list(calls)
        self.finish = finish
        self.told: list[str] = []

    def _reply(self, messages: Sequence[Message]) -> tuple[list[Content], Any]:
        results = [content for content in messages[-1].contents if content.type == "function_result"]
        self.told.extend(str(content.result) for content in results)
        if not self.script:
            return [Content.from_text("done")], "stop"
        reply = self.script.pop(0)
        calls = reply if isinstance(reply, list) else [reply]
        return [
            Content.from_function_call(
                own_id[0] if own_id else f"call_{len(self.script)}_{index}", name, arguments=arguments
            )
            for index, (name, arguments, *own_id) in enumerate(calls)
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


def parts(content: Any) -> list[Content]:
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


def run(agent: Agent[Any]) -> Any:
    """Run an agent to its end."""

    async def result() -> Any:
        return await agent.run("go")

    return asyncio.run(result())


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
    run(Agent(client=client, tools=tools(received)))
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
        assert request.function_call is not None
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

    async def run(message: Any) -> Any:
        return await agent.run(message, session=session)

    (request,) = asyncio.run(run("go")).user_input_requests
    asyncio.run(run(Message(role="user", contents=[request.to_function_approval_response(approved=True)])))
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


def test_the_tools_of_an_mcp_server_are_among_those_of_a_request() -> None:
    client = Scripted(("read_files", '{"paths": "a.txt"}'), ("read_files", '{"paths": "a.txt, b.txt"}'))
    server = Path(__file__).with_name("mcp_server.py")

    async def run() -> None:
        async with MCPStdioTool(name="files", command=sys.executable, args=[str(server)]) as files:
            await Agent(client=client, tools=[files], middleware=mend()).run("go")

    asyncio.run(run())
    assert "read ['a.txt']" in client.told[0]
    assert client.told[1].startswith("Not run.")


def test_two_agents_that_share_the_middleware_have_tools_of_their_own() -> None:
    received, shared = Received(), mend()
    own = tools(received)
    clients = Scripted(("index", MENDED)), Scripted(("order", NESTED_CALL))
    agents = [Agent(client=client, tools=[tool], middleware=shared) for client, tool in zip(clients, own, strict=True)]

    async def run() -> None:
        await asyncio.gather(*(agent.run("go") for agent in agents))

    asyncio.run(run())
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}, NESTED_VALUE]


A, B = {"data_source_names": ["a"]}, {"data_source_names": ["b"]}
SENT_A, SENT_B = '{"data_source_names": "a"}', '{"data_source_names": "b"}'


@pytest.mark.filterwarnings("ignore:An actionable function_call had an empty call_id")
@pytest.mark.parametrize("call_id", ["same", ""])
def test_calls_that_their_ids_do_not_tell_apart_get_what_is_their_own(call_id: str) -> None:
    for texts in ((SENT_A, REFUSED, SENT_B), (REFUSED, SENT_A, SENT_B), (SENT_A, SENT_B, REFUSED)):
        received, told = play([("index", text, call_id) for text in texts])
        assert sorted(received, key=str) == [A, B]
        assert [text.startswith("Not run.") for text in told] == [text == REFUSED for text in texts]


def test_an_id_of_two_tools_gives_each_its_own_outcome() -> None:
    for calls in (
        [("index", REFUSED, "c"), ("order", NESTED_CALL, "c")],
        [("order", "{}", "c"), ("index", VALID, "c")],
    ):
        received, told = play(calls)
        assert received == [NESTED_VALUE if calls[1][0] == "order" else {"data_source_names": ["dotnet/eshop"]}]
        assert [text.startswith("Not run.") for text in told] == [True, False]


@pytest.mark.parametrize("stream", [False, True])
def test_an_id_that_comes_again_brings_nothing_of_an_earlier_reply(stream: bool) -> None:
    calls = [("index", text, "c") for text in (REFUSED, SENT_A, REFUSED, SENT_B)]
    received, told = play(*calls, stream=stream)
    assert received == [A, B]
    assert [text.startswith("Not run.") for text in told] == [True, False, True, False]


def test_an_agent_as_a_tool_has_attempts_and_calls_of_its_own() -> None:
    received, shared = Received(), mend()
    own = tools(received)
    inner = Scripted(("index", REFUSED, "c"), ("index", SENT_A, "c"))
    helper = Agent(client=inner, name="helper", description="d", tools=own, middleware=shared)
    ask = ("ask", '{"task": "x"}', "a")
    outer = Scripted([ask, ("index", REFUSED, "c")], [("index", REFUSED, "c"), ask], ("index", SENT_B, "c"))
    as_tool = helper.as_tool(name="ask")
    run(Agent(client=outer, tools=[*own, as_tool], middleware=shared))
    assert list(received) == [A, B]
    assert [text.startswith("Not run. Resend") for text in inner.told] == [True, False]
    told = [text for text in outer.told if "Not run." in text]
    assert ["refused before" in text for text in told] == [False, True], "of the outer run itself"


@pytest.mark.parametrize("is_before", [False, True])
def test_another_agent_in_the_same_context_changes_nothing(is_before: bool) -> None:
    """A middleware that asks an agent about each reply, say; it runs in the task of the run that it is asked from."""
    received, shared = Received(), mend()
    own = tools(received)

    class Judge(ChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            if is_before:
                await self.ask()
            await call_next()
            if not is_before:
                await self.ask()

        async def ask(self) -> None:
            client = Scripted([("index", SENT_A, "c"), ("index", REFUSED, "d")])
            await Agent(client=client, tools=own, middleware=shared).run("judge")

    client = Scripted(("index", REFUSED, "c"), ("index", REFUSED, "d"), ("index", SENT_B, "c"), finish="tool_calls")
    run(Agent(client=client, tools=own, middleware=[Judge(), *shared, Judge()]))
    assert received.count(B) == 1
    assert {str(each) for each in received} == {str(A), str(B)}
    assert [text.startswith("Not run. Resend") for text in client.told] == [True, False, False]
    assert "refused before" in client.told[1]
    # A reply that was cut stays refused, though its text is whole.
    cut = Scripted(("index", SENT_B, "c"), finish="length")
    run(Agent(client=cut, tools=own, middleware=[Judge(), *shared, Judge()]))
    assert received.count(B) == 1


def test_a_call_that_was_cut_does_not_run_even_if_it_is_approved() -> None:
    received = Received()
    client = Scripted(("index", VALID), finish="length")
    agent = Agent(client=client, tools=tools(received, approval_mode="always_require"), middleware=mend())
    session = agent.create_session()

    async def run(message: Any) -> Any:
        return await agent.run(message, session=session)

    (request,) = asyncio.run(run("go")).user_input_requests
    asyncio.run(run(Message(role="user", contents=[request.to_function_approval_response(approved=True)])))
    assert list(received) == []
    assert client.told[0].startswith("Not run.")


def test_an_approval_that_comes_late_is_answered_by_the_tools_own_schema() -> None:
    """Another agent that shares the middleware may have a tool of the same name."""
    received, got, shared = Received(), list[Any](), mend()

    def index(data_source_names: str) -> str:
        got.append(data_source_names)
        return "indexed"

    text = {"type": "object", "properties": {"data_source_names": {"type": "string"}}}
    client = Scripted(("index", MENDED))
    agent = Agent(client=client, tools=tools(received, approval_mode="always_require"), middleware=shared)
    session = agent.create_session()

    async def play() -> None:
        (request,) = (await agent.run("go", session=session)).user_input_requests
        other = FunctionTool(name="index", description="d", func=index, input_model=text)
        await Agent(client=Scripted(("index", MENDED)), tools=[other], middleware=shared).run("go")
        answer = Message(role="user", contents=[request.to_function_approval_response(approved=True)])
        await agent.run(answer, session=session)

    asyncio.run(play())
    assert got == ["dotnet/eshop"]
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]


def test_runs_at_the_same_time_have_attempts_and_calls_of_their_own() -> None:
    received, shared = Received(), mend()
    own = tools(received)
    clients = [
        Scripted(("index", REFUSED, "c"), ("index", f'{{"data_source_names": "{number}"}}', "c"))
        for number in range(40)
    ]

    async def run() -> None:
        await asyncio.gather(*(Agent(client=each, tools=own, middleware=shared).run("go") for each in clients))

    asyncio.run(run())
    assert sorted(received, key=str) == sorted(({"data_source_names": [str(n)]} for n in range(40)), key=str)
    assert all(client.told[0].startswith("Not run. Resend") for client in clients)
    assert all(client.told[1] == "indexed" for client in clients)


def test_a_run_that_was_given_up_leaves_nothing() -> None:
    received, shared = Received(), mend()
    own = tools(received)

    class Fails(ChatMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            await call_next()
            raise RuntimeError

    async def run() -> None:
        for text in (REFUSED, SENT_A):
            client = Scripted(("index", text, "c"))
            with pytest.raises(RuntimeError):
                await Agent(client=client, tools=own, middleware=[Fails(), *shared]).run("go")
        client = Scripted(("index", SENT_B, "c"), ("index", REFUSED, "c"))
        await Agent(client=client, tools=own, middleware=shared).run("go")
        assert client.told[1].startswith("Not run. Resend")

    asyncio.run(run())
    assert list(received) == [B]


def test_digits_and_characters_arrive_untouched() -> None:
    received, _ = play(("order", HARD))
    assert received == [HARD_VALUE]


def test_a_typed_tool_gets_every_digit() -> None:
    got: list[Any] = []

    @tool
    def pay(id: int, amount: Decimal, memos: list[str]) -> str:  # noqa: A002
        got.append((id, amount, memos))
        return "paid"

    call = '{"id": 123456789012345678901234567890, "amount": "0.12345678901234567890", "memos": "\\ud83d\\ude00"}'
    run(Agent(client=Scripted(("pay", call)), tools=[pay], middleware=mend()))
    assert got == [(123456789012345678901234567890, Decimal("0.12345678901234567890"), ["\U0001f600"])]
