"""What a host checks between validation and the tool: preconditions, rules of its business."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._core import Contract, Outcome

Refusal = str | dict[str, Any] | Sequence["str | dict[str, Any]"] | None
"""What a guard says: nothing, one line that a model can act on, an issue (`hint`, `path`, `reason`), or several."""

Guard = Callable[[Any], "Refusal | Awaitable[Refusal]"]
"""Called with the canonical arguments, which it must not change. What it raises is raised to the caller, in report mode
too: what is wrong there is the guard, and not the call."""


def guarded(contract: Contract, guards: Sequence[Guard], outcome: Outcome) -> Outcome:
    """Ask every guard about an accepted call: the outcome as it is, or the refusal of all that object."""
    issues: list[dict[str, Any]] = []
    for guard in guards:
        told = guard(outcome.value)
        if isawaitable(told):
            close = getattr(told, "close", None)
            if close is not None:
                close()
            raise TypeError("an asynchronous guard needs `repair_async` or `decide_async`")
        issues.extend(_issues(told))
    return contract.refuse(issues) if issues else outcome


async def guarded_async(contract: Contract, guards: Sequence[Guard], outcome: Outcome) -> Outcome:
    """Do what `guarded` does, and await what is asynchronous."""
    issues: list[dict[str, Any]] = []
    for guard in guards:
        told = guard(outcome.value)
        issues.extend(_issues(await told if isawaitable(told) else told))
    return contract.refuse(issues) if issues else outcome


def _issues(told: Any) -> list[dict[str, Any]]:
    if told is None:
        return []
    if isinstance(told, str):
        return [{"hint": told}]
    if isinstance(told, dict):
        return [told]
    if isinstance(told, (list, tuple)):
        return [issue for one in told for issue in _issues(one)]
    wanted = "nothing, a str, a dict of an issue, or a list of these"
    raise TypeError(f"a guard must return {wanted}, not `{type(told).__name__}`")
