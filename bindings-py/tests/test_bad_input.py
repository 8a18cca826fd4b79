"""Whatever text a model sends: a typed issue, never an exception, a hang or a crash."""

from __future__ import annotations

import pytest
import toolmend

ANY = toolmend.compile({"type": "object"}, policy="lenient")
HOSTILE = {
    "deep arrays": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "deep and closed": "[" * 100_000 + "]" * 100_000,
    "ten megabytes": '{"a": "' + "x" * 10_000_000 + '"}',
    "a lone surrogate": '{"a": "\ud800"}',
    "an escaped lone surrogate": '{"a": "\\ud800"}',
    "NUL": "\x00",
    "NaN": '{"a": NaN}',
    "cut": '{"a": "b',
    "twice": '{"a": 1, "a": 2}',
    "several": "{}{}",
    "quotes": '"' * 100_000,
    "backslashes": '{"a": "' + "\\" * 100_001,
    "fences": "```" * 30_000,
    "openers in prose": "see [" * 30_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("policy", ["strict", "lenient"])
def test_hostile_text(text: str, policy: toolmend.PolicyName) -> None:
    outcome = toolmend.compile({"type": "object"}, policy=policy).repair(text)
    assert outcome.status == "refused"
    assert outcome.issues
    assert len(outcome.to_json()) < 10_000
    assert repr(outcome)
    assert repr(outcome.issues)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("\ud800", "invalid_unicode"),
        ('{"a": "\udfff"}', "invalid_unicode"),
        (b"\xff", "invalid_unicode"),
        (b'{"a": "\xed\xa0\x80"}', "invalid_unicode"),
        (bytearray(b'{"a": "\xc3'), "invalid_unicode"),
        ("[" * 1000, "depth_limit"),
        ("{" + " " * (9 << 20) + "}", "size_limit"),
        (b"\xff" * (9 << 20), "size_limit"),
        ("\ud800" * (4 << 20), "size_limit"),
        ('{"a": 1', "truncated"),
    ],
    ids=lambda it: repr(it)[:40],
)
def test_text_codes(text: object, code: str) -> None:
    assert [issue.code for issue in ANY.repair(text).issues] == [code]


def test_names_that_are_special_elsewhere_are_data() -> None:
    text = '{"__proto__":{"a":1},"constructor":1,"__class__":2,"toString":3}'
    outcome = ANY.repair(text)
    assert outcome.json == text
    assert list(outcome.value) == ["__proto__", "constructor", "__class__", "toString"]


def test_long_integers_are_exact() -> None:
    digits = "7" * 200_000
    value = ANY.repair('{"a": ' + digits + "}").value["a"]
    assert value == (10**200_000 - 1) // 9 * 7


def test_spans() -> None:
    outcome = ANY.repair('{\n  "ü": ?}')
    assert outcome.issues[0].span == toolmend.Span(offset=10, line=2, column=8)


@pytest.mark.parametrize("finish", ["length", "max_tokens"])
@pytest.mark.parametrize("arguments", ["{}", "", None, b"{}", b'{"a": "\xc3', "\ud800", {}, [object()], 5])
def test_a_cut_reply_is_refused_whatever_it_looks_like(arguments: object, finish: toolmend.Finish) -> None:
    assert [issue.code for issue in ANY.repair(arguments, finish=finish).issues] == ["truncated"]


@pytest.mark.parametrize("finish", [None, "complete", "stop", "tool_calls", "function_call", "end_turn", "tool_use"])
def test_a_complete_reply_is_judged_by_its_text(finish: toolmend.Finish | None) -> None:
    assert ANY.repair("{}", finish=finish).ok
    assert ANY.repair({}, finish=finish).ok


def test_an_unknown_finish() -> None:
    with pytest.raises(ValueError, match=r"unknown finish `lenght`: expected one of `complete`, .*`length`"):
        ANY.repair("{}", finish="lenght")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="finish must be of type `str`, not `int`"):
        ANY.repair("{}", finish=3)  # type: ignore[arg-type]
