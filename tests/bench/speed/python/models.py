"""A JSON Schema, of the kinds that the workloads have, as a type of pydantic and of msgspec."""

from __future__ import annotations

from functools import reduce
from itertools import count
from operator import or_
from typing import Annotated, Any, Literal

Schema = dict[str, Any]

SCALARS = {"string": str, "integer": int, "number": float, "boolean": bool}
BOUNDS = {
    "minimum": "ge",
    "maximum": "le",
    "minLength": "min_length",
    "maxLength": "max_length",
    "maxItems": "max_length",
}


def bounds(schema: Schema) -> dict[str, Any]:
    """The bounds of a schema, by the names that both libraries give them."""
    return {name: schema[keyword] for keyword, name in BOUNDS.items() if keyword in schema}


def attribute(name: str) -> str:
    """The name as one of Python."""
    return "from_" if name == "from" else name


class Types:
    """What is the same for both libraries."""

    def __init__(self, root: Schema) -> None:
        self.definitions = root.get("$defs", {})
        self.referred: dict[str, Any] = {}
        self.numbers = count()

    def of(self, schema: Schema) -> Any:
        """The type for a schema."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            if name not in self.referred:
                self.referred[name] = self.of(self.definitions[name])
            return self.referred[name]
        if "anyOf" in schema:
            return self.union([self.of(branch) for branch in schema["anyOf"]])
        if "const" in schema:
            return Literal[schema["const"]]
        if "enum" in schema:
            return Literal[tuple(schema["enum"])]
        if schema["type"] == "object":
            return self.record(f"Record{next(self.numbers)}", schema)
        plain = list[self.of(schema["items"])] if schema["type"] == "array" else SCALARS[schema["type"]]
        return self.bounded(plain, bounds(schema)) if bounds(schema) else plain

    def union(self, branches: list[Any]) -> Any:
        """One of several records, told apart by `kind`."""
        raise NotImplementedError

    def bounded(self, plain: Any, limits: dict[str, Any]) -> Any:
        """A type with bounds."""
        raise NotImplementedError

    def record(self, name: str, schema: Schema) -> Any:
        """An object that takes no other property."""
        raise NotImplementedError


def pydantic_type(root: Schema) -> Any:
    """A model of pydantic."""
    import pydantic

    class PydanticTypes(Types):
        def union(self, branches: list[Any]) -> Any:
            return Annotated[reduce(or_, branches), pydantic.Field(discriminator="kind")]

        def bounded(self, plain: Any, limits: dict[str, Any]) -> Any:
            return Annotated[plain, pydantic.Field(**limits)]

        def record(self, name: str, schema: Schema) -> Any:
            fields = {}
            for key, part in schema["properties"].items():
                alias = {"alias": key} if attribute(key) != key else {}
                wanted = self.of(part)
                fields[attribute(key)] = (
                    (wanted, pydantic.Field(**alias))
                    if key in schema["required"]
                    else (wanted, pydantic.Field(None, **alias))
                )
            return pydantic.create_model(name, __config__=pydantic.ConfigDict(extra="forbid"), **fields)

    return PydanticTypes(root).of(root)


def msgspec_type(root: Schema) -> Any:
    """A struct of msgspec."""
    import msgspec

    class MsgspecTypes(Types):
        def union(self, branches: list[Any]) -> Any:
            return reduce(or_, branches)

        def bounded(self, plain: Any, limits: dict[str, Any]) -> Any:
            return Annotated[plain, msgspec.Meta(**limits)]

        def record(self, name: str, schema: Schema) -> Any:
            required: list[Any] = []
            optional: list[Any] = []
            tag = {}
            for key, part in schema["properties"].items():
                if "const" in part:
                    tag = {"tag_field": key, "tag": part["const"]}
                elif key in schema["required"]:
                    required.append((attribute(key), self.of(part)))
                else:
                    optional.append((attribute(key), self.of(part) | msgspec.UnsetType, msgspec.UNSET))
            renamed = {attribute(key): key for key in schema["properties"] if attribute(key) != key}
            return msgspec.defstruct(
                name, required + optional, forbid_unknown_fields=True, rename=renamed or None, **tag
            )

    return MsgspecTypes(root).of(root)
