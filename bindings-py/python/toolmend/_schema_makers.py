"""Python's own schema makers: pydantic's classes and adapters, and `TypedDict`. Pydantic itself is not required."""

from __future__ import annotations

from importlib import import_module

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
    else:
        make = getattr(maker, "json_schema", None)
    if not callable(make):
        wanted = "a JSON Schema or a tool definition (a dict, a bool or JSON text) or a pydantic model class"
        raise TypeError(f"schema must be {wanted}, not {_described(maker)}")
    return make()


def _is_typed_dict(cls: type) -> bool:
    # `typing.is_typeddict` does not know those of `typing_extensions`, which pydantic asks for before Python 3.12.
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def _adapter(typed_dict: type) -> Any:
    try:
        pydantic = import_module("pydantic")
    except ImportError as error:
        raise TypeError(
            f"the schema of a TypedDict (`{typed_dict.__name__}`) needs pydantic to be installed"
        ) from error
    return pydantic.TypeAdapter(typed_dict)


def _described(value: Any) -> str:
    return f"the class `{value.__name__}`" if isinstance(value, type) else f"`{type(value).__name__}`"
