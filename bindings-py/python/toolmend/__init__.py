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

from ._compile import compile  # noqa: A004 - the name it has in every language
from ._core import Contract, Outcome
from ._errors import SchemaError
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
