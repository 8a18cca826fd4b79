"""The `Literal` types are the core's closed lists, and each name is exported."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest
import toolmend
from toolmend import _core, _types


def test_lists_are_the_cores() -> None:
    assert get_args(_types.Code) == _core.CODES
    assert get_args(_types.RuleName) == _core.RULES
    assert get_args(_types.PolicyName) == _core.POLICIES
    assert get_args(_types.Status) == _core.STATUSES
    assert get_args(_types.Finish) == _core.FINISHES
    assert get_args(_types.FeedbackFormat) == _core.FEEDBACK_FORMATS


@pytest.mark.parametrize(
    ("options", "typed"),
    [
        ({"limits": {"zzzzzz": 1}}, _types.Limits.__annotations__),
        ({"overrides": {"": {"zzzzzz": 1}}}, _types.Override.__annotations__),
        ({"redact": {"zzzzzz": True}}, _types.Redact.__annotations__),
        ({"undeclared": "zzzzzz"}, get_args(_types.UndeclaredMode)),
        ({"formats": "zzzzzz"}, get_args(_types.FormatsMode)),
    ],
)
def test_options_are_the_cores(options: dict[str, Any], typed: Any) -> None:
    with pytest.raises(ValueError, match="`zzzzzz`") as caught:
        toolmend.compile(True, **options)
    named = set(re.findall("`([a-z_]+)`", str(caught.value))) - {"zzzzzz", *options}
    assert named == set(typed)


def test_limits_are_the_cores() -> None:
    assert list(_types.Limits.__annotations__) == list(toolmend.compile(True).limits)


def test_everything_is_importable() -> None:
    for name in toolmend.__all__:
        assert hasattr(toolmend, name)
