"""The MCP SDK's own server and client, connected in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import BaseModel
from toolmend.mcp import Mend, MendedSession

from script import CORRECTED, MENDED, NAMES, NESTED, NESTED_CALL, NESTED_VALUE, REFUSED, VALID, Received

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
    import json

    return json.loads(arguments)


@pytest.mark.parametrize("side", ["server", "client"])
def test_the_loop(side: str) -> None:
    received = Received()
    server = lowlevel(received)
    if side == "server":
        server.middleware.append(Mend())
    results: list[CallToolResult] = []

    async def work(session: Any) -> None:
        own = session if side == "server" else MendedSession(session)
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
        own = session if side == "server" else MendedSession(session)
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
        assert "`ordr`" not in str(await session.call_tool("order", {"id": 1}))

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
