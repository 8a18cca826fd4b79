"""What the adapters of frameworks share."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._attempts import Attempts, Decision
from ._core import FINISHES
from ._toolbox import Toolbox, compile_tools
from ._types import Finish

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Attempts",
    "Decision",
    "Finish",
    "Seen",
    "Toolbox",
    "finish_of",
    "going_on",
    "named",
    "required",
    "toolbox_of",
]


def required(module: str, extra: str) -> Any:
    """Import a framework, or say what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        missing = f"`toolmend.{extra.replace('-', '_')}` needs `{module}`"
        raise ImportError(f'{missing}: pip install "toolmend[{extra}]"') from error


def toolbox_of(tools: Toolbox | Iterable[dict[str, Any]], options: dict[str, Any]) -> Toolbox:
    """Give a toolbox as it is, or compile the definitions. A schema that cannot be compiled is an error here.

    A framework calls its tools whether we know them or not: one that did not compile would go unchecked.
    """
    if isinstance(tools, Toolbox):
        if any(value is not None for value in options.values()):
            raise TypeError("a toolbox has its options already")
        return tools
    toolbox = compile_tools(list(tools), **options)
    for fault in toolbox.faults:
        raise ValueError(f"tool `{fault.name}` at {fault.path or 'its definition'}: {fault.message}")
    return toolbox


class Seen:
    """The tools as a framework shows them: compiled when they are first seen, and again when they have changed."""

    def __init__(self, toolbox: Toolbox | None, options: dict[str, Any]) -> None:
        # With no tools yet, so that an option that cannot be understood is told at once.
        self.toolbox: Toolbox = toolbox_of([] if toolbox is None else toolbox, options)
        self.is_given = toolbox is not None
        self._options = options
        self._made: list[tuple[list[Any], Toolbox]] = []

    def saw(self, definitions: list[Any]) -> Toolbox:
        """Give the toolbox of the tools as they are now; one that was given stays what it is."""
        if self.is_given:
            return self.toolbox
        made = next((toolbox for known, toolbox in self._made if known == definitions), None)
        if made is None:
            made = self.compiled(definitions, self._options)
            self._made = [(definitions, made), *self._made[: _KEPT - 1]]
        self.toolbox = made
        return made

    def compiled(self, definitions: list[Any], options: dict[str, Any]) -> Toolbox:
        """Compile what was seen."""
        return toolbox_of(definitions, options)


_KEPT = 8
"""How many lists of tools are kept: as many agents as may share what keeps them, without compiling again."""


def going_on(toolbox: Toolbox, budget: int, before: Attempts | None) -> Attempts:
    """Give a log for a toolbox, which goes on with the one before."""
    if before is not None and before.toolbox is toolbox:
        return before
    return toolbox.attempts(budget, state=None if before is None else before.to_dict())


def named(name: str, description: str | None, schema: Any) -> dict[str, Any]:
    """Give the definition of a framework's own tool."""
    return {"name": name, "description": description or "", "inputSchema": schema}


def finish_of(reason: object) -> Finish | None:
    """Give the end of a reply as `repair` knows it; a reason that nobody knows says nothing."""
    return next((known for known in FINISHES if known == reason), None)
