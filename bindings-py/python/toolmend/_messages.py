"""The calls in a message of a model, in the shapes of the services: as dicts, or as their SDKs' objects."""

from __future__ import annotations

from ._core import FINISHES

# Not from `typing`, which takes long to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._types import Finish


class Sent:
    """One call as it stands in a message."""

    __slots__ = ("arguments", "finish", "id", "name")

    def __init__(self, name: Any, arguments: Any, id: Any = None, finish: Finish | None = None) -> None:  # noqa: A002
        if not isinstance(name, str):
            raise ValueError("a call in the message has no name")  # noqa: TRY004 - it is the message that is wrong
        self.name = name
        self.arguments = arguments
        self.id = id
        self.finish = finish


def calls_in(message: Any) -> tuple[list[Sent], Finish | None]:
    """Give the calls in `message`, and how it says that it ended.

    Raises `ValueError` for what is no message of a model, or more than one.
    """
    message, finish = _reply(message)
    return list(_calls(message)), finish


def _get(value: Any, *names: str) -> Any:
    """Give the first part of that name that is there, of a dict or of an object."""
    for name in names:
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _reply(message: Any) -> tuple[Any, Finish | None]:
    """Open what stands around a message: a completion, a response, a candidate."""
    for name in ("choices", "candidates"):
        several = _get(message, name)
        if _is_list(several):
            if len(several) > 1:
                raise ValueError(f"{len(several)} `{name}` are as many replies: give one of them")
            return _reply(several[0]) if several else ([], None)
    output = _get(message, "output")
    if _is_list(output):
        reason = _get(_get(message, "incomplete_details"), "reason")
        return output, _finish(reason) or _finish(_get(message, "status"))
    inner = _get(message, "message")
    if inner is not None and not isinstance(inner, str):
        return inner, _finish(_get(message, "finish_reason"))
    reason = _get(message, "finishReason", "finish_reason")
    content = _get(message, "content")
    if _get(content, "parts") is not None:
        return content, _finish(reason)
    if reason is not None and content is None and _get(message, "role") is None:
        return [], _finish(reason)
    return message, _finish(_get(message, "stop_reason"))


_BLOCKED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"})


def _finish(reason: Any) -> Finish | None:
    """Give the reason by a name that `repair` knows; what nobody knows says nothing."""
    # An SDK may have an enum, whose members are text or hold it.
    reason = getattr(reason, "value", reason)
    if reason in _BLOCKED:
        return "content_filter"
    return next((known for known in FINISHES if known == reason), None)


def _calls(message: Any) -> Iterator[Sent]:
    if _get(message, "type") in _ITEMS or _get(message, "function") is not None:
        yield from _item(message)
        return
    call, parts = _get(message, "function_call"), _get(message, "parts")
    lists = (message, _get(message, "tool_calls"), _get(message, "content"))
    items = next((each for each in lists if _is_list(each)), None)
    if items is not None:
        for item in items:
            yield from _item(item)
    elif _is_list(parts):
        for item in parts:
            yield from _part(item)
    elif call is not None and _get(message, "role") is not None:
        yield Sent(_get(call, "name"), _get(call, "arguments"))
    elif _get(message, "role") not in {"assistant", "model"}:
        yield _request(message)


def _request(message: Any) -> Sent:
    """Read a request of the Model Context Protocol, or its parameters."""
    params = _get(message, "params")
    if params is not None and _get(message, "method") == "tools/call":
        return Sent(_get(params, "name"), _get(params, "arguments"), _get(message, "id"))
    if isinstance(_get(message, "name"), str) and _get(message, "method") is None:
        return Sent(_get(message, "name"), _get(message, "arguments"))
    raise ValueError("this is no message of a model: there is no call in it that is known")


_ITEMS = frozenset({"function_call", "tool_use"})


def _item(item: Any) -> Iterator[Sent]:
    """Read one item of a list: of a response, of the content of a message, or of its calls."""
    kind, function = _get(item, "type"), _get(item, "function")
    if kind == "function_call":
        cut: Finish | None = "incomplete" if _get(item, "status") == "incomplete" else None
        yield Sent(_get(item, "name"), _get(item, "arguments"), _get(item, "call_id", "id"), cut)
    elif kind == "tool_use":
        yield Sent(_get(item, "name"), _get(item, "input"), _get(item, "id"))
    elif function is not None:
        yield Sent(_get(function, "name"), _get(function, "arguments"), _get(item, "id"))
    elif not isinstance(kind, str):
        raise ValueError("this is no message of a model: an item of the list has no type that is known")


def _part(part: Any) -> Iterator[Sent]:
    call = _get(part, "functionCall", "function_call")
    if call is not None:
        yield Sent(_get(call, "name"), _get(call, "args"), _get(call, "id"))
