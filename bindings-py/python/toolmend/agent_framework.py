"""Microsoft Agent Framework: every function call of an agent goes through the boundary.

    from toolmend.agent_framework import mend

    agent = Agent(client, tools=tools, middleware=mend())

The raw arguments are repaired as soon as the model has answered, so that approvals, policies, other middleware and the
tool itself see canonical ones. A call that is refused does not run: the model gets the feedback as its result.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ._adapters import Attempts, Decision, Seen, Toolbox, finish_of, going_on, named, required, toolbox_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from agent_framework import (
        ChatContext,
        ChatMiddleware,
        ChatResponse,
        Content,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
    )
else:
    framework = required("agent_framework", "agent-framework")
    ChatMiddleware, FunctionMiddleware = framework.ChatMiddleware, framework.FunctionMiddleware
    FunctionTool = framework.FunctionTool

__all__ = ["mend"]


def mend(tools: Toolbox | Sequence[Any] | None = None, *, budget: int = 3, **options: Any) -> list[Any]:
    """Give the middleware of an agent, for any number of its runs.

    Put it first (`middleware=[*mend(), ...]`): what stands after it sees canonical arguments.

    Args:
        tools: The agent's tools (functions are wrapped as the agent wraps them; what is no function tool is left
            alone), or a `Toolbox`. If nothing is given, those that a request offers to the model, with the functions
            of MCP servers among them.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    Raises:
        ValueError: The schema of a tool cannot be compiled. If no tools are given, a run raises it.

    """
    if tools is None or isinstance(tools, Toolbox):
        seen = Seen(tools, options)
    else:
        functions = [FunctionTool(func=tool, name=tool.__name__) if _is_function(tool) else tool for tool in tools]
        seen = Seen(toolbox_of(_definitions(functions), options), {})
    return [_Replies(seen, budget), _Calls(seen, budget)]


def _is_function(tool: Any) -> bool:
    return callable(tool) and hasattr(tool, "__name__") and not isinstance(tool, FunctionTool)


def _definitions(tools: Any) -> list[Any]:
    known = [tool for tool in tools or () if isinstance(tool, FunctionTool)]
    return [named(tool.name, tool.description, tool.parameters()) for tool in known]


class _Run:
    """One run of an agent: its attempts, and what was decided of calls that are still to be run."""

    def __init__(self, tools: Seen) -> None:
        self.tools = tools
        self.decided: dict[str, Decision] = {}
        self._attempts: Attempts | None = None
        self._turns = 0

    async def decide(self, response: ChatResponse, toolbox: Toolbox, budget: int) -> None:
        """Decide on the calls of a reply, and put canonical arguments in the place of those that came."""
        self._turns += 1
        self._attempts = going_on(toolbox, budget, self._attempts)
        finish = finish_of(response.finish_reason)
        for content in (content for message in response.messages for content in message.contents):
            if content.type == "function_call" and toolbox.contract(content.name) is not None:
                decision = await self._attempts.decide_async(
                    content.name, content.arguments, finish=finish, id=content.call_id, turn=str(self._turns)
                )
                self.decided[content.call_id] = decision
                if toolbox.mode == "enforce" and decision.outcome.status == "repaired":
                    content.arguments = decision.outcome.json


_run: ContextVar[_Run | None] = ContextVar("toolmend_run", default=None)


class _Replies(ChatMiddleware):
    """Repairs the calls of a reply before anyone else sees them."""

    def __init__(self, tools: Seen, budget: int) -> None:
        self._tools = tools
        self._budget = budget

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run = _run.get()
        # Results of tools go on with a run; anything else begins one.
        goes_on = bool(context.messages) and context.messages[-1].role == "tool"
        if run is None or run.tools is not self._tools or not goes_on:
            run = _Run(self._tools)
            _run.set(run)
        toolbox = self._tools.saw(_definitions((context.options or {}).get("tools")))

        async def answered(response: ChatResponse) -> ChatResponse:
            await run.decide(response, toolbox, self._budget)
            return response

        if context.stream:
            context.stream_result_hooks.append(answered)
            await call_next()
            return
        await call_next()
        if context.result is not None:
            await answered(context.result)


class _Calls(FunctionMiddleware):
    """Keeps a refused call from being run."""

    def __init__(self, tools: Seen, budget: int) -> None:
        self._tools = tools
        self._budget = budget

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run = _run.get()
        call_id = context.metadata.get("call_id")
        decision = run.decided.pop(call_id, None) if run is not None and call_id is not None else None
        if decision is None:
            decision = await self._late(context, call_id)
        if decision is None or decision.action == "run":
            await call_next()
        else:
            context.result = decision.message

    async def _late(self, context: FunctionInvocationContext, call_id: str | None) -> Decision | None:
        """Decide on a call that was approved after an earlier run, or that no model made."""
        name = context.function.name
        toolbox = self._tools.toolbox
        if toolbox.contract(name) is None:
            toolbox = self._tools.saw(_definitions(context.tools or [context.function]))
        if toolbox.contract(name) is None:
            return None
        sent = _sent(context)
        if sent is None:
            return None
        decision = await toolbox.attempts(self._budget).decide_async(name, sent, id=call_id)
        if decision.outcome.status == "repaired" and toolbox.mode == "enforce":
            context.arguments = decision.value
        return decision


def _sent(context: FunctionInvocationContext) -> Any:
    """Give what was sent for a call; `None` where the framework has already made typed values of it."""
    approval = context.metadata.get("approval_response")
    if approval is not None and approval.function_call is not None:
        return approval.function_call.arguments
    arguments = dict(context.arguments)
    try:
        json.dumps(arguments)
    except TypeError:
        return None
    return arguments
