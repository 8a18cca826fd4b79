"""The examples that people read run as they stand."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from toolmend import _compile


def test_readme() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    blocks = re.findall(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - our own


def test_docstrings() -> None:
    result = doctest.testmod(_compile)
    assert result.attempted
    assert not result.failed
