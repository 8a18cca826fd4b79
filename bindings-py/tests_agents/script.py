"""What every adapter's test plays: the replies of a model, and what the tools got."""

from __future__ import annotations

from typing import Any

NESTED = {
    "type": "object",
    "properties": {
        "order": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "lines": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "sku": {"type": "string"},
                            "tags": {"type": "array", "items": {"type": "string"}},
                        },
                        "required": ["sku"],
                        "additionalProperties": False,
                    },
                },
            },
            "required": ["id", "lines"],
            "additionalProperties": False,
        }
    },
    "required": ["order"],
    "additionalProperties": False,
}
NAMES = {
    "type": "object",
    "properties": {"data_source_names": {"type": "array", "items": {"type": "string"}}},
    "required": ["data_source_names"],
    "additionalProperties": False,
}

VALID = '{"data_source_names": ["dotnet/eshop"]}'
MENDED = '{"data_source_names": "dotnet/eshop"}'
REFUSED = '{"data_source_names": "dotnet/eshop, dotnet/runtime"}'
CORRECTED = '{"data_source_names": ["dotnet/eshop", "dotnet/runtime"]}'
NESTED_CALL = '{"order": {"id": 123456789012345678, "lines": {"sku": "a", "tags": "x"}}}'
NESTED_VALUE = {"order": {"id": 123456789012345678, "lines": [{"sku": "a", "tags": ["x"]}]}}
HARD = (
    '{"order": {"id": 123456789012345678901234567890, '
    '"lines": {"sku": "\\ud83d\\ude00\u2028 \u00e9 e\u0301 \\u0000", "tags": "0.10"}}}'
)
HARD_VALUE = {
    "order": {
        "id": 123456789012345678901234567890,
        "lines": [{"sku": "\U0001f600\u2028 \u00e9 e\u0301 \0", "tags": ["0.10"]}],
    }
}


class Received(list[Any]):
    """What the tools of one test got."""

    def index(self, data_source_names: list[str]) -> str:  # type: ignore[override]
        """Index the data sources."""
        self.append({"data_source_names": data_source_names})
        return "indexed"

    def order(self, order: dict[str, Any]) -> str:
        """Place an order."""
        self.append({"order": order})
        return "ordered"
