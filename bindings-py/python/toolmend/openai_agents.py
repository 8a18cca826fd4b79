"""OpenAI Agents SDK: every function call of an agent goes through the boundary.

    from toolmend.openai_agents import mend

    agent = Agent(name="assistant", tools=mend(tools))

A call that is refused does not run: the model gets the feedback as the tool's output. With `mend_model`, approvals and
guardrails see canonical arguments too.
"""

from __future__ import annotations

import copy
import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ._adapters import Attempts, Toolbox, finish_of, named, required, toolbox_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from agents import FunctionTool, Model, ModelProvider, ModelResponse, Tool
    from agents.tool_context import ToolContext
else:
    agents = required("agents", "openai-agents")
    FunctionTool, Model, ModelProvider = agents.FunctionTool, agents.Model, agents.ModelProvider

__all__ = ["mend", "mend_model"]


def mend(tools: Sequence[Tool], toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any) -> list[Tool]:
    """Give the tools with the boundary before each function tool; any other tool as it is.

    Args:
        tools: The tools of an agent. They are not changed: what is given is a list of copies.
        toolbox: The compiled tools; those that it does not know are left alone. If nothing is given, each is compiled
            from its own schema.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    Raises:
        ValueError: The schema of a tool cannot be compiled.

    """
    functions = [tool for tool in tools if isinstance(tool, FunctionTool)]
    definitions = [named(tool.name, tool.description, tool.params_json_schema) for tool in functions]
    box = toolbox_of(definitions if toolbox is None else toolbox, options)
    boundary = _Boundary(box, budget)
    ours = {id(tool) for tool in functions if box.contract(tool.name) is not None}
    return [boundary.before(tool) if id(tool) in ours else tool for tool in tools]  # type: ignore[arg-type]


def mend_model(model: Model | ModelProvider, tools: Sequence[Tool]) -> Any:
    """Give the model, or the provider of models, with canonical arguments in its calls of mended tools.

    The SDK shows approvals, guardrails and hooks the text of a call before the tool is asked. With
    `Agent(model=mend_model(model, tools))` or `RunConfig(model_provider=mend_model(provider, tools))` they see what
    will run. A call that is refused stays as the model sent it.

    Args:
        model: The model or the provider.
        tools: What `mend` gave; tools of several lists may stand in it.

    """
    boundaries = {tool.name: _boundary_of(tool) for tool in tools if isinstance(tool, FunctionTool)}
    ours = {name: boundary for name, boundary in boundaries.items() if boundary is not None}
    return _MendedProvider(model, ours) if isinstance(model, ModelProvider) else _MendedModel(model, ours)


class _Text(str):
    """The text of a call as the SDK is given it, with what the model sent; the SDK hands it on, as it is, to the tool.

    So nothing is looked up by the id of a call, and nothing is kept. What went through JSON is canonical text alone.
    """

    __slots__ = ("raw",)

    raw: str


@dataclass(frozen=True)
class _Log:
    """The attempts of one agent in one run."""

    agent: Any
    tool_input: Any
    attempts: Attempts


class _Boundary:
    """What stands before the tools of one list."""

    def __init__(self, toolbox: Toolbox, budget: int) -> None:
        self._toolbox = toolbox
        self._budget = budget
        self._logs: dict[int, list[_Log]] = {}

    def attempts(self, context: ToolContext[Any]) -> Attempts:
        """Give the log of a run: it is known by its account of usage, which all contexts of a run share.

        An agent that is a tool writes to the account of the run that it is called in: it is another agent, and what it
        was called with is another thing each time.
        """
        usage, agent, tool_input = context.usage, context.agent, context.tool_input
        key = id(usage)
        if key not in self._logs:
            self._logs[key] = []
            weakref.finalize(usage, self._logs.pop, key, None)
        for log in self._logs[key]:
            if log.agent is agent and log.tool_input is tool_input:
                return log.attempts
        attempts = self._toolbox.attempts(self._budget)
        self._logs[key].append(_Log(agent, tool_input, attempts))
        return attempts

    def before(self, tool: FunctionTool) -> FunctionTool:
        invoke: Callable[[ToolContext[Any], str], Awaitable[Any]] = tool.on_invoke_tool

        async def repaired(context: ToolContext[Any], arguments: str) -> Any:
            raw = arguments.raw if isinstance(arguments, _Text) else arguments
            # The calls of one reply come while the account of usage stands still.
            turn = context.usage.requests or None
            decision = await self.attempts(context).decide_async(
                tool.name,
                raw,
                finish=finish_of(getattr(context.tool_call, "status", None)),
                id=context.tool_call_id,
                turn=None if turn is None else str(turn),
            )
            if decision.action != "run":
                return decision.message
            is_mended = self._toolbox.mode == "enforce" and decision.outcome.status == "repaired"
            return await invoke(context, decision.outcome.json or arguments if is_mended else arguments)

        repaired.toolmend = self  # type: ignore[attr-defined]
        mended = copy.copy(tool)
        mended.on_invoke_tool = repaired
        return mended

    def text(self, name: str, raw: str) -> str:
        """Give the text that the SDK is to read in place of the one that the model sent."""
        contract = self._toolbox.contract(name)
        outcome = None if contract is None or self._toolbox.mode == "report" else contract.repair(raw)
        if outcome is None or outcome.status != "repaired" or outcome.json is None:
            return raw
        text = _Text(outcome.json)
        text.raw = raw
        return text


def _boundary_of(tool: FunctionTool) -> _Boundary | None:
    found = getattr(tool.on_invoke_tool, "toolmend", None)
    return found if isinstance(found, _Boundary) else None


class _Around:
    """What is another object in all but its own methods: nothing of a base class of the SDK answers in its place."""

    _own: frozenset[str]

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__") or name in object.__getattribute__(self, "_own"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "_inner"), name)


class _MendedModel(_Around, Model):
    _own = frozenset({"_inner", "_ours", "_event", "_item", "get_response", "stream_response"})

    def __init__(self, model: Model, ours: dict[str, _Boundary]) -> None:
        self._inner = model
        self._ours = ours

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        response = await self._inner.get_response(*args, **options)
        return replace(response, output=[self._item(item) for item in response.output])

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        stream = self._inner.stream_response(*args, **options)
        try:
            async for event in stream:
                yield self._event(event)
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await close()

    def _event(self, event: Any) -> Any:
        if event.type == "response.output_item.done":
            return event.model_copy(update={"item": self._item(event.item)})
        if event.type in {"response.completed", "response.incomplete"}:
            output = [self._item(item) for item in event.response.output]
            return event.model_copy(update={"response": event.response.model_copy(update={"output": output})})
        return event

    def _item(self, item: Any) -> Any:
        boundary = self._ours.get(item.name) if getattr(item, "type", None) == "function_call" else None
        if boundary is None:
            return item
        return item.model_copy(update={"arguments": boundary.text(item.name, item.arguments)})


class _MendedProvider(_Around, ModelProvider):
    _own = frozenset({"_inner", "_ours", "_mended", "get_model"})

    def __init__(self, provider: ModelProvider, ours: dict[str, _Boundary]) -> None:
        self._inner = provider
        self._ours = ours
        # The runner tells models apart by their identity.
        self._mended: weakref.WeakValueDictionary[int, _MendedModel] = weakref.WeakValueDictionary()

    def get_model(self, model_name: str | None) -> Model:
        model = self._inner.get_model(model_name)
        # As long as a mended model is there, so is its own, and no other one has that number.
        mended = self._mended.get(id(model))
        if mended is None:
            mended = self._mended[id(model)] = _MendedModel(model, self._ours)
        return mended
