"""The calls in a message of a model, in the shapes of the services: as dicts, or as their SDKs' objects."""

from __future__ import annotations

from ._core import FINISHES

# Not from `typing`, which takes long to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from ._types import Finish

    Said = tuple[Finish, ...]


class Sent:
    """One call as it stands in a message."""

    __slots__ = ("arguments", "finish", "id", "name")

    def __init__(self, name: str, arguments: Any, id: Any, finish: Finish | None) -> None:  # noqa: A002
        self.name = name
        self.arguments = arguments
        self.id = id
        # By all that was said of it: what anything around the call says was cut is cut.
        self.finish = finish


def calls_in(message: Any, given: Finish | None) -> list[Sent]:
    """Give the calls in `message`.

    `given` is how it ended as the host knows it, and counts beside what the message itself says. Raises `ValueError`
    for what is no message of a model, or more than one.
    """
    return _read(message, () if given is None else (given,), 0)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _is_data(value: Any) -> bool:
    return not (value is None or isinstance(value, (str, bytes, int, float, list, tuple)))


def _get(value: Any, *names: str) -> Any:
    """Give the first part of that name that is there, of a dict or of an object."""
    if not _is_data(value):
        return None
    for name in names:
        found = value.get(name) if isinstance(value, dict) else getattr(value, name, None)
        if found is not None:
            return found
    return None


def _keys(value: Any) -> list[str]:
    """Give the names of what is there."""
    if isinstance(value, dict):
        return [key for key, each in value.items() if each is not None]
    # Of pydantic's models, what they have beyond their fields stands apart.
    own = {**getattr(value, "__dict__", {}), **(getattr(value, "model_extra", None) or {})}
    return [key for key, each in own.items() if each is not None and not key.startswith("_")]


def _given(value: Any) -> Any:
    """Give the names of what an object was made with."""
    given = getattr(value, "model_fields_set", None)
    return getattr(value, "__dict__", {}) if given is None else given


def _no(why: str) -> NoReturn:
    raise ValueError(f"this is no message of a model: {why}")


_DEEPEST = 8
"""Nothing that a service sends is nested as deep."""


def _read(message: Any, above: Said, depth: int) -> list[Sent]:
    """Read a message, or what stands around one: a completion, a response, a candidate."""
    if _is_list(message) and depth == 0:
        return _items(message, above, depth)
    if not _is_data(message) or depth > _DEEPEST:
        _no("there is no call in it that is known")
    _whole(message)
    kind, role = _get(message, "type"), _get(message, "role")
    if _shape(kind) is not None or _get(message, "function") is not None:
        return _item(message, above, is_call=True)
    said = (*above, *_ends(message))
    places = [*_around(message, said, depth), *_within(message, said, depth)]
    filled = [calls for calls in places if calls]
    if len(filled) > 1:
        raise ValueError("the message has calls in two places: they may be the same, or not")
    if not filled and role is not None and _get(message, *_ARGUMENTS) is not None:
        _no("there are arguments in it, and no call that is known")
    if places or (isinstance(role, str) and role in {"assistant", "model"}):
        return filled[0] if filled else []
    if role is not None or kind is not None:
        _no("there is no call in it that is known")
    return _alone(message, said)


def _whole(message: Any) -> None:
    """Raise for a piece of a stream, and for calls that a library was given and could not read."""
    is_piece = _get(message, "object") == "chat.completion.chunk" or _get(message, "type") == "message_start"
    if is_piece or _get(message, "delta") is not None or any(_lists(message, "tool_call_chunks")):
        _no("it is a piece of a stream")
    if any(_lists(message, "invalid_tool_calls")):
        _no("there are calls in it that could not be read")


def _lists(message: Any, *names: str) -> list[Any]:
    """Give what stands under these names: lists, if anything."""
    found = {name: _get(message, name) for name in names}
    for name, each in found.items():
        if each is not None and not _is_list(each):
            _no(f"its `{name}` are no list")
    return [each for each in found.values() if each is not None]


