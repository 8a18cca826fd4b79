"""The exceptions of toolmend."""

from __future__ import annotations


class SchemaError(ValueError):
    """A schema that cannot be compiled: what is no schema, a bad `pattern`, a `$ref` that leads nowhere.

    Attributes:
        path: JSON Pointer (RFC 6901) to the place in the schema or tool definition; `""` is the whole of it.
        message: What is wrong there.
    """

    path: str
    message: str

    def __init__(self, path: str, message: str) -> None:
        super().__init__(path, message)
        self.path = path
        self.message = message

    def __str__(self) -> str:
        """Tell where and why in one line."""
        return f"invalid schema at {self.path or 'the schema'}: {self.message}"
