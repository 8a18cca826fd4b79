"""OpenAI Agents SDK: every function call of an agent goes through the boundary.

    from toolmend.openai_agents import mend

    agent = Agent(name="assistant", tools=mend(tools))

A call that is refused does not run: the model gets the feedback as the tool's output.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._adapters import Attempts, Toolbox, named, required, toolbox_of

if TYPE_CHECKING:
    from agents import FunctionTool, Tool
    from agents.tool_context import ToolContext
else:
    FunctionTool = required("agents", "openai-agents").FunctionTool

__all__ = ["mend"]


def mend(tools: Sequence[Tool], toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any) -> list[Tool]:
    """Give the tools with the boundary before each function tool; any other tool as it is.

    Args:
        tools: The tools of an agent. They are not changed: what is given is a list of copies.
        toolbox: The compiled tools; those that it does not know are left alone. If nothing is given, each is compiled from
            its own schema.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    Raises:
        ValueError: The schema of a tool cannot be compiled.

    """
    functions = [tool for tool in tools if isinstance(tool, FunctionTool)]
    definitions = [named(tool.name, tool.description, tool.params_json_schema) for tool in functions]
    box = toolbox_of(definitions if toolbox is None else toolbox, options)
    runs = _Runs(box, budget)
    is_ours = {id(tool) for tool in functions if box.contract(tool.name) is not None}
    return [_mended(tool, runs) if id(tool) in is_ours else tool for tool in tools]  # type: ignore[arg-type]


class _Runs:
    """The attempts of each run: it is known by its account of usage, which all contexts of a run share."""

    def __init__(self, toolbox: Toolbox, budget: int) -> None:
        self._toolbox = toolbox
        self._budget = budget
        self._attempts: dict[int, Attempts] = {}

    def attempts(self, context: ToolContext[Any]) -> Attempts:
        usage = context.usage
        key = id(usage)
        if key not in self._attempts:
            self._attempts[key] = self._toolbox.attempts(self._budget)
            weakref.finalize(usage, self._attempts.pop, key, None)
        return self._attempts[key]


def _mended(tool: FunctionTool, runs: _Runs) -> FunctionTool:
    invoke: Callable[[ToolContext[Any], str], Awaitable[Any]] = tool.on_invoke_tool

    async def repaired(context: ToolContext[Any], arguments: str) -> Any:
        # The calls of one reply come while the account of usage stands still.
        turn = str(context.usage.requests)
        decision = await runs.attempts(context).decide_async(
            tool.name, arguments, id=context.tool_call_id, turn=turn if turn != "0" else None
        )
        if decision.action != "run":
            return decision.message
        is_followed = decision.value is not arguments and decision.outcome.status == "repaired"
        return await invoke(context, decision.outcome.json or arguments if is_followed else arguments)

    mended = copy.copy(tool)
    mended.on_invoke_tool = repaired
    return mended