def _around(message: Any, said: Said, depth: int) -> Iterator[list[Sent]]:
    """Give the calls of every reply that `message` stands around."""
    for several in _lists(message, "choices", "candidates"):
        if len(several) > 1:
            raise ValueError(f"there are {len(several)} replies in the message: give one of them")
        yield _read(several[0], said, depth + 1) if several else []
    output, inner = _get(message, "output"), _get(message, "message")
    if _is_list(output):
        yield _items(output, said, depth)
    if inner is not None:
        yield _read(inner, said, depth + 1)


def _within(message: Any, said: Said, depth: int) -> Iterator[list[Sent]]:
    """Give the calls in every place of a message that has some."""
    for calls in _lists(message, "tool_calls", "toolCalls"):
        yield [call for each in calls for call in _item(each, said, is_call=True)]
    # An SDK's reply may give the parts of its candidate once more.
    is_reply = not isinstance(message, dict) and hasattr(message, "candidates")
    for parts in () if is_reply else _lists(message, "parts"):
        yield [call for each in parts for call in _part(each, said)]
    for name in ("function_call", "functionCall"):
        call = _get(message, name)
        if call is not None:
            key = "arguments" if _get(call, "args") is None else "args"
            yield [_sent(call, key, _get(call, "id"), said, beside=message)]
    content = _get(message, "content")
    if _is_list(content):
        yield _items(content, said, depth)
    elif _get(content, "parts") is not None:
        yield _read(content, said, depth + 1)
    elif _is_data(content):
        yield _block(content, message, said)


def _block(content: Any, message: Any, said: Said) -> list[Sent]:
    """Read a content that is no list: one block, or what Gemini gives where there is nothing."""
    if isinstance(_get(content, "type"), str):
        return _item(content, said, is_call=False)
    is_end = _get(content, "role") == "model" or _get(message, *_REASONS) is not None
    if not is_end or any(key != "role" for key in _keys(content)):
        _no("its content is of no shape that is known")
    return []


def _alone(message: Any, said: Said) -> list[Sent]:
    """Read a request of the Model Context Protocol, its parameters, one call; or a reply without any."""
    params, method = _get(message, "params"), _get(message, "method")
    if params is not None and method == "tools/call":
        return [_sent(params, "arguments", _get(message, "id"), said, beside=message)]
    if method is None and _get(message, "name") is not None:
        return [_flat(message, said) or _sent(message, "arguments", _get(message, "id"), said)]
    if _get(message, "content", "output") is not None or _get(message, *_REASONS) is None:
        _no("there is no call in it that is known")
    return []


_REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")

_BLOCKED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE")
_ENDS: dict[str, Finish] = {
    **dict.fromkeys(_BLOCKED, "content_filter"),
    **dict.fromkeys(("maxTokens", "model_length"), "max_tokens"),
    **dict.fromkeys(("in_progress", "queued", "failed", "cancelled"), "incomplete"),
    **{name: name for name in FINISHES},
}
"""What the ends are called, by names that `repair` knows; what nobody knows says nothing."""

CUT: frozenset[Finish] = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_context_window_exceeded",
        "content_filter",
        "incomplete",
        "MAX_TOKENS",
    }
)
"""The ends that cut a reply; a test holds them to the core."""


def _text(reason: Any) -> Any:
    """Give a reason as text: an SDK may have an enum, whose members are text, hold it, or have it as their name."""
    value = getattr(reason, "value", reason)
    return value if isinstance(value, str) else getattr(reason, "name", value)


def _ends(it: Any) -> Said:
    """Give what something says of its end."""
    metadata, details = _get(it, "response_metadata"), _get(it, "incomplete_details")
    reasons = [_text(_get(each, name)) for each in (it, metadata) for name in _REASONS]
    if any(reason is not None and not isinstance(reason, str) for reason in reasons):
        _no("the reason why it ended is no text")
    cut = () if details is None else (_text(_get(details, "reason")), "incomplete")
    said = (*reasons, *cut, _text(_get(it, "status")), _text(_get(metadata, "status")))
    return tuple(_ENDS[reason] for reason in said if isinstance(reason, str) and reason in _ENDS)


def _end(said: Said) -> Finish | None:
    """Give all that was said of the end as one: a cut, if anything says so.

    What `repair` does not know is for it to tell.
    """
    unknown = [finish for finish in said if finish not in FINISHES]
    cut = [finish for finish in said if finish not in unknown and finish in CUT]
    return next(iter((*unknown, *cut, *said)), None)


