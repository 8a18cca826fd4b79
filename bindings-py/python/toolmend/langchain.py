"""LangChain: every tool call of an agent goes through the boundary.

    from toolmend.langchain import Mend

    agent = create_agent(model, tools, middleware=[..., Mend(tools)])

The calls are repaired as soon as the model has answered, from their raw text where LangChain still has it. A call that
is refused does not run: the model gets the feedback as the tool's message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from ._adapters import Attempts, Decision, Toolbox, finish_of, named, required, toolbox_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from langchain.agents.middleware import AgentMiddleware, AgentState, ToolCallRequest
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool
    from langchain_core.utils.function_calling import convert_to_openai_tool as convert
    from typing_extensions import NotRequired
else:
    middleware = required("langchain.agents.middleware", "langchain")
    AgentMiddleware, AgentState = middleware.AgentMiddleware, middleware.AgentState
    PrivateStateAttr = required("langchain.agents.middleware.types", "langchain").PrivateStateAttr
    messages = required("langchain_core.messages", "langchain")
    AIMessage, ToolMessage = messages.AIMessage, messages.ToolMessage
    convert = required("langchain_core.utils.function_calling", "langchain").convert_to_openai_tool
    NotRequired = required("typing_extensions", "langchain").NotRequired

__all__ = ["Mend", "MendState"]


class MendState(AgentState[Any]):
    """What the middleware keeps in the agent's state, as plain data: it survives a checkpoint."""

    toolmend: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]  # type: ignore[valid-type]


class Mend(AgentMiddleware[Any, Any]):
    """The middleware of an agent with these tools; one object for any number of agents and runs.

    Put it last: what is done after the model is done in reverse order, so that approvals see canonical arguments.

    Args:
        tools: The agent's tools, or a `Toolbox`. A provider's own tools (dicts) are left alone.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`.

    Raises:
        ValueError: The schema of a tool cannot be compiled.

    """

    state_schema = MendState

    def __init__(
        self,
        tools: Toolbox | Sequence[BaseTool | Callable[..., Any] | dict[str, Any]],
        *,
        budget: int = 3,
        **options: Any,
    ) -> None:
        super().__init__()
        if not isinstance(tools, Toolbox):
            tools = toolbox_of([_definition(tool) for tool in tools if not isinstance(tool, dict)], options)
        self._toolbox = toolbox_of(tools, {})
        self._budget = budget

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Begin the attempts of a run."""
        del state, runtime
        return {"toolmend": {}}

    def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Repair the calls of the reply."""
        del runtime
        reply = _Reply(state, self._toolbox, self._budget)
        for call in reply.calls:
            reply.decided(call, reply.attempts.decide(call["name"], call["args"], **reply.options(call)))
        return reply.update()

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Repair the calls of the reply."""
        del runtime
        reply = _Reply(state, self._toolbox, self._budget)
        for call in reply.calls:
            reply.decided(call, await reply.attempts.decide_async(call["name"], call["args"], **reply.options(call)))
        return reply.update()

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Keep a refused call from being run."""
        return _refusal(request) or handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Keep a refused call from being run."""
        return _refusal(request) or await handler(request)


def _definition(tool: Any) -> dict[str, Any]:
    function = convert(tool)["function"]
    return named(function["name"], function.get("description"), function.get("parameters", {"type": "object"}))


def _refusal(request: ToolCallRequest) -> ToolMessage | None:
    call = request.tool_call
    message = (request.state.get("toolmend") or {}).get("refused", {}).get(call["id"])
    if message is None:
        return None
    return ToolMessage(content=message, tool_call_id=call["id"], name=call["name"], status="error")


class _Reply:
    """The last message of the model, and what is decided of its calls."""

    def __init__(self, state: Any, toolbox: Toolbox, budget: int) -> None:
        kept = state.get("toolmend") or {}
        self.attempts: Attempts = toolbox.attempts(budget, state=kept.get("attempts"))
        last = state["messages"][-1]
        self.message: AIMessage | None = last if isinstance(last, AIMessage) else None
        self.calls: list[dict[str, Any]] = []
        self._mended: dict[str, dict[str, Any]] = {}
        self._refused: dict[str, str] = {}
        if self.message is not None:
            raw = _raw(self.message)
            for call in [*self.message.tool_calls, *self.message.invalid_tool_calls]:
                if toolbox.contract(call["name"] or "") is not None:
                    self.calls.append({**call, "args": raw.get(call["id"] or "", call["args"])})

    def options(self, call: dict[str, Any]) -> dict[str, Any]:
        metadata = self.message.response_metadata if self.message is not None else {}
        reasons = (finish_of(metadata.get(name)) for name in ("finish_reason", "stop_reason", "done_reason"))
        finish = next((reason for reason in reasons if reason is not None), None)
        return {"finish": finish, "id": call["id"], "turn": self.message.id if self.message is not None else None}

    def decided(self, call: dict[str, Any], decision: Decision) -> None:
        if decision.action != "run":
            self._refused[call["id"]] = decision.message or ""
        elif isinstance(decision.value, dict):
            self._mended[call["id"]] = decision.value

    def update(self) -> dict[str, Any] | None:
        """Give the message with canonical arguments, and the log after it."""
        if self.message is None or not self.calls:
            return None
        # A refused call stays as it is, for the model to see what it sent; what was no JSON has no arguments to show.
        calls = [{**call, "args": self._mended.get(call["id"] or "", call["args"])} for call in self.message.tool_calls]
        ours = self._mended.keys() | self._refused.keys()
        for call in self.message.invalid_tool_calls:
            if call["id"] in ours:
                args = self._mended.get(call["id"] or "", {})
                calls.append({"name": call["name"] or "", "args": args, "id": call["id"], "type": "tool_call"})
        left = [call for call in self.message.invalid_tool_calls if call["id"] not in ours]
        message = self.message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": left})
        return {"messages": [message], "toolmend": {"attempts": self.attempts.to_dict(), "refused": self._refused}}


def _raw(message: AIMessage) -> dict[str, str]:
    """Give the raw text of each call, by id, where the message still has it.

    What a stream was put together from counts more than what was read out of it: there text that was cut was completed.
    """
    found: dict[str, str] = {}
    for call in message.additional_kwargs.get("tool_calls") or []:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            found[call.get("id", "")] = call["function"].get("arguments")
    for chunk in getattr(message, "tool_call_chunks", None) or []:
        found[chunk.get("id") or ""] = chunk.get("args")
    return {key: text for key, text in found.items() if key and isinstance(text, str)}
