// One adapter in a process of its own: `node worker.mjs ADAPTER`. Each line on standard input is a request, each line
// on standard output the answer to one.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { ADAPTERS } from "./adapters.mjs";
import { peakMemory } from "./memory.mjs";

/** In each round. */
const BATCHES = 5;

const { load, floor } = ADAPTERS[process.argv[2]];
const library = await load();
const jobs = new Map();

/** What the answer is, and whether that is what the workload wants. */
function judge({ ok, value, errors }, { expect, expected, errors: wanted }) {
  if (floor) return { right: true, what: "ran" };
  if (!ok) return { right: expect === "refused" && errors === wanted, what: `refused, ${errors} errors` };
  // By way of text: an object may have been made with a prototype of its own.
  const isExpected = expect !== "refused" && isDeepStrictEqual(JSON.parse(JSON.stringify(value)), expected);
  return { right: isExpected, what: isExpected ? expect : "another value" };
}

function run(call, input, count) {
  let accepted = 0;
  for (let at = 0; at < count; at += 1) {
    accepted += call(input).ok ? 1 : 0;
  }
  return accepted;
}

/** Nanoseconds of `count` calls. */
function timed({ call, input }, count) {
  const start = process.hrtime.bigint();
  run(call, input, count);
  return Number(process.hrtime.bigint() - start);
}

/** Calls it until it is compiled and steady, and finds how many calls fill a batch. */
function warmed(job, { warmMs, batchMs }) {
  const end = performance.now() + warmMs;
  let count = 1;
  let elapsed = timed(job, count);
  while (performance.now() < end) {
    if (elapsed < (warmMs * 1e6) / 10) count *= 2;
    elapsed = timed(job, count);
  }
  return Math.max(1, Math.round((batchMs * 1e6 * count) / elapsed));
}

const requests = {
  /** Compiles for a workload and calls once: `{ right, what }`, or nothing where the adapter cannot be asked so. */
  prepare({ name, path, mode, ...times }) {
    if (library[mode] === undefined) return null;
    const workload = JSON.parse(readFileSync(path, "utf8"));
    try {
      const call = library[mode](workload);
      const input = mode === "text" ? workload.arguments : JSON.parse(workload.arguments);
      const judged = judge(call(input), workload);
      jobs.set(name, { call, input, count: warmed({ call, input }, times) });
      return judged;
    } catch (error) {
      return { right: false, what: `fails: ${error.message}`, failed: true };
    }
  },

  /** Nanoseconds a call, by the fastest of some batches: what else runs on the machine only ever adds. */
  measure({ name }) {
    const { count, ...job } = jobs.get(name);
    const batches = Array.from({ length: BATCHES }, () => timed(job, count));
    return Math.min(...batches) / count;
  },

  /** Nanoseconds to compile for a workload, when something was compiled before. */
  compile({ path }) {
    const workload = JSON.parse(readFileSync(path, "utf8"));
    const start = performance.now();
    library.text(workload);
    return (performance.now() - start) * 1e6;
  },

  /** Megabytes of memory, at most so far. */
  memory: peakMemory,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { what, ...request } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(requests[what](request))}\n`);
}
