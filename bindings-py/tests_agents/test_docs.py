"""The examples of the pages run as they stand, each in an interpreter of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]


def test_every_page_has_an_example() -> None:
    names = {str(block.id).rpartition("-")[0] for block in BLOCKS}
    assert names == {page.stem for page in PAGES}
    assert len(names) == 7


@pytest.mark.parametrize("block", BLOCKS)
def test_an_example(block: str, tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(block, encoding="utf-8")
    # Nothing of an example may reach a service.
    env = {**os.environ, "OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false"}
    ended = subprocess.run([sys.executable, file], env=env, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 0, ended.stderr
