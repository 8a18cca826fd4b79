import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { afterEach, beforeEach, test } from "node:test";

import { metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { compileTools } from "toolmend";
import { instrument } from "toolmend/telemetry";

import { SCHEMAS, TURNS } from "./story.mjs";

let spans;
let counted;
let stop;

beforeEach(() => {
  spans = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }));
  contexts.enable();
  counted = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  reader = new PeriodicExportingMetricReader({ exporter: counted, exportIntervalMillis: 1 << 30 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});

let reader;
const contexts = new AsyncLocalStorageContextManager();
trace.disable();
const { context } = await import("@opentelemetry/api");
context.setGlobalContextManager(contexts);

afterEach(() => {
  stop?.();
  stop = undefined;
  trace.disable();
  metrics.disable();
});

/** The counters, as `name{label=value,…}: sum`. */
async function counters() {
  await reader.forceFlush();
  const points = {};
  for (const { scopeMetrics } of counted.getMetrics().slice(-1)) {
    for (const { descriptor, dataPoints } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
      for (const { attributes, value } of dataPoints) {
        const labels = Object.entries(attributes).map(([name, it]) => `${name.split(".").at(-1)}=${it}`);
        points[`${descriptor.name}{${labels.join(",")}}`] = value;
      }
    }
  }
  return points;
}

function story(toolbox) {
  const attempts = toolbox.attempts();
  for (const [at, { tool, args }] of TURNS.entries()) {
    attempts.decide(tool, args, { id: `call-${at}` });
  }
  attempts.decide("drop_all_tables", { secret: "hunter2" });
}

test("counters", async () => {
  stop = instrument();
  story(compileTools(SCHEMAS));
  const found = await counters();
  assert.deepEqual(found, {
    "toolmend.calls{name=search,status=unchanged}": 2,
    "toolmend.calls{name=search,status=repaired}": 1,
    "toolmend.calls{name=search,status=refused}": 3,
    "toolmend.calls{name=order,status=repaired}": 1,
    "toolmend.calls{name=_OTHER,status=refused}": 1,
    "toolmend.repairs{name=search,rule=wrap_in_array}": 1,
    "toolmend.repairs{name=order,rule=parse_json_string}": 1,
    "toolmend.repairs{name=order,rule=wrap_in_array}": 2,
    "toolmend.refusals{name=search,code=ambiguous}": 3,
    "toolmend.refusals{name=_OTHER,code=unknown_tool}": 1,
    "toolmend.retries{name=search,status=unchanged}": 1,
    "toolmend.retries{name=search,status=refused}": 1,
  });
  const sum = (part) =>
    Object.entries(found)
      .filter(([name]) => name.startsWith("toolmend.calls") && name.includes(part))
      .reduce((all, [, value]) => all + value, 0);
  assert.equal(sum(""), TURNS.length + 1);
  assert.equal(sum("status=unchanged") + sum("status=repaired") + sum("status=refused"), sum(""));
  assert.doesNotMatch(JSON.stringify(found), /drop_all_tables|hunter2|eshop|Bern/);
});

test("the span that a call is made in has its status and an event", async () => {
  stop = instrument();
  const attempts = compileTools(SCHEMAS).attempts();
  const tracer = trace.getTracer("test");
  for (const [at, { tool, args }] of TURNS.entries()) {
    tracer.startActiveSpan(`execute_tool ${tool}`, (span) => {
      attempts.decide(tool, args, { id: `call-${at}` });
      span.end();
    });
  }
  const told = spans
    .getFinishedSpans()
    .map(({ attributes, events }) => [
      attributes["toolmend.status"],
      events.map(({ name, attributes }) => ({ name, ...attributes })),
    ]);
  assert.deepEqual(told[0], ["unchanged", []]);
  assert.deepEqual(told[1], [
    "repaired",
    [
      {
        name: "toolmend.repaired",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "call-1",
        "toolmend.rules": ["wrap_in_array"],
        "toolmend.paths": ["/names"],
        "toolmend.attempt": 1,
      },
    ],
  ]);
  assert.deepEqual(told[6], [
    "refused",
    [
      {
        name: "toolmend.refused",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "call-6",
        "toolmend.codes": ["ambiguous"],
        "toolmend.paths": ["/names"],
        "toolmend.attempt": 2,
        "toolmend.reason": "repeated",
      },
    ],
  ]);
  assert.doesNotMatch(JSON.stringify(told), /eshop|Bern|Ada/);
});

test("a refusal is counted where there is no span", async () => {
  stop = instrument();
  compileTools(SCHEMAS).repair("search", '{"names": ["a"');
  assert.equal(trace.getActiveSpan(), undefined);
  assert.equal((await counters())["toolmend.refusals{name=search,code=truncated}"], 1);
});

test("one toolbox alone, another provider, and an end", async () => {
  const [one, other] = [compileTools(SCHEMAS), compileTools(SCHEMAS)];
  const end = instrument(one, { meterProvider: metrics.getMeterProvider() });
  one.repair("search", "{}");
  other.repair("search", "{}");
  end();
  one.repair("search", "{}");
  assert.equal((await counters())["toolmend.calls{name=search,status=refused}"], 1);
});

test("by require it counts the same calls", async () => {
  stop = createRequire(import.meta.url)("toolmend/telemetry").instrument();
  compileTools(SCHEMAS).repair("search", { names: [] });
  assert.equal((await counters())["toolmend.calls{name=search,status=unchanged}"], 1);
});
