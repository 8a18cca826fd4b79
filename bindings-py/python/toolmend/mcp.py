"""Model Context Protocol: lenient in, strict inside, in a server and in a client.

    from toolmend.mcp import Mend, MendedClient

    server = MCPServer("orders", middleware=[Mend()])   # a low-level `Server`: server.middleware.append(Mend())
    client = MendedClient(client)                       # a `Client` or `ClientSession`: repaired before it is sent

A call that is refused does not run (in a client: is not sent): its result has `isError` and holds the feedback.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import finalize

from ._adapters import Attempts, Decision, Seen, Toolbox, going_on, required
from ._toolbox import compile_tools

if TYPE_CHECKING:
    from mcp import Client, ClientSession
    from mcp.server.context import ServerRequestContext
    from mcp.types import CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent
else:
    types = required("mcp.types", "mcp")
    CallToolResult, TextContent = types.CallToolResult, types.TextContent
    PaginatedRequestParams = types.PaginatedRequestParams

__all__ = ["Mend", "MendedClient"]


class _Tools(Seen):
    """The tools as servers list them, compiled once for all who are shown the same."""

    def compiled(self, definitions: list[Any], options: dict[str, Any]) -> Toolbox:
        """Compile what was listed. A tool that cannot be compiled is the server's to answer for."""
        return compile_tools(definitions, **options)


class _Peer:
    """The other side of a connection: the tools as it is shown them, and its attempts."""

    def __init__(self, tools: _Tools, budget: int) -> None:
        self._tools = tools
        self._budget = budget
        self._attempts: Attempts | None = None
        self.toolbox = tools.toolbox if tools.is_given else tools.compiled([], {})

    def needs_list(self, name: str) -> bool:
        return not self._tools.is_given and self.toolbox.contract(name) is None

    def saw(self, definitions: list[Any]) -> None:
        self.toolbox = self._tools.saw(definitions)

    def attempts(self) -> Attempts:
        """Give the log, which goes on when the list of tools has changed."""
        self._attempts = going_on(self.toolbox, self._budget, self._attempts)
        return self._attempts

    def wrong_result(self, name: str, is_error: bool, content: Any) -> str | None:  # noqa: FBT001
        """Say what is wrong with a tool's result, by the schema of its output."""
        outcome = None if is_error else self.toolbox.check(name, content)
        if outcome is None or outcome.ok:
            return None
        told = "; ".join(f"{issue.path or 'result'}: {issue.hint}" for issue in outcome.issues)
        return f"The tool ran, and its result does not fit its output schema: {told}"


