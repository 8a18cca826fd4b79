"""Python's own schema makers: pydantic's classes and adapters, `TypedDict`, functions; pydantic is not required."""

from __future__ import annotations

from importlib import import_module
from types import FunctionType

# Not from `typing`, which takes long to load.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_schema_of(maker: Any) -> Any:
    """Give the JSON Schema that `maker` makes; anything that makes none is returned as it is."""
    if isinstance(maker, type):
        make = getattr(maker, "model_json_schema", None)
        if make is None and _is_typed_dict(maker):
            make = _adapter(maker).json_schema
    elif isinstance(maker, (dict, list, tuple, str, int, float)) or maker is None:
        return maker
    elif isinstance(maker, FunctionType):
        return _adapter(maker).json_schema()
    else:
        make = getattr(maker, "json_schema", None)
    if not callable(make):
        wanted = "a JSON Schema or a tool definition (a dict, a bool or JSON text) or a pydantic model class"
        raise TypeError(f"schema must be {wanted}, not {_described(maker)}")
    return make()


def definition_of(tool: Any, *, named: bool = True) -> Any:
    """Give the definition of one tool of a list; where it has no name of its own, a class or function gives it one."""
    dump = None if isinstance(tool, type) else getattr(tool, "model_dump", None)
    if callable(dump):
        # An SDK's own object, such as `mcp.types.Tool`.
        return dump(mode="json", by_alias=True, exclude_none=True)
    if not isinstance(tool, (type, FunctionType)):
        return json_schema_of(tool) if hasattr(tool, "json_schema") else tool
    schema = json_schema_of(tool)
    return {"name": tool.__name__, "inputSchema": schema} if named else schema


def _is_typed_dict(cls: type) -> bool:
    # `typing.is_typeddict` does not know those of `typing_extensions`, which pydantic asks for before Python 3.12.
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def _adapter(typed: type | FunctionType) -> Any:
    try:
        pydantic = import_module("pydantic")
    except ImportError as error:
        what = "function" if isinstance(typed, FunctionType) else "TypedDict"
        raise TypeError(f"the schema of a {what} (`{typed.__name__}`) needs pydantic to be installed") from error
    return pydantic.TypeAdapter(typed)


def _described(value: Any) -> str:
    return f"the class `{value.__name__}`" if isinstance(value, type) else f"`{type(value).__name__}`"
