"""OpenAI Agents SDK: every function call of an agent goes through the boundary.

    from toolmend.openai_agents import mend

    agent = Agent(name="assistant", tools=mend(tools))

A call that is refused does not run: the model gets the feedback as the tool's output. With `mend_model`, approvals and
guardrails see canonical arguments too.
"""

from __future__ import annotations

import copy
import weakref
from collections import OrderedDict
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


@dataclass(frozen=True)
class _Sent:
    """The text of a call as the model sent it, and as the SDK was given it."""

    raw: str
    given: str


_REMEMBERED = 1024
"""How many mended calls are remembered until their tools are run; those of runs that were given up are forgotten."""


class _Boundary:
    """What stands before the tools of one list."""

    def __init__(self, toolbox: Toolbox, budget: int) -> None:
        self._toolbox = toolbox
        self._budget = budget
        self._attempts: dict[int, Attempts] = {}
        self._sent: OrderedDict[str, _Sent] = OrderedDict()

    def attempts(self, context: ToolContext[Any]) -> Attempts:
        """Give the log of a run: it is known by its account of usage, which all contexts of a run share."""
        usage = context.usage
        key = id(usage)
        if key not in self._attempts:
            self._attempts[key] = self._toolbox.attempts(self._budget)
            weakref.finalize(usage, self._attempts.pop, key, None)
        return self._attempts[key]

    def before(self, tool: FunctionTool) -> FunctionTool:
        invoke: Callable[[ToolContext[Any], str], Awaitable[Any]] = tool.on_invoke_tool

        async def repaired(context: ToolContext[Any], arguments: str) -> Any:
            sent = self._sent.pop(context.tool_call_id, None)
            raw = sent.raw if sent is not None and sent.given == arguments else arguments
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

    def text(self, name: str, call_id: str, raw: str) -> str:
        """Give the text that the SDK is to read in place of the one that the model sent."""
        contract = self._toolbox.contract(name)
        outcome = None if contract is None or self._toolbox.mode == "report" else contract.repair(raw)
        if outcome is None or outcome.status != "repaired" or outcome.json is None:
            return raw
        self._sent[call_id] = _Sent(raw, outcome.json)
        while len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)
        return outcome.json


def _boundary_of(tool: FunctionTool) -> _Boundary | None:
    found = getattr(tool.on_invoke_tool, "toolmend", None)
    return found if isinstance(found, _Boundary) else None


class _MendedModel(Model):
    def __init__(self, model: Model, ours: dict[str, _Boundary]) -> None:
        self._model = model
        self._ours = ours

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def close(self) -> None:
        await self._model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._model._cleanup_on_run_end(owner)  # noqa: SLF001 - what the runner asks of a model

    def get_retry_advice(self, request: Any) -> Any:
        return self._model.get_retry_advice(request)

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        response = await self._model.get_response(*args, **options)
        return replace(response, output=[self._item(item) for item in response.output])

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        stream = self._model.stream_response(*args, **options)
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
        return item.model_copy(update={"arguments": boundary.text(item.name, item.call_id, item.arguments)})


class _MendedProvider(ModelProvider):
    def __init__(self, provider: ModelProvider, ours: dict[str, _Boundary]) -> None:
        self._provider = provider
        self._ours = ours

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def get_model(self, model_name: str | None) -> Model:
        return _MendedModel(self._provider.get_model(model_name), self._ours)

    async def aclose(self) -> None:
        await self._provider.aclose()
