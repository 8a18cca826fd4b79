"""The `Literal` types are the core's closed lists, and each name is exported."""

from __future__ import annotations

from typing import get_args

import toolmend
from toolmend import _core, _types


def test_lists_are_the_cores() -> None:
    assert get_args(_types.Code) == _core.CODES
    assert get_args(_types.RuleName) == _core.RULES
    assert get_args(_types.PolicyName) == _core.POLICIES
    assert get_args(_types.Status) == _core.STATUSES
    assert get_args(_types.Finish) == _core.FINISHES


def test_limits_are_the_cores() -> None:
    assert list(_types.Limits.__annotations__) == list(toolmend.compile(True).limits)


def test_everything_is_importable() -> None:
    for name in toolmend.__all__:
        assert hasattr(toolmend, name)
