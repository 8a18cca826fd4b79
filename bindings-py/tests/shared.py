"""The cases that every language runs, and how their values are compared."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import toolmend

POLICIES: tuple[toolmend.PolicyName, ...] = get_args(toolmend.PolicyName)

ROOT = Path(os.environ.get("TOOLMEND_CASES") or Path(__file__).parents[2] / "tests" / "cases")


@dataclass(frozen=True)
class Case:
    """One shared case: what is sent, and what must come of it."""

    name: str
    tool: str | None
    options: dict[str, Any]
    schema: Any
    input: str
    expect: dict[str, Any]

    def compile(self, policy: toolmend.PolicyName) -> toolmend.Contract:
        return toolmend.compile(self.schema, policy=policy, name=self.tool, **self.options)


def cases() -> list[Case]:
    """All shared cases, by file and place."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob("*.json"))]
    return [
        Case(case["name"], case.get("tool"), case.get("options", {}), case["schema"], case["input"], case["expect"])
        for file in files
        for case in file
    ]


def exact(text: str | None) -> Any:
    """JSON text as data in which a number is its own digits, so that `1`, `1.0` and `true` all differ."""
    if text is None:
        return None
    return json.loads(text, parse_int=lambda digits: ("number", digits), parse_float=lambda digits: ("number", digits))
