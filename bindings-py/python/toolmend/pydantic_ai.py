"""Pydantic AI: every function call of an agent goes through the boundary, before Pydantic validates it.

    from toolmend.pydantic_ai import Mend

    agent = Agent(model, tools=[...], capabilities=[Mend()])

A call that is refused does not run: the model gets the feedback as a retry prompt, or, where no retry makes sense or the
tool's own `retries` are used up, as the result of a tool that has failed. The run goes on in both cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._adapters import Attempts, Finish, Toolbox, finish_of, named, required, toolbox_of

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.exceptions import ModelRetry, ToolFailed
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.tools import ToolDefinition
else:
    AbstractCapability = required("pydantic_ai.capabilities", "pydantic-ai").AbstractCapability
    exceptions = required("pydantic_ai.exceptions", "pydantic-ai")
    ModelRetry, ToolFailed = exceptions.ModelRetry, exceptions.ToolFailed

__all__ = ["Mend"]


class Mend(AbstractCapability[Any]):
    """The capability of an agent; one object for any number of agents and runs.

    Args:
        toolbox: The tools; those that it does not know are left alone. If nothing is given, each tool is compiled from
            the schema that the model is shown, when it is first called.
        budget: How many calls of a tool in a row may be refused until the model is told to go on without it.
        **options: Those of `compile_tools`, where no toolbox is given.

    """

    def __init__(self, toolbox: Toolbox | None = None, *, budget: int = 3, **options: Any) -> None:
        self._given = toolbox if toolbox is None else toolbox_of(toolbox, options)
        self._budget = budget
        self._options = options
        self._made: dict[str, tuple[Any, Toolbox]] = {}
        self._attempts: dict[str, Attempts] = {}

    async def for_run(self, ctx: RunContext[Any]) -> Mend:
        """Begin the attempts of a run. The compiled tools are shared."""
        del ctx
        fresh = object.__new__(type(self))
        fresh.__dict__.update(self.__dict__, _attempts={})
        return fresh

    async def before_tool_validate(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: str | dict[str, Any],
    ) -> str | dict[str, Any]:
        """Repair the arguments as they came."""
        toolbox = self._toolbox(tool_def)
        if toolbox.contract(call.tool_name) is None:
            return args
        attempts = self._attempts.setdefault("" if self._given else call.tool_name, toolbox.attempts(self._budget))
        turn = str(ctx.run_step)
        decision = await attempts.decide_async(
            call.tool_name, args, finish=_finish(ctx), id=call.tool_call_id, turn=turn
        )
        if decision.action == "run":
            if decision.value is args or decision.outcome.status == "unchanged":
                return args
            # Text stays text: Pydantic reads JSON by other rules than data, and text has every digit.
            mended: str | dict[str, Any] = decision.outcome.json if isinstance(args, str) else decision.value
            return mended
        message = decision.message or ""
        # One retry prompt more than the tool's `retries` would end the run: it is the budget that says when to stop.
        is_retry = decision.action == "retry" and not ctx.last_attempt
        raise ModelRetry(message) if is_retry else ToolFailed(message)

    def _toolbox(self, tool: ToolDefinition) -> Toolbox:
        if self._given is not None:
            return self._given
        schema, toolbox = self._made.get(tool.name, (None, None))
        if toolbox is None or schema != tool.parameters_json_schema:
            schema = tool.parameters_json_schema
            toolbox = toolbox_of([named(tool.name, tool.description, schema)], self._options)
            self._made[tool.name] = schema, toolbox
        return toolbox


def _finish(ctx: RunContext[Any]) -> Finish | None:
    """Say how the reply ended that the call stands in: the last one of the run."""
    return finish_of(getattr(ctx.messages[-1], "finish_reason", None)) if ctx.messages else None
