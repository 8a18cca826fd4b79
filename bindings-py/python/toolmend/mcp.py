"""Model Context Protocol: lenient in, strict inside, in a server and in a client.

    from toolmend.mcp import Mend, MendedSession

    server = MCPServer("orders", middleware=[Mend()])   # a low-level `Server`: server.middleware.append(Mend())
    session = MendedSession(session)                    # a `ClientSession`: repaired before the call is sent

A call that is refused does not run (in a client: is not sent): its result is one with `isError` that holds the feedback.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ._adapters import Attempts, Decision, Toolbox, required
from ._toolbox import compile_tools

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.server.context import ServerRequestContext
    from mcp.types import CallToolResult, TextContent
else:
    types = required("mcp.types", "mcp")
    CallToolResult, TextContent = types.CallToolResult, types.TextContent

__all__ = ["Mend", "MendedSession"]


class _Tools:
    """The tools as the server lists them, compiled; listed again when a name comes that is not known."""

    def __init__(self, toolbox: Toolbox | None, budget: int, options: dict[str, Any]) -> None:
        self._given = toolbox
        self._budget = budget
        self._options = options
        self._listed: list[Any] | None = None
        self.toolbox = toolbox if toolbox is not None else compile_tools([], **options)
        self._attempts: WeakKeyDictionary[Any, tuple[Toolbox, Attempts]] = WeakKeyDictionary()

    def saw(self, listed: list[Any]) -> None:
        if self._given is None and listed != self._listed:
            self._listed = listed
            self.toolbox = compile_tools(listed, **self._options)

    def needs_list(self, name: str) -> bool:
        return self._given is None and self.toolbox.contract(name) is None

    def attempts(self, session: Any) -> Attempts:
        """Give the log of a session, which goes on when the list of tools has changed."""
        toolbox, attempts = self._attempts.get(session, (None, None))
        if attempts is None or toolbox is not self.toolbox:
            state = None if attempts is None else attempts.to_dict()
            attempts = self.toolbox.attempts(self._budget, state=state)
            self._attempts[session] = self.toolbox, attempts
        return attempts

    def wrong_result(self, name: str, is_error: bool, content: Any) -> str | None:  # noqa: FBT001
        """Say what is wrong with a tool's result, by the schema of its output."""
        outcome = None if is_error else self.toolbox.check(name, content)
        if outcome is None or outcome.ok:
            return None
        told = "; ".join(f"{issue.path or 'result'}: {issue.hint}" for issue in outcome.issues)
        return f"The tool ran, and its result does not fit its output schema: {told}"


class Mend:
    """The middleware of a server.

    Put it last, nearest to the tools. The schemas are those that the server lists. Attempts are counted for each
    connection, since a server knows nothing of the runs of an agent; where each request is a connection of its own every
    call is a first attempt.

    Args:
        toolbox: The tools; those that it does not know are left alone. If nothing is given, they are what the server lists.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    """

    def __init__(self, toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any) -> None:
        self._tools = _Tools(toolbox, budget, options)

    @property
    def toolbox(self) -> Toolbox:
        """The tools as they are known: those of the list that was last seen."""
        return self._tools.toolbox

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Repair the arguments of a `tools/call`."""
        params = ctx.params or {}
        if ctx.method == "tools/list" and "cursor" not in params:
            result = await call_next(ctx)
            if isinstance(result, Mapping) and result.get("nextCursor") is None:
                self._tools.saw(list(result.get("tools", [])))
            return result
        name = params.get("name")
        if ctx.method != "tools/call" or not isinstance(name, str):
            return await call_next(ctx)
        if self._tools.needs_list(name):
            self._tools.saw(await _listed(ctx, call_next))
        if self._tools.toolbox.contract(name) is None:
            return await call_next(ctx)
        # A session is made anew for each request; what lasts is the connection behind it.
        attempts = self._tools.attempts(getattr(ctx.session, "_connection", ctx.session))
        decision = await attempts.decide_async(name, params.get("arguments"), id=ctx.request_id)
        if decision.action != "run":
            return _error(decision.message or "").model_dump(by_alias=True, mode="json", exclude_none=True)
        result = await call_next(replace(ctx, params={**params, "arguments": decision.value}))
        if isinstance(result, Mapping):
            wrong = self._tools.wrong_result(name, bool(result.get("isError")), result.get("structuredContent"))
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


class MendedSession:
    """A client's session: `call_tool` repairs the arguments before the call is sent. All else is the session's own.

    Args:
        session: The session, initialized.
        toolbox: The tools; those that it does not know are left alone. If nothing is given, they are what the server lists.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    """

    def __init__(
        self, session: ClientSession, toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any
    ) -> None:
        self._session = session
        self._tools = _Tools(toolbox, budget, options)

    def __getattr__(self, name: str) -> Any:
        """Give what is the session's own."""
        return getattr(self._session, name)

    @property
    def toolbox(self) -> Toolbox:
        """The tools as they are known: those of the list that was last seen."""
        return self._tools.toolbox

    async def call_tool(
        self, name: str, arguments: str | bytes | dict[str, Any] | None = None, *args: Any, **options: Any
    ) -> CallToolResult:
        """Call a tool with the arguments as the model sent them, best as its raw text.

        What else is given is for the session's own `call_tool`.
        """
        decision = await self.decide(name, arguments)
        if decision is not None and decision.action != "run":
            return _error(decision.message or "")
        value = arguments if decision is None else decision.value
        result = await self._session.call_tool(name, value, *args, **options)
        wrong = self._tools.wrong_result(name, bool(result.is_error), result.structured_content)
        return result if wrong is None else _error(wrong)

    async def decide(self, name: str, arguments: Any = None) -> Decision | None:
        """Say what follows from a call, without sending it; `None` for a tool that the toolbox does not know."""
        if self._tools.needs_list(name):
            listed = [tool for page in await self._pages() for tool in page.tools]
            self._tools.saw([tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in listed])
        if self._tools.toolbox.contract(name) is None:
            return None
        return await self._tools.attempts(self._session).decide_async(name, arguments)

    async def _pages(self) -> list[Any]:
        pages = [await self._session.list_tools()]
        while pages[-1].next_cursor is not None:
            pages.append(await self._session.list_tools(cursor=pages[-1].next_cursor))
        return pages
