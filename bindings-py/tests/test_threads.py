"""One contract, many threads, and a small stack."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import toolmend

SCHEMA = {"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}}


def test_a_contract_is_shared() -> None:
    contract = toolmend.compile(SCHEMA)
    texts = [json.dumps({"names": f"n{index}", "pad": "x" * (index % 3) * 20_000}) for index in range(200)]
    expected = [contract.repair(text).to_json() for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            assert list(pool.map(lambda text: contract.repair(text).to_json(), texts)) == expected


def test_an_outcome_is_shared() -> None:
    outcome = toolmend.compile(SCHEMA).repair({"names": "a"})
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: (outcome.value, outcome.repairs), range(100)))
    assert len({(id(value), id(repairs)) for value, repairs in values}) == 1


def test_other_threads_run_while_a_large_text_is_read() -> None:
    contract = toolmend.compile(True)
    large = json.dumps({"items": [{"id": index, "name": "x" * 20} for index in range(100_000)]})
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks
    assert contract.repair(large).ok
    after = ticks
    done.set()
    thread.join()
    assert after > before


def test_the_deepest_value_on_a_small_stack() -> None:
    contract = toolmend.compile({"properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}})
    told = []

    def run() -> None:
        for text in ("[" * 128 + "]" * 128, '{"a":' * 128 + "1" + "}" * 128):
            outcome = contract.repair(text)
            told.append((outcome.ok, outcome.value is not None, contract.repair(outcome.value).ok))

    before = threading.stack_size(512 << 10)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert told == [(True, True, True)] * 2
