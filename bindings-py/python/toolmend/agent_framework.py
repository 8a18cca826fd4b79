"""Microsoft Agent Framework: every function call of an agent goes through the boundary.

    from toolmend.agent_framework import mend

    agent = Agent(client, tools=tools, middleware=mend())

The raw arguments are repaired as soon as the model has answered, so that approvals, policies, other middleware and the
tool itself see canonical ones. A call that is refused does not run: the model gets the feedback as its result.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ._adapters import Attempts, Seen, Toolbox, finish_of, going_on, named, required, toolbox_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from agent_framework import (
        ChatContext,
        ChatMiddleware,
        ChatResponse,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
        Message,
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
    """One run of an agent: its attempts."""

    def __init__(self, tools: Seen) -> None:
        self.tools = tools
        self._attempts: Attempts | None = None
        self._turns = 0

    async def decide(self, response: ChatResponse, toolbox: Toolbox, budget: int) -> None:
        """Decide on the calls of a reply, and put canonical arguments in the place of those that came."""
        self._turns += 1
        attempts = self._attempts = going_on(toolbox, budget, self._attempts)
        finish, turn = finish_of(response.finish_reason), str(self._turns)
        seen: set[str] = set()
        for content in (content for message in response.messages for content in message.contents):
            # Of several calls with one identity the framework runs the first.
            if content.type != "function_call" or not content.name or content.id in seen:
                continue
            call = content.id = _Call(content.id or f"toolmend-{uuid4().hex}")
            call.run, call.is_decided, call.refusal = self, False, None
            seen.add(call)
            if toolbox.contract(content.name) is None:
                continue
            decision = await attempts.decide_async(
                content.name, content.arguments, finish=finish, id=content.call_id, turn=turn
            )
            call.is_decided = True
            if decision.action != "run":
                call.refusal = content.additional_properties[_REFUSED] = decision.message or ""
            elif toolbox.mode == "enforce" and decision.outcome.status == "repaired":
                content.arguments = decision.outcome.json


_REFUSED = "toolmend.refused"
"""What a refused call carries of its refusal, as plain data: a human may be asked about it, and answer much later."""


class _Call(str):
    """The framework's own identity of a call, and what was decided of it.

    The framework hands it on, as it is, to what runs the call, and to its result. So nothing is looked up by the id
    that the model gave, which may be missing, or stand there twice, or come again in any other run.
    """

    __slots__ = ("is_decided", "refusal", "run")

    run: _Run | None
    is_decided: bool
    refusal: str | None

    def __reduce__(self) -> tuple[Any, ...]:
        """Be no more than the text in a copy."""
        return str, (str(self),)


def _known(value: object, tools: Seen) -> _Call | None:
    """Give a call that was seen by what has these tools, if that is what an identity is."""
    return value if isinstance(value, _Call) and value.run is not None and value.run.tools is tools else None


def _run_of(messages: Sequence[Message], tools: Seen) -> _Run | None:
    """Give the run that the messages go on with: results of tools do, and anything else begins one."""
    if not messages or messages[-1].role != "tool":
        return None
    for message in reversed(messages):
        if message.role not in {"tool", "assistant"}:
            break
        for content in message.contents:
            call = _known(content.id, tools)
            if call is not None:
                return call.run
    return None


class _Replies(ChatMiddleware):
    """Repairs the calls of a reply before anyone else sees them."""

    def __init__(self, tools: Seen, budget: int) -> None:
        self._tools = tools
        self._budget = budget

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        run = _run_of(context.messages, self._tools) or _Run(self._tools)
        toolbox = self._tools.saw(_definitions((context.options or {}).get("tools")))

        async def answered(response: Any) -> ChatResponse:
            reply: ChatResponse = response
            await run.decide(reply, toolbox, self._budget)
            return reply

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
        call = _known(context.metadata.get("function_call_occurrence_id"), self._tools)
        refusal = call.refusal if call is not None and call.is_decided else await self._late(context)
        if refusal is None:
            await call_next()
        else:
            context.result = refusal

    async def _late(self, context: FunctionInvocationContext) -> str | None:
        """Say why a call is refused that was approved after an earlier run, or that no model made."""
        approved = getattr(context.metadata.get("approval_response"), "function_call", None)
        if approved is not None:
            refused = approved.additional_properties.get(_REFUSED)
            if refused is not None:
                return str(refused)
        # The tool that is to run, and not one of the same name in what was seen last.
        toolbox = self._tools.saw(_definitions([context.function]))
        name, sent = context.function.name, _sent(context)
        if sent is None or toolbox.contract(name) is None:
            return None
        call_id = context.metadata.get("call_id")
        decision = await toolbox.attempts(self._budget).decide_async(name, sent, id=call_id)
        if decision.action != "run":
            return decision.message or ""
        if decision.outcome.status == "repaired" and toolbox.mode == "enforce":
            context.arguments = decision.value
        return None


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
