"""LangChain: every tool call of an agent goes through the boundary.

    from toolmend.langchain import Mend

    agent = create_agent(model, tools, middleware=[..., Mend(tools)])

The calls are repaired as soon as the model has answered, from their raw text where LangChain still has it. A call that
is refused does not run: the model gets the feedback as the tool's message.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from ._adapters import Attempts, Decision, Toolbox, finish_of, named, required, toolbox_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

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
            call.decision = reply.attempts.decide(*reply.arguments(call), **reply.options(call))
        return reply.update()

    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Repair the calls of the reply."""
        del runtime
        reply = _Reply(state, self._toolbox, self._budget)
        for call in reply.calls:
            call.decision = await reply.attempts.decide_async(*reply.arguments(call), **reply.options(call))
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


class _Call:
    """One call of a reply, known by its place in it: an id may be missing, or stand there twice."""

    def __init__(self, call: Any, sent: _Sent, *, is_invalid: bool, is_ours: bool) -> None:
        self.call = call
        self.sent = sent
        self.is_invalid = is_invalid
        self.is_ours = is_ours
        self.decision: Decision | None = None

    @property
    def name(self) -> str:
        return self.call["name"] or ""

    @property
    def id(self) -> str:
        return self.call["id"] or ""

    @property
    def is_refused(self) -> bool:
        return self.decision is not None and self.decision.action != "run"

    @property
    def mended(self) -> dict[str, Any] | None:
        """The canonical arguments, where there are some."""
        value = self.decision.value if self.decision is not None and self.decision.action == "run" else None
        return value if isinstance(value, dict) else None


class _Reply:
    """The last message of the model, and what is decided of its calls."""

    def __init__(self, state: Any, toolbox: Toolbox, budget: int) -> None:
        kept = state.get("toolmend") or {}
        self.attempts: Attempts = toolbox.attempts(budget, state=kept.get("attempts"))
        # What answers to calls of the reply may stand after it already: a structured answer that was no good, say.
        self.message: AIMessage | None = next(
            (message for message in reversed(state["messages"]) if isinstance(message, AIMessage)), None
        )
        self._all: list[_Call] = []
        if self.message is not None:
            valid = len(self.message.tool_calls)
            for place, (call, sent) in enumerate(_sent(self.message)):
                is_ours = toolbox.contract(call["name"] or "") is not None
                self._all.append(_Call(call, sent, is_invalid=place >= valid, is_ours=is_ours))
        self.calls = [call for call in self._all if call.is_ours]

    def arguments(self, call: _Call) -> tuple[str, Any]:
        """Give the name of a call and what was sent for it."""
        return call.name, call.call["args"] if call.sent.text is None else call.sent.text

    def options(self, call: _Call) -> dict[str, Any]:
        metadata = self.message.response_metadata if self.message is not None else {}
        reasons = (finish_of(metadata.get(name)) for name in ("finish_reason", "stop_reason", "done_reason"))
        finish = next((reason for reason in reasons if reason is not None), None)
        if finish is None and call.sent.is_lost:
            finish = "incomplete"
        return {"finish": finish, "id": call.call["id"], "turn": self.message.id if self.message is not None else None}

    def update(self) -> dict[str, Any] | None:
        """Give the message with canonical arguments, and the log after it."""
        if self.message is None:
            return None
        shown = [call for call in self._all if not call.is_invalid or call.is_refused or call.mended is not None]
        left = [call.call for call in self._all if call not in shown]
        ids = _told_apart(self.message, shown)
        # A refused call stays as it is, for the model to see what it sent; what was no JSON has no arguments to show.
        calls: list[Any] = []
        for call, call_id in zip(shown, ids, strict=True):
            args = ({} if call.is_invalid else call.call["args"]) if call.mended is None else call.mended
            calls.append({"type": "tool_call", **call.call, "name": call.name, "args": args, "id": call_id})
            if call.is_invalid:
                calls[-1] = {"name": call.name, "args": args, "id": call_id, "type": "tool_call"}
        refused = {
            call_id: call.decision.message or ""
            for call, call_id in zip(shown, ids, strict=True)
            if call.decision is not None and call.is_refused
        }
        # Of an earlier reply nothing is kept but the log: its ids may come again.
        update: dict[str, Any] = {"toolmend": {"attempts": self.attempts.to_dict(), "refused": refused}}
        if self.calls and self.attempts.toolbox.mode == "enforce":
            changed = {"tool_calls": calls, "invalid_tool_calls": left}
            update["messages"] = [self.message.model_copy(update=changed)]
        return update


def _told_apart(message: AIMessage, calls: list[_Call]) -> list[Any]:
    """Give an id for each call by which it alone is known; a call of ours that has none of its own gets a new one.

    LangChain knows a call by nothing else, from here to the tool and back.
    """
    taken = Counter(call.id for call in calls if not call.is_ours)
    ids: list[Any] = []
    for place, call in enumerate(calls):
        if not call.is_ours or (call.id and call.id not in taken):
            ids.append(call.call["id"])
        else:
            seed = f"{message.id} {place}"
            ids.append(f"call_{sha256(seed.encode()).hexdigest()[:24]}")
        taken[ids[-1]] += 1
    return ids


class _Sent(NamedTuple):
    """The text that a call was read from."""

    text: str | None = None
    """`None` where the message does not have it."""
    is_lost: bool = False
    """Whether the message has it, and does not tell which of several it is."""


def _sent(message: AIMessage) -> Iterator[tuple[Any, _Sent]]:
    """Give each call, those that LangChain could not read after the others, with the text that it was read from.

    What a stream was put together from counts more than what was read out of it: there text that was cut was completed.
    """
    texts: dict[str, list[str | None]] = {}
    for call_id, text in _texts(message):
        texts.setdefault(call_id, []).append(text if isinstance(text, str) else None)
    for unread in message.invalid_tool_calls:
        # Of what could not be read, its text is what is left.
        if unread["args"] in (own := texts.get(unread["id"] or "", [])):
            own.remove(unread["args"])
    asked = Counter(call["id"] or "" for call in message.tool_calls)
    told = {call_id: iter(own) for call_id, own in texts.items() if len(own) == asked[call_id]}
    for call in message.tool_calls:
        call_id = call["id"] or ""
        if call_id in told:
            yield call, _Sent(next(told[call_id]))
        else:
            yield call, _Sent(is_lost=bool(texts.get(call_id)))
    for unread in message.invalid_tool_calls:
        yield unread, _Sent()


def _texts(message: AIMessage) -> Iterator[tuple[str, Any]]:
    """Give the id and the text of each call as they came, in their order, where the message still has them."""
    chunks = getattr(message, "tool_call_chunks", None)
    if chunks:
        for chunk in chunks:
            yield chunk.get("id") or "", chunk.get("args")
        return
    for call in message.additional_kwargs.get("tool_calls") or []:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            yield call.get("id") or "", call["function"].get("arguments")
