"""How much memory this process has had."""

from __future__ import annotations

import re
from pathlib import Path


def peak_memory() -> float | None:
    """Megabytes at most, where the system tells: `ru_maxrss` would begin with what the parent had."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
    except OSError:
        return None
    kilobytes = re.search(r"^VmHWM:\s*(\d+)", status, re.MULTILINE)
    return int(kilobytes[1]) / 1024 if kilobytes else None
