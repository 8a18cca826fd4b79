"""The founding case, as it is recorded, through Microsoft Agent Framework with a real `FunctionTool`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_framework import Agent, FunctionTool
from spans import Counted, finished
from test_agent_framework import Scripted, run
from toolmend import telemetry
from toolmend.agent_framework import mend

CASES = Path(__file__).parents[2] / "tests" / "cases" / "scalar_for_array.json"
(CASE,) = [case for case in json.loads(CASES.read_text()) if case["name"] == "article-scalar-for-list"]


@pytest.fixture
def received() -> list[list[str]]:
    return []


def play(received: list[list[str]], middleware: list[Any]) -> Scripted:
    def search(data_source_names: list[str]) -> str:
        received.append(data_source_names)
        return "found"

    tool = FunctionTool(name="search", description="Searches data sources", func=search, input_model=CASE["schema"])
    client = Scripted(("search", CASE["input"]))
    run(Agent(client=client, tools=[tool], middleware=middleware))
    return client


def test_without_the_middleware_it_fails(received: list[list[str]]) -> None:
    client = play(received, [])
    assert received == []
    assert client.told[0].startswith("Error")


def test_with_the_middleware_it_succeeds_and_leaves_one_repair_in_telemetry(received: list[list[str]]) -> None:
    counted = Counted()
    stop = telemetry.instrument(meter_provider=counted.provider)
    with finished() as spans:
        client = play(received, mend())
    stop()
    assert received == [json.loads(CASE["expect"]["value"])["data_source_names"]] == [["dotnet/eshop"]]
    assert client.told == ["found"]
    (event,) = [event for span in spans for event in span.events if event.name.startswith("toolmend.")]
    assert event.name == "toolmend.repaired"
    assert dict(event.attributes or {}) == {
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "call_0_0",
        "toolmend.rules": ("wrap_in_array",),
        "toolmend.paths": ("/data_source_names",),
        "toolmend.attempt": 1,
    }
    assert counted.points("toolmend.repairs") == {("search", "wrap_in_array"): 1}
    assert counted.points("toolmend.calls") == {("search", "repaired"): 1}
