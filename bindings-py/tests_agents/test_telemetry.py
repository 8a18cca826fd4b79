"""Telemetry, with the real SDK and exporters in memory."""

from __future__ import annotations

from typing import Any

import pytest
from agent_framework import Agent, FunctionMiddleware
from agent_framework.observability import enable_instrumentation
from script import CORRECTED, MENDED, NAMES, REFUSED, VALID, Received
from spans import Counted, finished
from test_agent_framework import Scripted, run, tools
from toolmend import compile_tools, telemetry
from toolmend.agent_framework import mend


@pytest.fixture
def counted() -> Counted:
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
    with finished("execute_tool index") as spans:
        toolbox.attempts().decide("index", '{"secret": "hunter2", "data_source_names": null}', id="call_1")
    (span,) = spans
    (event,) = span.events
    assert event.name == "toolmend.refused"
    attributes = dict(event.attributes or {})
    assert attributes["gen_ai.tool.call.id"] == "call_1"
    assert set(attributes["toolmend.paths"]) == {"/*", "/data_source_names"}  # type: ignore[arg-type]
    assert "hunter2" not in str(attributes)
    assert "secret" not in str(attributes)


def test_every_call_of_an_agent_is_counted_with_and_without_a_span_of_its_own(counted: Counted) -> None:
    enable_instrumentation()
    received = Received()
    client = Scripted(("index", VALID), ("index", MENDED), ("index", REFUSED), ("index", CORRECTED))
    stop = telemetry.instrument(meter_provider=counted.provider)
    with finished() as spans:
        run(Agent(client=client, tools=tools(received), middleware=mend()))
    stop()
    calls = counted.points("toolmend.calls")
    assert calls == {("index", "unchanged"): 2, ("index", "repaired"): 1, ("index", "refused"): 1}
    assert sum(calls.values()) == 4
    assert counted.points("toolmend.refusals") == {("index", "ambiguous"): 1}
    assert counted.points("toolmend.retries") == {("index", "unchanged"): 1}
    of_tools = [span for span in spans if span.name.startswith("execute_tool")]
    assert len(of_tools) == len(received) == 3, "the framework opens no span for a call that does not run"
    events = [event.name for span in spans for event in span.events if event.name.startswith("toolmend.")]
    assert sorted(events) == ["toolmend.refused", "toolmend.repaired"]


def test_what_a_refused_call_would_have_met_is_never_reached(counted: Counted) -> None:
    reached: list[str] = []

    class Policy(FunctionMiddleware):
        async def process(self, context: Any, call_next: Any) -> None:
            reached.append(context.function.name)
            await call_next()

    stop = telemetry.instrument(meter_provider=counted.provider)
    client = Scripted(("index", REFUSED))
    run(Agent(client=client, tools=tools(Received()), middleware=[*mend(), Policy()]))
    stop()
    assert reached == []
    assert counted.points("toolmend.calls") == {("index", "refused"): 1}


def test_report_mode_counts_what_would_have_been(counted: Counted) -> None:
    toolbox = compile_tools({"index": NAMES}, mode="report")
    stop = telemetry.instrument(toolbox, meter_provider=counted.provider)
    attempts = toolbox.attempts()
    assert [attempts.decide("index", call).action for call in (MENDED, REFUSED)] == ["run", "run"]
    stop()
    assert counted.points("toolmend.calls") == {("index", "repaired"): 1, ("index", "refused"): 1}


def test_no_label_is_the_models_own_word(counted: Counted) -> None:
    toolbox = compile_tools([{"name": "index", "inputSchema": NAMES}, {"name": "bad", "inputSchema": {"type": "x"}}])
    stop = telemetry.instrument(toolbox, meter_provider=counted.provider)
    for number in range(3):
        toolbox.repair(f"made up {number}", "{}")
    toolbox.repair("bad", "{}")
    stop()
    assert counted.points("toolmend.calls") == {("_OTHER", "refused"): 4}
