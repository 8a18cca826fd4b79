"""What the adapters of frameworks share."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._attempts import Attempts, Decision
from ._toolbox import Toolbox, compile_tools
from ._types import Finish

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Attempts", "Decision", "Finish", "Toolbox", "named", "required", "toolbox_of"]


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
        if options:
            raise TypeError("a toolbox has its options already")
        return tools
    toolbox = compile_tools(list(tools), **options)
    for fault in toolbox.faults:
        raise ValueError(f"tool `{fault.name}` at {fault.path or 'its definition'}: {fault.message}")
    return toolbox


def named(name: str, description: str | None, schema: Any) -> dict[str, Any]:
    """Give the definition of a framework's own tool."""
    return {"name": name, "description": description or "", "inputSchema": schema}
