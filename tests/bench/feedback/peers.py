"""What each peer in Python says to the refusals on standard input: `{peer: {refusal: text or null}}` as JSON."""

import json
import sys
from importlib.metadata import version
from typing import Any

import jsonschema_rs
from pydantic import ValidationError

from models import MODELS


def by_jsonschema_rs(refusal: dict[str, Any]) -> str | None:
    """A line an error: where, and the message."""
    try:
        arguments = json.loads(refusal["input"])
    except json.JSONDecodeError as error:
        return str(error)
    validator = jsonschema_rs.validator_for(refusal["schema"], validate_formats=True)
    lines = [
        f"{''.join(f'/{step}' for step in error.instance_path)}: {error.message}"
        for error in validator.iter_errors(arguments)
    ]
    return "\n".join(lines) or None


def by_pydantic(refusal: dict[str, Any]) -> str | None:
    """The error as it prints."""
    try:
        MODELS[refusal["name"]].model_validate_json(refusal["input"])
    except ValidationError as error:
        return str(error)
    return None


PEERS = {
    f"jsonschema-rs {version('jsonschema-rs')}": by_jsonschema_rs,
    f"pydantic {version('pydantic')}": by_pydantic,
}

refusals = json.load(sys.stdin)
json.dump({peer: {one["name"]: tell(one) for one in refusals} for peer, tell in PEERS.items()}, sys.stdout)
