"""What each peer in Python makes of the rows on standard input: `{ours, peers: {peer: [answer]}}` as JSON.

An answer is the value as JSON text, so that no reader rounds a number, or null for a refusal.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import json_repair
import toolmend
from pydantic import TypeAdapter

from models import MODELS

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]


def by_json_repair(row: Row) -> Any:
    """Its repair of the text, guided by the schema."""
    return json_repair.loads(row["text"], schema=row["schema"])


def by_pydantic(row: Row) -> Any:
    """Its lax mode, which is the default."""
    model = TypeAdapter(MODELS[row["name"]]).validate_json(row["text"])
    return model.model_dump(exclude_unset=True)


PEERS: dict[str, Callable[[Row], Any]] = {
    f"json_repair {version('json-repair')}": by_json_repair,
    f"pydantic {version('pydantic')}": by_pydantic,
}


def text(value: Any) -> str:
    """The value in the one form that is compared."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def answer(ask: Callable[[Row], Any], row: Row) -> str | None:
    """What a peer answers. Both refuse with a `ValueError`: any other exception is a mistake in the table."""
    try:
        return text(ask(row))
    except ValueError:
        return None


def ours(row: Row) -> dict[str, Any]:
    """The outcome on the wire, and the value that a tool gets."""
    outcome = toolmend.compile(row["schema"], policy=row["policy"]).repair(row["text"])
    return {
        "wire": outcome.to_json(),
        "answer": text(outcome.value) if outcome.ok else None,
    }


rows = json.load(sys.stdin)
told = {peer: [answer(ask, row) for row in rows] for peer, ask in PEERS.items()}
json.dump({"ours": [ours(row) for row in rows], "peers": told}, sys.stdout)
