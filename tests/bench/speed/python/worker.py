"""One adapter in a process of its own: `python worker.py ADAPTER`; see node/worker.mjs."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import TYPE_CHECKING, Any

from adapters import ADAPTERS
from memory import peak_memory

if TYPE_CHECKING:
    from collections.abc import Callable

# In each round.
BATCHES = 5

adapter = ADAPTERS[sys.argv[1]]
library = adapter.load()
jobs: dict[str, tuple[Callable[[Any], Any], Any, int]] = {}


def plain(value: Any) -> Any:
    """A model as a dict, for comparison."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True, by_alias=True)
    return value


def judge(answer: tuple[bool, Any, int], workload: dict[str, Any]) -> dict[str, Any]:
    """What the answer is, and whether that is what the workload wants."""
    ok, value, errors = answer
    expect = workload["expect"]
    if adapter.is_floor:
        return {"right": True, "what": "ran"}
    if not ok:
        is_right = expect == "refused" and errors == workload["errors"]
        return {"right": is_right, "what": f"refused, {errors} errors"}
    is_expected = expect != "refused" and plain(value) == workload["expected"]
    return {"right": is_expected, "what": expect if is_expected else "another value"}


def timed(call: Callable[[Any], Any], given: Any, count: int) -> int:
    """Nanoseconds of `count` calls."""
    start = perf_counter_ns()
    for _ in range(count):
        call(given)
    return perf_counter_ns() - start


def warmed(call: Callable[[Any], Any], given: Any, warm_ms: float, batch_ms: float) -> int:
    """Calls it until it is steady, and finds how many calls fill a batch."""
    end = perf_counter() + warm_ms / 1e3
    count = 1
    elapsed = timed(call, given, count)
    while perf_counter() < end:
        if elapsed < warm_ms * 1e6 / 10:
            count *= 2
        elapsed = timed(call, given, count)
    return max(1, round(batch_ms * 1e6 * count / elapsed))


def prepare(request: dict[str, Any]) -> dict[str, Any] | None:
    """Compiles for a workload and calls once: nothing where the adapter cannot be asked so."""
    make = getattr(library, request["mode"])
    if make is None:
        return None
    workload = json.loads(Path(request["path"]).read_text(encoding="utf-8"))
    try:
        call = make(workload)
        given = workload["arguments"] if request["mode"] == "text" else json.loads(workload["arguments"])
        judged = judge(call(given), workload)
        jobs[request["name"]] = call, given, warmed(call, given, request["warmMs"], request["batchMs"])
    except Exception as error:  # noqa: BLE001 - a peer may fail in any way, and that is its result
        return {"right": False, "what": f"fails: {error}", "failed": True}
    # What stays is not for the collector to walk during a measurement.
    gc.collect()
    gc.freeze()
    return judged


def measure(request: dict[str, Any]) -> float:
    """Nanoseconds a call, by the fastest of some batches: what else runs on the machine only ever adds."""
    call, given, count = jobs[request["name"]]
    return min(timed(call, given, count) for _ in range(BATCHES)) / count


def compile_again(request: dict[str, Any]) -> int:
    """Nanoseconds to compile for a workload, when something was compiled before."""
    workload = json.loads(Path(request["path"]).read_text(encoding="utf-8"))
    start = perf_counter_ns()
    library.text(workload)
    return perf_counter_ns() - start


REQUESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "prepare": prepare,
    "measure": measure,
    "compile": compile_again,
    "memory": lambda _: peak_memory(),
}

for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps(REQUESTS[asked["what"]](asked)), flush=True)
