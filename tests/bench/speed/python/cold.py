"""A process that has done nothing yet: `python cold.py ADAPTER WORKLOAD [TOOLS]`; see node/cold.mjs."""

from __future__ import annotations

import json
import sys
from time import perf_counter

from adapters import ADAPTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read(path: str) -> Any:
    """A file of workloads."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - `pathlib` would be loaded before the library is
        return json.load(file)


def ready(one: dict[str, Any]) -> Any:
    """Compiles one, and calls it once."""
    call = library.text(one)
    if not call(one["arguments"])[0]:
        sys.exit("a valid call was refused")
    return call


adapter, workload, *more = sys.argv[1:]
library = ADAPTERS[adapter].load()
ready(read(workload))
for path in more:
    from memory import peak_memory

    tools = read(path)["tools"]
    start = perf_counter()
    # All are kept, as a host keeps them.
    calls = [ready(one) for one in tools]
    elapsed = (perf_counter() - start) * 1e3
    print(json.dumps({"tools": len(calls), "toolsMs": elapsed, "memory": peak_memory()}))
