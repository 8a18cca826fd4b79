"""OpenTelemetry's real SDK, with exporters in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

_exporter = InMemorySpanExporter()
_tracers = TracerProvider()
_tracers.add_span_processor(SimpleSpanProcessor(_exporter))
trace.set_tracer_provider(_tracers)


@contextmanager
def finished(name: str = "invoke_agent") -> Iterator[list[ReadableSpan]]:
    """Open a span; what is given has all spans that ended in it, itself the last."""
    spans: list[ReadableSpan] = []
    _exporter.clear()
    with _tracers.get_tracer("test").start_as_current_span(name):
        yield spans
    spans.extend(_exporter.get_finished_spans())


class Counted:
    """The counters of one test."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader])

    def points(self, name: str) -> dict[tuple[Any, ...], int]:
        """Give the values of a counter, by the values of its labels."""
        data = self._reader.get_metrics_data()
        metrics = [] if data is None else [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        points: list[Any] = [point for metric in metrics if metric.name == name for point in metric.data.data_points]
        return {tuple(point.attributes.values()): point.value for point in points}
