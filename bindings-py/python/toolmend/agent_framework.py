"""Microsoft Agent Framework: every function call of an agent goes through the boundary.

    from toolmend.agent_framework import mend

    agent = Agent(client, tools=tools, middleware=mend(tools))

The raw arguments are repaired as soon as the model has answered, so that approvals, policies, other middleware and the tool
itself see canonical ones. A call that is refused does not run: the model gets the feedback as the function's result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from ._adapters import Attempts, Decision, Toolbox, named, required, toolbox_of
from ._core import FINISHES

if TYPE_CHECKING:
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


def mend(tools: Toolbox | Sequence[Any], *, budget: int = 3, **options: Any) -> list[Any]:
    """Give the middleware of an agent with these tools, for any number of agents and runs.

    Put it first (`middleware=[*mend(tools), ...]`): what stands after it sees canonical arguments.

    Args:
        tools: The agent's tools (functions are wrapped as the agent wraps them; what is no function tool is left alone),
            or a `Toolbox`.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`.

    Raises:
        ValueError: The schema of a tool cannot be compiled.

    """
    if not isinstance(tools, Toolbox):
        functions = [FunctionTool(func=tool, name=tool.__name__) if _is_function(tool) else tool for tool in tools]
        known = [tool for tool in functions if isinstance(tool, FunctionTool)]
        tools = toolbox_of([named(tool.name, tool.description, tool.parameters()) for tool in known], options)
    else:
        tools = toolbox_of(tools, options)
    return [_Replies(tools, budget), _Calls(tools)]


def _is_function(tool: Any) -> bool:
    return callable(tool) and hasattr(tool, "__name__") and not isinstance(tool, FunctionTool)


class _Run:
    """One run of an agent: its attempts, and what was decided of calls that are still to be run."""

    def __init__(self, toolbox: Toolbox, budget: int) -> None:
        self.toolbox = toolbox
        self.attempts: Attempts = toolbox.attempts(budget)
        self.decided: dict[str, Decision] = {}
        self.turns = 0


_run: ContextVar[_Run | None] = ContextVar("toolmend_run", default=None)


class _Replies(ChatMiddleware):
    """Repairs the calls of a reply before anyone else sees them."""

    def __init__(self, toolbox: Toolbox, budget: int) -> None:
        self._toolbox = toolbox
        self._budget = budget

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run = _run.get()
        # Results of tools go on with a run; anything else begins one.
        goes_on = bool(context.messages) and context.messages[-1].role == "tool"
        if run is None or run.toolbox is not self._toolbox or not goes_on:
            run = _Run(self._toolbox, self._budget)
            _run.set(run)

        async def answered(response: ChatResponse) -> ChatResponse:
            await _decide(run, response)
            return response

        if context.stream:
            context.stream_result_hooks.append(answered)
            await call_next()
            return
        await call_next()
        if context.result is not None:
            await answered(context.result)


async def _decide(run: _Run, response: ChatResponse) -> None:
    run.turns += 1
    reason = response.finish_reason
    finish = reason if reason in FINISHES else None
    for content in (content for message in response.messages for content in message.contents):
        if content.type == "function_call" and run.toolbox.contract(content.name) is not None:
            decision = await run.attempts.decide_async(
                content.name, content.arguments, finish=finish, id=content.call_id, turn=str(run.turns)
            )
            run.decided[content.call_id] = decision
            _rewrite(content, decision)


def _rewrite(content: Content, decision: Decision) -> None:
    """Put the canonical arguments in the place of those that came."""
    is_followed = decision.value is decision.outcome.value
    if decision.action == "run" and is_followed and decision.outcome.status == "repaired":
        content.arguments = decision.outcome.json


class _Calls(FunctionMiddleware):
    """Keeps a refused call from being run."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run = _run.get()
        call_id = context.metadata.get("call_id")
        decision = run.decided.pop(call_id, None) if run is not None and call_id is not None else None
        name = context.function.name
        if decision is None and self._toolbox.contract(name) is not None:
            # A call that was approved in an earlier run, or that no model made.
            decision = await self._toolbox.attempts().decide_async(name, dict(context.arguments), id=call_id)
            if decision.action == "run":
                context.arguments = decision.value
        if decision is None or decision.action == "run":
            await call_next()
        else:
            context.result = decision.message
