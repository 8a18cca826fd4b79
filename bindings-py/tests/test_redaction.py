"""A secret that was sent shows in nothing that is told about a call; only the value itself holds it."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
import toolmend

SECRET = "hunter2-6f1c"  # noqa: S105 - planted
KEY = "key-6f1c"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "token": {"type": "string", "maxLength": 5},
        "tokens": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer"},
        "mode": {"enum": ["fast", "slow"]},
        "record": {"type": "object", "properties": {"token": {"type": "integer"}}},
    },
    "required": ["count"],
    "additionalProperties": False,
}
SENT: list[Any] = [
    {"token": SECRET, "count": 1},
    {"tokens": SECRET, "count": 1},
    {"tokens": SECRET + ", b", "count": 1},
    {"tokens": [SECRET, object()], "count": 1},
    {"tokens": [object()], "token": SECRET},
    {"record": {"token": SECRET}},
    {"record": f'{{"token": "{SECRET}"}}', "count": 1},
    {"record": {"Token": {"a": SECRET}}},
    f'{{"tokens": "{SECRET}", "count": 1}}',
    f'```json\n{{"tokens": "{SECRET}", "count": 1}}\n```',
    f'{{"tokens": "{SECRET}", "count": ',
    f'{{"token": "{SECRET}"}} {{}}',
    f'{{"token": "{SECRET}", "token": "{SECRET}"}}',
    f'{{"token": "{SECRET}", "count": 1e400}}',
    f'{{"token": "{SECRET}\ud800"}}',
    f'{{"token": "{SECRET}"'.encode() + b"\xff",
]


def told(outcome: toolmend.Outcome) -> str:
    """Everything that is told about a call, as it would end up in a log."""
    texts = [repr(outcome), outcome.feedback(), outcome.feedback("json"), repr(outcome.log()), repr(outcome.patch())]
    parts: list[Any] = [*outcome.repairs, *outcome.issues, *outcome.warnings]
    for part in parts:
        texts += [repr(part), repr(part.to_dict())]
    wrong: list[dict[str, Any]] = [{"format": "xml"}, {"max_bytes": -1}]
    for options in wrong:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - in any words
            outcome.feedback(**options)
        texts += traceback.format_exception(caught.value)
    return "\n".join(texts)


@pytest.mark.parametrize("policy", ["narrow", "lenient"])
@pytest.mark.parametrize("redact", [{"values": True}, {"properties": ["/token", "/tokens"]}], ids=repr)
def test_values(redact: toolmend.Redact, policy: toolmend.PolicyName) -> None:
    contract = toolmend.compile(SCHEMA, redact=redact, policy=policy)
    for sent in SENT:
        outcome = contract.repair(sent)
        assert outcome.status == "refused" or SECRET in (outcome.json or "")
        assert SECRET not in told(outcome), sent
    assert {contract.repair(sent).status for sent in SENT} == {"repaired", "refused"}
    # It would show otherwise.
    assert SECRET in told(toolmend.compile(SCHEMA, policy=policy).repair(SENT[1]))


@pytest.mark.parametrize("policy", ["narrow", "lenient"])
def test_keys(policy: toolmend.PolicyName) -> None:
    contract = toolmend.compile(SCHEMA, redact={"keys": True}, policy=policy)
    sent: list[Any] = [
        {KEY: 1},
        {KEY: object()},
        {"record": {KEY: {"a": 1}}},
        {"count": {KEY: 1}},
        {"count": [{KEY: 1}]},
    ]
    for arguments in [*sent, f'{{"{KEY}": 1, "{KEY}": 2}}', f'{{"record": {{"{KEY}": 1e400}}}}']:
        outcome = contract.repair(arguments)
        assert KEY not in told(outcome), arguments
    assert KEY in told(toolmend.compile(SCHEMA, policy=policy).repair(sent[0]))


def test_a_log_holds_nothing_of_what_was_sent_whatever_is_redacted() -> None:
    contract = toolmend.compile(SCHEMA)
    for sent in [*SENT, {KEY: SECRET}, {KEY: {SECRET: object()}}]:
        log = repr(contract.repair(sent).log())
        assert SECRET not in log
        assert KEY not in log
