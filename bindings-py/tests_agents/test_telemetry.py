"""Telemetry, with the real SDK and exporters in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from agent_framework import Agent
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from script import MENDED, NAMES, REFUSED, VALID, Received
from test_agent_framework import Scripted, tools
from toolmend import compile_tools, telemetry
from toolmend.agent_framework import mend

exporter = InMemorySpanExporter()
tracers = TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(tracers)


class Counted:
    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.provider = MeterProvider([self.reader])

    def points(self, name: str) -> dict[tuple[Any, ...], int]:
        data = self.reader.get_metrics_data()
        metrics = [] if data is None else [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        return {
            tuple(point.attributes.values()): point.value
            for metric in metrics
            if metric.name == name
            for point in metric.data.data_points
        }


@pytest.fixture
def counted() -> Iterator[Counted]:
    exporter.clear()
    return Counted()


def test_calls_are_the_valid_the_mended_and_the_refused(counted: Counted) -> None:
    toolbox = compile_tools({"index": NAMES})
    stop = telemetry.instrument(toolbox, meter_provider=counted.provider)
    attempts = toolbox.attempts()
    for call in (VALID, MENDED, MENDED, REFUSED, VALID, "{"):
        attempts.decide("index", call)
    toolbox.repair("a name that a model made up", "{}")
    stop()
    attempts.decide("index", VALID)
    calls = counted.points("toolmend.calls")
    assert calls == {
        ("index", "unchanged"): 2,
        ("index", "repaired"): 2,
        ("index", "refused"): 2,
        ("_OTHER", "refused"): 1,
    }
    assert sum(calls.values()) == 7
    assert counted.points("toolmend.repairs") == {("index", "wrap_in_array"): 2}
    refusals = counted.points("toolmend.refusals")
    assert refusals == {("index", "ambiguous"): 1, ("index", "truncated"): 1, ("_OTHER", "unknown_tool"): 1}
    assert counted.points("toolmend.retries") == {("index", "unchanged"): 1}


def test_a_span_has_an_event_without_what_was_sent(counted: Counted) -> None:
    toolbox = compile_tools({"index": NAMES})
    telemetry.instrument(toolbox, meter_provider=counted.provider)
    with tracers.get_tracer("test").start_as_current_span("execute_tool index"):
        toolbox.attempts().decide("index", '{"secret": "hunter2", "data_source_names": null}', id="call_1")
    (span,) = exporter.get_finished_spans()
    (event,) = span.events
    assert event.name == "toolmend.refused"
    attributes = dict(event.attributes or {})
    assert attributes["gen_ai.tool.call.id"] == "call_1"
    assert set(attributes["toolmend.paths"]) == {"/*", "/data_source_names"}  # type: ignore[arg-type]
    assert "hunter2" not in str(attributes)
    assert "secret" not in str(attributes)


def test_the_founding_story_leaves_one_repair_in_telemetry(counted: Counted) -> None:
    received = Received()
    own = tools(received)
    stop = telemetry.instrument(meter_provider=counted.provider)
    agent = Agent(client=Scripted(("index", MENDED)), tools=own, middleware=mend(own))

    async def run() -> None:
        with tracers.get_tracer("test").start_as_current_span("invoke_agent"):
            await agent.run("go")

    asyncio.run(run())
    stop()
    assert list(received) == [{"data_source_names": ["dotnet/eshop"]}]
    events = [event for span in exporter.get_finished_spans() for event in span.events]
    assert [event.name for event in events if event.name.startswith("toolmend.")] == ["toolmend.repaired"]
    assert counted.points("toolmend.repairs") == {("index", "wrap_in_array"): 1}
    assert counted.points("toolmend.calls") == {("index", "repaired"): 1}
