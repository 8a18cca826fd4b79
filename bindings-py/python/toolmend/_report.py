"""What an outcome tells: repairs and issues, frozen and comparable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ._types import Code, RuleName


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        """Read as the name that is imported."""
        return "ABSENT"

    def __bool__(self) -> bool:
        """Nothing is there."""
        return False


ABSENT: Final = Absent.ABSENT
"""Stands where there is no value at all; `None` is JSON's `null`. Compare with `is`."""


class _Short(Repr):
    """Representations of limited length, whatever a value holds."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = 80
        self.maxother = 80

    def repr_int(self, x: int, level: int) -> str:
        # The interpreter refuses to print an integer of many digits.
        bits = x.bit_length()
        return f"<int of {bits} bits>" if bits > _PRINTED_BITS else super().repr_int(x, level)


_PRINTED_BITS: Final = 256

_short: Final = _Short().repr


@dataclass(frozen=True, slots=True, repr=False)
class Repair:
    """One change that was made.

    Applied in order to the parsed input, the repairs of an outcome give its value; undone in reverse order they give
    the input back.
    """

    rule: RuleName
    """What was done."""
    path: str
    """JSON Pointer (RFC 6901) into the input; for `rename_key` and `drop_null`, to the member."""
    before: Any
    """The value before; for `rename_key`, the key; `ABSENT` where a member was added."""
    after: Any
    """The value after; for `rename_key`, the key; `ABSENT` where a member was left out."""
    lossy: bool = False
    """Whether something was lost. Only a rule that a host asked for by name loses anything."""

    def to_dict(self) -> dict[str, Any]:
        """Give the wire shape: `before`, `after` and `lossy` are there only where they say something."""
        wire: dict[str, Any] = {"rule": self.rule, "path": self.path}
        if self.before is not ABSENT:
            wire["before"] = self.before
        if self.after is not ABSENT:
            wire["after"] = self.after
        if self.lossy:
            wire["lossy"] = True
        return wire

    def __hash__(self) -> int:
        """Hash what is always hashable: the values before and after may be lists."""
        return hash((self.rule, self.path))

    def __repr__(self) -> str:
        """Cut long values."""
        lossy = ", lossy=True" if self.lossy else ""
        values = f"before={_short(self.before)}, after={_short(self.after)}"
        return f"Repair(rule={self.rule!r}, path={self.path!r}, {values}{lossy})"


@dataclass(frozen=True, slots=True)
class Received:
    """What came: its type and, for a scalar, the value itself."""

    type: str
    """`null`, `boolean`, `integer`, `number`, `string`, `array` or `object`; `text` for text that is no JSON."""
    preview: str | None = None
    """The value as JSON text, cut where it is long."""

    def to_dict(self) -> dict[str, Any]:
        """Give the wire shape."""
        return {"type": self.type} if self.preview is None else {"type": self.type, "preview": self.preview}


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the raw text."""

    offset: int
    """Offset in bytes of UTF-8, from 0."""
    line: int
    """Line, from 1."""
    column: int
    """Column in code points, from 1."""

    def to_dict(self) -> dict[str, Any]:
        """Give the wire shape."""
        return {"offset": self.offset, "line": self.line, "column": self.column}


@dataclass(frozen=True, slots=True, repr=False)
class Issue:
    """One reason for a refusal, or one warning."""

    code: Code
    """The stable code, for programs."""
    path: str
    """JSON Pointer (RFC 6901) into what was sent; of the property that is not there for `missing_property`."""
    keyword: str | None
    """The JSON Schema keyword that failed."""
    schema: str | None
    """JSON Pointer into the schema, to that keyword."""
    expected: Any
    """What the schema wants there, in its own terms; `ABSENT` where it has none to tell."""
    received: Received | None
    """What came."""
    hint: str
    """One line that a model can act on."""
    candidates: tuple[Any, ...] = ()
    """Keys, members or readings that may have been meant. Suggestions only: none is applied."""
    span: Span | None = None
    """The place in the raw text, when there was text."""
    reason: str | None = None
    """The host's own code, where the issue is the host's."""

    def to_dict(self) -> dict[str, Any]:
        """Give the wire shape: what is not known is left out."""
        wire: dict[str, Any] = {"code": self.code, "path": self.path}
        if self.keyword is not None:
            wire["keyword"] = self.keyword
        if self.schema is not None:
            wire["schema"] = self.schema
        if self.expected is not ABSENT:
            wire["expected"] = self.expected
        if self.received is not None:
            wire["received"] = self.received.to_dict()
        wire["hint"] = self.hint
        if self.reason is not None:
            wire["reason"] = self.reason
        if self.candidates:
            wire["candidates"] = list(self.candidates)
        if self.span is not None:
            wire["span"] = self.span.to_dict()
        return wire

    def __hash__(self) -> int:
        """Hash what is always hashable: what was expected may be a list."""
        return hash((self.code, self.path, self.keyword, self.schema, self.hint))

    def __repr__(self) -> str:
        """Leave out what is not known, and cut long values."""
        known = [f"code={self.code!r}", f"path={self.path!r}"]
        if self.keyword is not None:
            known.append(f"keyword={self.keyword!r}")
        if self.schema is not None:
            known.append(f"schema={self.schema!r}")
        if self.expected is not ABSENT:
            known.append(f"expected={_short(self.expected)}")
        if self.received is not None:
            known.append(f"received={self.received!r}")
        known.append(f"hint={self.hint!r}")
        if self.reason is not None:
            known.append(f"reason={self.reason!r}")
        if self.candidates:
            known.append(f"candidates={_short(self.candidates)}")
        if self.span is not None:
            known.append(f"span={self.span!r}")
        return f"Issue({', '.join(known)})"
