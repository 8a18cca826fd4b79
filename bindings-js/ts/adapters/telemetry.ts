/**
 * OpenTelemetry: what becomes of the calls of each tool, as counters, and as events on the span that a call is made in.
 *
 * Only the API of OpenTelemetry is used; without an SDK nothing happens. Labels are closed lists (tools, statuses, rules,
 * codes), and nothing holds anything of what was sent: paths have `*` for every key that the schema does not declare.
 *
 * @module
 */

import { framework } from "toolmend:framework/@opentelemetry/api";
import type { Attributes, MeterProvider } from "@opentelemetry/api";
import { observeAll, type Toolbox, type ToolboxEvent } from "toolmend";

const TOOL = "gen_ai.tool.name";
/** Stands for a name that there is no tool of: it is the model's own word, and there may be any number of them. */
const OTHER = "_OTHER";

/** What `instrument` is told. */
export interface InstrumentOptions {
  /** Where to count; the global one if nothing is given. */
  readonly meterProvider?: MeterProvider | undefined;
}

/**
 * Counts what becomes of calls, and tells it on the active span; what this returns ends that. Of the calls of `toolbox`, or,
 * without one, of every toolbox of this package in the process, those of adapters too.
 */
export function instrument(toolbox?: Toolbox, { meterProvider }: InstrumentOptions = {}): () => void {
  const meter = (meterProvider ?? framework.metrics).getMeter("toolmend");
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  const calls = counter("toolmend.calls", "{call}", "Tool calls that were answered, by what became of them.");
  const repairs = counter("toolmend.repairs", "{repair}", "Repairs that were made, by rule.");
  const refusals = counter("toolmend.refusals", "{call}", "Refused tool calls, by the code of the first issue.");
  const retries = counter("toolmend.retries", "{call}", "Attempts after a refusal, by what became of them.");

  const tell = (event: ToolboxEvent) => {
    const { outcome } = event;
    const tool = { [TOOL]: event.tool ?? OTHER };
    const status = { ...tool, "toolmend.status": outcome.status };
    calls.add(1, status);
    if (event.after !== undefined) {
      retries.add(1, status);
    }
    for (const { rule } of outcome.repairs) {
      repairs.add(1, { ...tool, "toolmend.rule": rule });
    }
    const [issue] = outcome.issues;
    if (issue !== undefined) {
      refusals.add(1, { ...tool, "toolmend.code": issue.code });
    }
    const span = framework.trace.getActiveSpan();
    if (span?.isRecording()) {
      span.setAttribute("toolmend.status", outcome.status);
      if (outcome.status !== "unchanged") {
        span.addEvent(`toolmend.${outcome.status}`, attributes(event, tool));
      }
    }
  };
  return toolbox === undefined ? observeAll(tell) : toolbox.observe(tell);
}

function attributes({ outcome, decision }: ToolboxEvent, tool: Attributes): Attributes {
  const { issues, repairs } = outcome.log();
  const told = issues.length > 0 ? issues : repairs;
  const what: Attributes =
    issues.length > 0
      ? { "toolmend.codes": issues.map(({ code }) => code) }
      : { "toolmend.rules": repairs.map(({ rule }) => rule) };
  return {
    ...tool,
    ...what,
    "toolmend.paths": told.map(({ path }) => path),
    ...(decision === undefined ? {} : { "toolmend.attempt": decision.attempt }),
    ...(typeof decision?.id === "string" ? { "gen_ai.tool.call.id": decision.id } : {}),
    ...(decision?.reason === undefined ? {} : { "toolmend.reason": decision.reason }),
  };
}
