"""What a host adds to a contract: refusals of its own, validation alone, digests, batches, attempts."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import toolmend
from toolmend import _core

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["id"],
}


def test_a_refusal_of_the_host_has_the_shape_of_all_others() -> None:
    contract = toolmend.compile(SCHEMA, name="t")
    refused = contract.refuse({"path": "/id", "hint": "the order is closed", "reason": "order_closed"})
    assert (refused.ok, refused.value, refused.digest) == (False, None, None)
    assert [issue.to_dict() for issue in refused.issues] == [
        {"code": "precondition_failed", "path": "/id", "hint": "the order is closed", "reason": "order_closed"}
    ]
    assert refused.feedback().endswith("\n/id: the order is closed")


@pytest.mark.parametrize(
    "bad",
    [[], {}, {"hint": 5}, {"hint": "h", "code": "truncated"}, {"hint": "h", "path": "id"}, {"hint": "h", "x": 1}, "h"],
)
def test_what_is_no_refusal_is_an_error(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"issue|host"):
        toolmend.compile(SCHEMA).refuse(bad)


def test_check_validates_and_repairs_nothing() -> None:
    contract = toolmend.compile(SCHEMA, policy="lenient")
    data = {"id": 1, "tags": ["a"]}
    assert contract.check(data).value is data
    assert contract.check({"id": "1"}).issues[0].code == "type_mismatch"
    assert contract.check({"id": 1, "tags": "a"}).issues[0].path == "/tags"
    assert contract.check('{"id": 1}').issues[0].code == "type_mismatch"
    assert contract.check(object()).issues[0].code == "unsupported_value"


def test_a_digest_is_sha_256_over_rfc_8785() -> None:
    contract = toolmend.compile(SCHEMA, name="t")

    def sha(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    want = sha('{"arguments":{"id":1,"tags":["é"]},"name":"t"}')
    assert contract.repair('{"tags": ["\\u00e9"], "id": 1.0}').digest == want
    assert contract.repair({"tags": ["é"], "id": 1}).digest == want
    assert contract.repair('{"id": 1234567890123456789}').digest == sha(
        '{"arguments":{"id":1234567890123456800},"name":"t","numbers":{"/id":"1234567890123456789"}}'
    )


def test_many_calls_are_answered_each_as_by_itself() -> None:
    contract = toolmend.compile(SCHEMA)
    calls: list[Any] = ['{"id": 1}', {"id": 2, "tags": "a"}, b"{", None, "\ud800", bytearray(b'{"id": 3}'), object()]
    assert contract.repair_many(calls) == [contract.repair(call) for call in calls]
    long = [f'{{"id": {number}, "tags": "{"x" * 100}"}}' for number in range(5000)]
    values = [outcome.value["id"] for outcome in contract.repair_many(long)]
    assert values == list(range(5000)), "shared among threads, in order"
    assert contract.repair_many([], finish="length") == []
    assert contract.repair_many(['{"id": 1}'], finish="length")[0].issues[0].code == "truncated"
    wrong: list[Any] = ["{}", b"{}", {}, 5]
    for bad in wrong:
        with pytest.raises(TypeError):
            contract.repair_many(bad)


def test_attempts_are_data() -> None:
    contract = toolmend.compile(SCHEMA, name="t")
    state = _core.attempts(3, None)
    state, first = _core.decide(state, "t", {"id": "a"}, None, contract.repair({"id": "a"}))
    assert (first["action"], first["attempt"], first["remaining"]) == ("retry", 1, 2)
    state, again = _core.decide(state, "t", '{"id":"a"}', None, contract.repair('{"id":"a"}'))
    assert (again["action"], again["reason"]) == ("stop", "repeated")
    state, done = _core.decide(state, "t", '{"id":1}', None, contract.repair('{"id":1}'))
    assert (done["action"], done["attempt"]) == ("run", 3)
    assert state == _core.attempts(3, None)
    with pytest.raises(ValueError, match="log of attempts"):
        _core.attempts(3, "{}")


def test_lists_of_tools_and_tools_that_there_are_none_of() -> None:
    found = _core.definitions([{"name": "a", "inputSchema": {}}, {"type": "web_search"}])
    assert [tool.get("name") for tool in found] == ["a", None]
    assert "message" in found[1]
    with pytest.raises(toolmend.SchemaError):
        _core.definitions("5")
    refused = _core.unknown_tool("red", ["write", "read"])
    assert refused.issues[0].code == "unknown_tool"
    assert refused.issues[0].candidates == ("read", "write")
