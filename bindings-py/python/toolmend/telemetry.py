"""OpenTelemetry: what becomes of the calls of each tool, as counters, and as events on the span that a call is made in.

    import toolmend.telemetry

    toolmend.telemetry.instrument()

Only the API of OpenTelemetry is used; without an SDK it does nothing. Labels are closed lists (tools, statuses, rules,
codes), and nothing holds anything of what was sent: paths have `*` for every key that the schema does not declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._adapters import Toolbox, required
from ._toolbox import observe_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry import metrics, trace
    from opentelemetry.metrics import MeterProvider

    from ._toolbox import Event
else:
    metrics = required("opentelemetry.metrics", "telemetry")
    trace = required("opentelemetry.trace", "telemetry")

__all__ = ["instrument"]

_TOOL = "gen_ai.tool.name"
_OTHER = "_OTHER"
"""Stands for a name that there is no tool of: it is the model's own word, and there may be any number of them."""


def instrument(toolbox: Toolbox | None = None, *, meter_provider: MeterProvider | None = None) -> Callable[[], None]:
    """Count what becomes of calls, and tell it on the current span; what this returns ends that.

    Args:
        toolbox: Only the calls of this one; if nothing is given, of every toolbox in the process, those of adapters too.
        meter_provider: Where to count; the global one if nothing is given.

    """
    told = _Told(metrics.get_meter("toolmend", meter_provider=meter_provider))
    return observe_all(told) if toolbox is None else toolbox.observe(told)


class _Told:
    def __init__(self, meter: Any) -> None:
        self._calls = meter.create_counter(
            "toolmend.calls", unit="{call}", description="Tool calls that were answered, by what became of them."
        )
        self._repairs = meter.create_counter(
            "toolmend.repairs", unit="{repair}", description="Repairs that were made, by rule."
        )
        self._refusals = meter.create_counter(
            "toolmend.refusals",
            unit="{call}",
            description="Tool calls that were refused, by the code of the first issue.",
        )
        self._retries = meter.create_counter(
            "toolmend.retries", unit="{call}", description="Attempts after a refusal, by what became of them."
        )

    def __call__(self, event: Event) -> None:
        tool = {_TOOL: _OTHER if event.tool is None else event.tool}
        outcome = event.outcome
        status = {**tool, "toolmend.status": outcome.status}
        self._calls.add(1, status)
        if event.after is not None:
            self._retries.add(1, status)
        for repair in outcome.repairs:
            self._repairs.add(1, {**tool, "toolmend.rule": repair.rule})
        if not outcome.ok:
            self._refusals.add(1, {**tool, "toolmend.code": outcome.issues[0].code})
        span = trace.get_current_span()
        if span.is_recording():
            span.set_attribute("toolmend.status", outcome.status)
            if outcome.status != "unchanged":
                span.add_event(f"toolmend.{outcome.status}", _attributes(event, tool))


def _attributes(event: Event, tool: dict[str, str]) -> dict[str, Any]:
    log, decision = event.outcome.log(), event.decision
    told: list[dict[str, str]] = log["issues"] or log["repairs"]
    names = ("toolmend.codes", "code") if log["issues"] else ("toolmend.rules", "rule")
    attributes: dict[str, Any] = {
        **tool,
        names[0]: [each[names[1]] for each in told],
        "toolmend.paths": [each["path"] for each in told],
    }
    if decision is not None:
        attributes["toolmend.attempt"] = decision.attempt
        if isinstance(decision.id, str):
            attributes["gen_ai.tool.call.id"] = decision.id
        if decision.reason is not None:
            attributes["toolmend.reason"] = decision.reason
    return attributes
