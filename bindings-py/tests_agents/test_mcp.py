"""The MCP SDK's own server and client, connected in memory."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel
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
from toolmend.mcp import Mend, MendedClient

COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}


class Line(BaseModel):
    sku: str
    tags: list[str] = []


def lowlevel(received: Received, result: Any = None) -> Server[Any]:
    async def list_tools(*_: Any) -> ListToolsResult:
        output = COUNT if result is not None else None
        return ListToolsResult(
            tools=[
                Tool(name="index", input_schema=NAMES, output_schema=output),
                Tool(name="order", input_schema=NESTED),
            ]
        )

    async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
        text = getattr(received, params.name)(**(params.arguments or {}))
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=result)

    return Server("test", on_list_tools=list_tools, on_call_tool=call_tool)


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


SCRIPT = [("index", VALID), ("index", MENDED), ("index", REFUSED), ("index", CORRECTED), ("order", NESTED_CALL)]
WANTED = [
    {"data_source_names": ["dotnet/eshop"]},
    {"data_source_names": ["dotnet/eshop"]},
    {"data_source_names": ["dotnet/eshop", "dotnet/runtime"]},
    NESTED_VALUE,
]


def play(server: Any, work: Callable[[Any], Awaitable[None]], mode: str = "auto") -> None:
    async def run() -> None:
        async with Client(server, mode=mode) as client:
            await work(client.session)

    asyncio.run(run())


def parsed(arguments: str) -> Any:
    return json.loads(arguments)


@pytest.mark.parametrize("side", ["server", "client"])
def test_the_loop(side: str) -> None:
    received = Received()
    server = lowlevel(received)
    if side == "server":
        server.middleware.append(Mend())
    results: list[CallToolResult] = []

    async def work(session: Any) -> None:
        own = session if side == "server" else MendedClient(session)
        for name, arguments in SCRIPT:
            results.append(await own.call_tool(name, parsed(arguments) if side == "server" else arguments))

    play(server, work)
    assert list(received) == WANTED
    assert [bool(result.is_error) for result in results] == [False, False, True, False, False]
    assert text(results[2]).startswith("Not run. Resend the whole call")


@pytest.mark.parametrize("side", ["server", "client"])
def test_an_identical_resend_is_stopped(side: str) -> None:
    received = Received()
    server = lowlevel(received)
    if side == "server":
        server.middleware.append(Mend())
    told: list[str] = []

    async def work(session: Any) -> None:
        own = session if side == "server" else MendedClient(session)
        told.extend([text(await own.call_tool("index", parsed(REFUSED))) for _ in range(2)])

    # Where each request is a connection of its own, as in the protocol from 2026 on, a server cannot tell.
    play(server, work, mode="legacy" if side == "server" else "auto")
    assert (list(received), "refused before" in told[1]) == ([], True)


def test_the_ergonomic_server_takes_it_as_middleware() -> None:
    got: list[Any] = []

    server = MCPServer("test", middleware=[Mend()])

    @server.tool()
    def order(id: int, lines: list[Line]) -> int:  # noqa: A002
        got.append((id, lines))
        return len(lines)

    async def work(session: Any) -> None:
        result = await session.call_tool("order", {"id": 123456789012345678, "lines": {"sku": "a", "tags": "x"}})
        assert not result.is_error
        refused = await session.call_tool("order", {"id": 1})
        assert refused.is_error
        assert "/lines" in text(refused)

    play(server, work)
    assert got == [(123456789012345678, [Line(sku="a", tags=["x"])])]


def test_results_are_checked_against_the_schema_of_the_output() -> None:
    results: list[CallToolResult] = []
    for result in ({"count": 1}, {"count": "1"}):
        server = lowlevel(Received(), result)
        server.middleware.append(Mend())

        async def work(session: Any) -> None:
            results.append(await session.call_tool("index", parsed(VALID)))

        play(server, work)
    assert [bool(each.is_error) for each in results] == [False, True]
    assert "output schema" in text(results[1])


def paged(received: Received) -> Server[Any]:
    """A server that lists each tool on a page of its own."""
    pages = {None: ("index", NAMES, "1"), "1": ("order", NESTED, None)}

    async def list_tools(_: Any, params: Any) -> ListToolsResult:
        name, schema, following = pages[None if params is None else params.cursor]
        return ListToolsResult(tools=[Tool(name=name, input_schema=schema)], next_cursor=following)

    async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
        answer = getattr(received, params.name)(**(params.arguments or {}))
        return CallToolResult(content=[TextContent(type="text", text=answer)])

    return Server("test", on_list_tools=list_tools, on_call_tool=call_tool)


def test_a_client_reads_lists_of_several_pages() -> None:
    received = Received()
    server = paged(received)

    async def run() -> None:
        async with Client(server) as client:
            for own in (MendedClient(client), MendedClient(client.session)):
                assert text(await own.call_tool("order", NESTED_CALL)) == "ordered"
                assert own.toolbox.names == ["index", "order"]
            assert (await own.list_tools()).next_cursor == "1"
            assert own.toolbox.names == ["index", "order"], "one page is not the list"

    asyncio.run(run())
    assert list(received) == [NESTED_VALUE, NESTED_VALUE]


def test_a_server_reads_lists_of_several_pages() -> None:
    received = Received()
    server = paged(received)
    server.middleware.append(Mend())

    async def work(session: Any) -> None:
        assert text(await session.call_tool("order", parsed(NESTED_CALL))) == "ordered"

    play(server, work)
    assert list(received) == [NESTED_VALUE]


def test_a_destructive_tool_is_not_repaired_beyond_narrow() -> None:
    received = Received()

    async def list_tools(*_: Any) -> ListToolsResult:
        drop, read = ToolAnnotations(destructive_hint=True), ToolAnnotations(read_only_hint=True)
        return ListToolsResult(
            tools=[
                Tool(name="drop", input_schema=COUNT, annotations=drop),
                Tool(name="read", input_schema=COUNT, annotations=read),
            ]
        )

    async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
        received.append((params.name, params.arguments))
        return CallToolResult(content=[TextContent(type="text", text="done")])

    server: Server[Any] = Server("test", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(Mend(policy="lenient"))

    async def work(session: Any) -> None:
        results = [await session.call_tool(name, {"count": "1"}) for name in ("drop", "read")]
        assert [bool(result.is_error) for result in results] == [True, False]

    play(server, work)
    assert list(received) == [("read", {"count": 1})]


def test_a_name_that_is_no_tool_is_the_servers_to_answer() -> None:
    server = MCPServer("test", middleware=[Mend()])

    async def work(session: Any) -> None:
        answer = await session.call_tool("nothing", {})
        assert answer.is_error
        assert "Not run." not in text(answer)

    play(server, work)


def test_what_tells_connections_apart_is_public_and_lasts_as_long_as_they_do() -> None:
    """A session is made anew for each request: what the client said of itself is what stays."""
    told: list[Any] = []

    class Looks:
        async def __call__(self, ctx: Any, call_next: Any) -> Any:
            if ctx.method == "tools/call":
                told.append(ctx.session.client_params)
            return await call_next(ctx)

    mend = Mend()
    server = lowlevel(Received())
    server.middleware.extend([Looks(), mend])

    async def work(session: Any) -> None:
        for _ in range(2):
            await session.call_tool("index", parsed(VALID))

    for _ in range(2):
        play(server, work, mode="legacy")
    assert all(told)
    assert [len({id(each) for each in told}), told[0] is told[1], told[2] is told[3]] == [2, True, True]
    peers = mend._peers  # noqa: SLF001
    assert len(peers) == 2
    told.clear()
    gc.collect()
    assert peers == {}, "of a connection that has ended nothing is kept"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_connections_at_the_same_time_have_attempts_and_schemas_of_their_own(mode: str) -> None:
    """What the server lists may depend on who asks."""
    received: list[Any] = []
    one = {"type": "object", "properties": {"data_source_names": {"type": "string"}}}

    def is_old(ctx: Any) -> bool:
        return bool(ctx.session.client_params.client_info.name == "old")

    async def list_tools(ctx: Any, _: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool(name="index", input_schema=one if is_old(ctx) else NAMES)])

    async def call_tool(ctx: Any, params: CallToolRequestParams) -> CallToolResult:
        received.append((is_old(ctx), params.arguments))
        return CallToolResult(content=[TextContent(type="text", text="indexed")])

    server: Server[Any] = Server("test", on_list_tools=list_tools, on_call_tool=call_tool)
    server.middleware.append(Mend())
    told: list[str] = []

    async def run() -> None:
        old, new = (
            Client(server, mode=mode, client_info=Implementation(name=name, version="1")) for name in ("old", "new")
        )
        async with old, new:
            for _ in range(2):
                await asyncio.gather(*(client.session.call_tool("index", parsed(MENDED)) for client in (old, new)))
            told.extend([text(await client.session.call_tool("index", parsed(REFUSED))) for client in (old, new)])

    asyncio.run(run())
    names = "dotnet/eshop"
    assert sorted(received, key=str) == sorted(
        [
            *[(True, {"data_source_names": names}), (False, {"data_source_names": [names]})] * 2,
            (True, parsed(REFUSED)),
        ],
        key=str,
    )
    assert (told[0], told[1].startswith("Not run. Resend")) == ("indexed", True)


@pytest.mark.parametrize("side", ["server", "client"])
def test_digits_and_characters_arrive_untouched(side: str) -> None:
    received = Received()
    server = lowlevel(received)
    if side == "server":
        server.middleware.append(Mend())

    async def work(session: Any) -> None:
        own = session if side == "server" else MendedClient(session)
        await own.call_tool("order", parsed(HARD) if side == "server" else HARD)

    play(server, work)
    assert list(received) == [HARD_VALUE]