_SHAPES = {"function_call": "arguments", "tool_use": "input", "tool_call": "args"}
"""The types of calls, and where each has its arguments."""

_OTHERS = frozenset(
    {
        "custom_tool_call",
        "mcp_approval_request",
        "mcp_call",
        "mcp_tool_use",
        "server_tool_call",
        "server_tool_use",
        "tool_search_call",
    }
)
"""Calls that are not the host's to run, or have free text."""


def _shape(kind: Any) -> str | None:
    return _SHAPES.get(kind) if isinstance(kind, str) else None


def _items(items: Any, said: Said, depth: int) -> list[Sent]:
    """Read the items of a response, or of the content of a message."""
    calls = []
    for each in items:
        if _get(each, "type") == "message" and _read(each, said, depth + 1):
            _no("there is a message with calls in a list: give it alone")
        calls += _item(each, said, is_call=False)
    return calls


def _item(it: Any, above: Said, *, is_call: bool) -> list[Sent]:
    """Read one item of a list: of calls alone, or of a response or the content of a message, where there are others."""
    if not _is_data(it):
        _no("an item of a list is of no type that is known")
    said = (*above, *_ends(it))
    kind, function = _get(it, "type"), _get(it, "function")
    shape = _shape(kind)
    if shape is not None:
        return [_sent(it, shape, _get(it, "call_id", "id"), said, is_needed=True)]
    if function is not None:
        return [_sent(function, "arguments", _get(it, "id"), said, beside=it)]
    call = _flat(it, said) if kind is None or kind == "function" else None
    if call is not None:
        return [call]
    if is_call:
        is_other = kind == "custom" and _get(it, "custom") is not None
    else:
        is_other = isinstance(kind, str) and (kind in _OTHERS or _get(it, *_ARGUMENTS) is None)
    if not is_other:
        _no("an item of a list is of no type that is known")
    return []


def _flat(it: Any, said: Said) -> Sent | None:
    """Read a name with its arguments beside it."""
    for key in ("arguments", "args", "input"):
        if _get(it, key) is not None:
            return _sent(it, key, _get(it, "id"), said)
    return None


def _part(part: Any, above: Said) -> list[Sent]:
    call = _get(part, "functionCall", "function_call")
    if call is not None:
        return [_sent(call, "args", _get(call, "id"), (*above, *_ends(part)), beside=part)]
    if not _is_data(part) or _get(part, "function", *_ARGUMENTS) is not None:
        _no("a part of it is of no shape that is known")
    return []


_ARGUMENTS = (
    "arguments",
    "args",
    "input",
    "parameters",
    "kwargs",
    "tool_input",
    "toolInput",
    "partial_args",
    "partialArgs",
)
"""The names that arguments have anywhere."""

_BESIDE = frozenset({"name", "id", "index", "_meta", "meta", "task"})
"""What stands beside the name of a call that has no arguments."""


def _sent(
    call: Any,
    key: str,
    id: Any,  # noqa: A002
    said: Said,
    *,
    beside: Any = None,
    is_needed: bool = False,
) -> Sent:
    """Read what has a name, and arguments under `key`; `beside` is what stands around it."""
    name, arguments = _get(call, "name"), _get(call, key)
    if not isinstance(name, str):
        raise ValueError("a call in the message has no name")  # noqa: TRY004 - it is the message that is wrong
    if is_needed:
        # What is there, and `None`, is said; of an object all fields are there, but a model of pydantic knows.
        is_lost = arguments is None and key not in (call if isinstance(call, dict) else _given(call))
    else:
        is_lost = arguments is None and not _BESIDE.issuperset(_keys(call))
    others = (other for other in _ARGUMENTS if other != key)
    if is_lost or _get(call, *others) is not None or _get(beside, *_ARGUMENTS) is not None:
        raise ValueError("a call in the message has no arguments where they belong, or others beside them")
    if _get(call, "willContinue", "will_continue") is True:
        _no("it is a piece of a stream")
    is_known = isinstance(id, (str, int, float)) and not isinstance(id, bool)
    return Sent(name, arguments, id if is_known else None, _end(said))
