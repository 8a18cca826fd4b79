"""The retries of an agent as data: what follows from each answer, and the log that knows of the ones before."""

# A toolbox and its attempts are one thing in two files.
# ruff: noqa: SLF001

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._messages import calls_in

if TYPE_CHECKING:
    from ._core import Outcome
    from ._toolbox import Toolbox
    from ._types import Finish


@dataclass(frozen=True, slots=True)
class Decision:
    """What a host is to do with a call."""

    action: Literal["run", "retry", "stop"]
    """`"run"` the tool with `value`; do not, and give the model `message`, `"retry"` or `"stop"`."""
    tool: str
    """The name that the model called."""
    attempt: int
    """Which attempt in a row this was, from 1."""
    remaining: int
    """How many attempts are left after it."""
    outcome: Outcome
    """The answer itself."""
    value: Any = None
    """What to run with: the canonical arguments; in report mode what came, untouched."""
    message: str | None = None
    """What the model is told, where the tool is not run."""
    reason: Literal["repeated", "budget"] | None = None
    """Why there is no retry: the same call was refused before, or this was the last attempt."""
    id: Any = None
    """The call's own id, where it has one."""


class Attempts:
    """The log of the attempts in one run of an agent; made by `Toolbox.attempts`.

    Refusals in a row are counted for each tool (for calls of unknown tools together); an accepted call ends its row.
    It is for one run, and not for several threads at once.
    """

    __slots__ = ("_messages", "_state", "_toolbox")

    def __init__(self, toolbox: Toolbox, state: str) -> None:
        self._toolbox = toolbox
        self._state = state
        self._messages = 0

    @property
    def toolbox(self) -> Toolbox:
        """The toolbox that answers the calls."""
        return self._toolbox

    def decide(
        self,
        name: str,
        arguments: Any = None,
        *,
        finish: Finish | None = None,
        id: Any = None,  # noqa: A002 - the name that a message has for it
        turn: str | None = None,
    ) -> Decision:
        """Repair a call, and say what follows.

        Calls with the same `turn` (the id of the model's message, say) are one attempt: a model that calls a tool three
        times at once has not tried three times. Whatever text it is, it is never taken for the turn of a message that
        `decide_message` was given.

        Raises:
            TypeError: A guard of the tool is asynchronous; `decide_async` awaits it.
            ValueError: `turn` holds half of a surrogate pair.

        """
        named = _named(turn)
        return self._decided(name, arguments, self._toolbox._answer(name, arguments, finish), id, named)

    async def decide_async(
        self,
        name: str,
        arguments: Any = None,
        *,
        finish: Finish | None = None,
        id: Any = None,  # noqa: A002
        turn: str | None = None,
    ) -> Decision:
        """Do what `decide` does, and await asynchronous guards."""
        named = _named(turn)
        outcome = await self._toolbox._answer_async(name, arguments, finish)
        return self._decided(name, arguments, outcome, id, named)

    def decide_message(self, message: Any, *, finish: Finish | None = None) -> list[Decision]:
        """Repair every call in a message of a model (see `Toolbox.repair_message`): one turn, in their order."""
        calls = calls_in(message, finish)
        turn = self._next_turn()
        decisions = []
        for call in calls:
            outcome = self._toolbox._answer(call.name, call.arguments, call.finish)
            decisions.append(self._decided(call.name, call.arguments, outcome, call.id, turn))
        return decisions

    async def decide_message_async(self, message: Any, *, finish: Finish | None = None) -> list[Decision]:
        """Do what `decide_message` does, and await asynchronous guards."""
        calls = calls_in(message, finish)
        turn = self._next_turn()
        decisions = []
        for call in calls:
            outcome = await self._toolbox._answer_async(call.name, call.arguments, call.finish)
            decisions.append(self._decided(call.name, call.arguments, outcome, call.id, turn))
        return decisions

    def to_dict(self) -> dict[str, Any]:
        """Give the log as plain data, for `Toolbox.attempts(state=...)`. Of what was sent it has digests alone."""
        state: dict[str, Any] = json.loads(self._state)
        return state

    def _next_turn(self) -> str:
        """Name the turn of a message by what no refusal in the log has: the log may have been gone on with."""
        state = json.loads(self._state)
        rows = [*state["refused"].values(), *([state["unknown"]] if "unknown" in state else [])]
        taken = {call.get(name) for row in rows for call in row["calls"] for name in ("turn", "ended")}
        self._messages += 1
        while f"{_MESSAGE}{self._messages}" in taken:
            self._messages += 1
        return f"{_MESSAGE}{self._messages}"

    def _decided(self, name: str, arguments: Any, outcome: Outcome, id: Any, turn: str | None) -> Decision:  # noqa: A002
        self._state, told = _core.decide(self._state, name, arguments, turn, outcome)
        if self._toolbox.mode == "report":
            told = {"action": "run", "attempt": told["attempt"], "remaining": told["remaining"]}
            value = arguments
        else:
            value = outcome.value
        decision = Decision(**told, tool=name, outcome=outcome, value=value, id=id)
        self._toolbox._tell(name, outcome, decision)
        return decision


_MESSAGE = "#"
"""What the turns of messages begin with; one more of it stands before a turn of the caller's own that begins so."""


def _named(turn: str | None) -> str | None:
    """Give a turn of the caller's own as the log has it."""
    if turn is None:
        return None
    if not isinstance(turn, str):
        raise TypeError(f"`turn` must be of type `str`, not `{type(turn).__name__}`")
    if any("\ud800" <= character <= "\udfff" for character in turn):
        raise ValueError("`turn` must be text, without half of a surrogate pair")
    return f"{_MESSAGE}{turn}" if turn.startswith(_MESSAGE) else turn
