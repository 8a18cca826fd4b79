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
    from ._report import ABSENT, Absent, Issue, Received, Repair, Span
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
    "Code",
    "Contract",
    "FeedbackFormat",
    "Finish",
    "FormatsMode",
    "Issue",
    "Limits",
    "Outcome",
    "Override",
    "PolicyName",
    "Received",
    "Redact",
    "Repair",
    "RuleName",
    "SchemaError",
    "Span",
    "Status",
    "UndeclaredMode",
    "compile",
]

_REPORT = frozenset({"ABSENT", "Absent", "Issue", "Received", "Repair", "Span"})


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        # What a report is made of, and the types for annotations: most calls need neither, and to load what they are
        # made with (`dataclasses`, `typing`) takes longer than all the rest.
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module("._report" if name in _REPORT else "._types", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
