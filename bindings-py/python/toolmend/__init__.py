"""Repair the arguments of a tool call against the tool's JSON Schema, or refuse with a typed reason.

    import toolmend

    contract = toolmend.compile(schema, policy="narrow")
    outcome = contract.repair(call.function.arguments)  # str, bytes or dict
    if outcome.ok:
        run(**outcome.value)
    else:
        reply(outcome.feedback())

`compile` reads a schema once per tool and raises `SchemaError` for a bad one; `Contract.repair` is called for every
call and never raises for what a model sent. An `Outcome` is either the canonical arguments with every `Repair` that
was made, or a refusal with every `Issue`. Nothing is ever guessed.
"""

from importlib import import_module

from ._compile import compile  # noqa: A004 - the name it has in every language
from ._core import Contract, Outcome
from ._errors import SchemaError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._attempts import Attempts, Decision
    from ._guards import Guard, Refusal
    from ._report import ABSENT, Absent, Issue, Received, Repair, Span
    from ._toolbox import Call, Effect, Event, Fault, Toolbox, ToolOptions, compile_tools, observe_all
    from ._types import (
        Code,
        FeedbackFormat,
        Finish,
        FormatsMode,
        Limits,
        Override,
        PolicyName,
        Redact,
        RuleName,
        Status,
        UndeclaredMode,
    )

__all__ = [
    "ABSENT",
    "Absent",
    "Attempts",
    "Call",
    "Code",
    "Contract",
    "Decision",
    "Effect",
    "Event",
    "Fault",
    "FeedbackFormat",
    "Finish",
    "FormatsMode",
    "Guard",
    "Issue",
    "Limits",
    "Outcome",
    "Override",
    "PolicyName",
    "Received",
    "Redact",
    "Refusal",
    "Repair",
    "RuleName",
    "SchemaError",
    "Span",
    "Status",
    "ToolOptions",
    "Toolbox",
    "UndeclaredMode",
    "compile",
    "compile_tools",
    "observe_all",
]

_LAZY = {
    "_attempts": ("Attempts", "Decision"),
    "_guards": ("Guard", "Refusal"),
    "_report": ("ABSENT", "Absent", "Issue", "Received", "Repair", "Span"),
    "_toolbox": ("Call", "Effect", "Event", "Fault", "ToolOptions", "Toolbox", "compile_tools", "observe_all"),
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # What a report is made of, toolboxes, and the types for annotations: single contracts need none of them, and to
        # load what they are made with (`dataclasses`, `typing`) takes longer than all the rest.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = next((home for home, names in _LAZY.items() if name in names), "_types")
        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
