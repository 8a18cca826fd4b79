"""The MCP SDK's own server and client, connected in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel
from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received
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
        hints = [ToolAnnotations(destructive_hint=True), ToolAnnotations(read_only_hint=True)]
        return ListToolsResult(
            tools=[Tool(name=name, input_schema=COUNT, annotations=hint) for name, hint in zip(("drop", "read"), hints)]
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