class Mend:
    """The middleware of a server.

    Put it last, nearest to the tools. The schemas are those that the server lists on the connection of the call.
    Attempts are counted for each connection, since a server knows nothing of the runs of an agent; where each request
    is a connection of its own, every call is a first attempt, and asks for the list.

    Args:
        toolbox: The tools; those that it does not know are left alone. If nothing is given, what the server lists.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    """

    def __init__(self, toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any) -> None:
        self._tools = _Tools(toolbox, options)
        self._budget = budget
        self._peers: dict[int, _Peer] = {}

    @property
    def toolbox(self) -> Toolbox:
        """The tools as they are known: those of the list that was last seen."""
        return self._tools.toolbox

    def _peer(self, ctx: ServerRequestContext[Any, Any]) -> _Peer:
        """Give who sent a request: a session is made anew for each one, and what a client said of itself lasts."""
        client = ctx.session.client_params
        if client is None:
            return _Peer(self._tools, self._budget)
        key = id(client)
        if key not in self._peers:
            self._peers[key] = _Peer(self._tools, self._budget)
            finalize(client, self._peers.pop, key, None)
        return self._peers[key]

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Repair the arguments of a `tools/call`."""
        params = ctx.params or {}
        if ctx.method == "tools/list" and "cursor" not in params:
            result = await call_next(ctx)
            if isinstance(result, Mapping) and result.get("nextCursor") is None:
                self._peer(ctx).saw(list(result.get("tools", [])))
            return result
        name = params.get("name")
        if ctx.method != "tools/call" or not isinstance(name, str):
            return await call_next(ctx)
        peer = self._peer(ctx)
        if peer.needs_list(name):
            peer.saw(await _listed(ctx, call_next))
        if peer.toolbox.contract(name) is None:
            return await call_next(ctx)
        decision = await peer.attempts().decide_async(name, params.get("arguments"), id=ctx.request_id)
        if decision.action != "run":
            return _error(decision.message or "").model_dump(by_alias=True, mode="json", exclude_none=True)
        result = await call_next(replace(ctx, params={**params, "arguments": decision.value}))
        if isinstance(result, Mapping):
            wrong = peer.wrong_result(name, bool(result.get("isError")), result.get("structuredContent"))
            if wrong is not None:
                return _error(wrong).model_dump(by_alias=True, mode="json", exclude_none=True)
        return result


async def _listed(ctx: ServerRequestContext[Any, Any], call_next: Callable[[Any], Awaitable[Any]]) -> list[Any]:
    tools: list[Any] = []
    cursor = None
    # What a request carries about itself is needed in this one too, but for the token of its progress.
    meta = {key: value for key, value in ((ctx.params or {}).get("_meta") or {}).items() if key != "progressToken"}
    while True:
        params = {"_meta": meta} if cursor is None else {"_meta": meta, "cursor": cursor}
        page = await call_next(replace(ctx, method="tools/list", params=params))
        tools.extend(page.get("tools", []))
        cursor = page.get("nextCursor")
        if cursor is None:
            return tools


def _error(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)


class MendedClient:
    """A client whose `call_tool` repairs the arguments before the call is sent. All else is the client's own.

    Args:
        client: A `Client`, or a `ClientSession` that is initialized.
        toolbox: The tools; those that it does not know are left alone. If nothing is given, what the server lists.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    """

    def __init__(
        self, client: Client | ClientSession, toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any
    ) -> None:
        self._client = client
        self._peer = _Peer(_Tools(toolbox, options), budget)

    def __getattr__(self, name: str) -> Any:
        """Give what is the client's own."""
        return getattr(self._client, name)

    @property
    def toolbox(self) -> Toolbox:
        """The tools as they are known: those of the list that was last seen."""
        return self._peer.toolbox

    async def call_tool(
        self, name: str, arguments: str | bytes | dict[str, Any] | None = None, *args: Any, **options: Any
    ) -> Any:
        """Call a tool with the arguments as the model sent them, best as its raw text.

        What else is given is for the client's own `call_tool`, and so is what this returns, but for a call that was
        refused.
        """
        decision = await self.decide(name, arguments)
        if decision is not None and decision.action != "run":
            return _error(decision.message or "")
        value: Any = arguments if decision is None else decision.value
        result = await self._client.call_tool(name, value, *args, **options)
        if not isinstance(result, CallToolResult):
            return result
        wrong = self._peer.wrong_result(name, bool(result.is_error), result.structured_content)
        return result if wrong is None else _error(wrong)

    async def decide(self, name: str, arguments: Any = None) -> Decision | None:
        """Say what follows from a call, without sending it; `None` for a tool that the toolbox does not know."""
        if self._peer.needs_list(name):
            self._saw(await self._pages())
        if self._peer.toolbox.contract(name) is None:
            return None
        return await self._peer.attempts().decide_async(name, arguments)

    async def list_tools(self, *args: Any, **options: Any) -> ListToolsResult:
        """List the tools as the client does; what is listed whole is compiled anew if it has changed."""
        page = await self._client.list_tools(*args, **options)
        if not args and not options and page.next_cursor is None:
            self._saw([page])
        return page

    def _saw(self, pages: list[ListToolsResult]) -> None:
        listed = [tool for page in pages for tool in page.tools]
        self._peer.saw([tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed])

    async def _pages(self) -> list[ListToolsResult]:
        session: Any = getattr(self._client, "session", self._client)
        pages = [await session.list_tools()]
        while pages[-1].next_cursor is not None:
            pages.append(await session.list_tools(params=PaginatedRequestParams(cursor=pages[-1].next_cursor)))
        return pages
