// The time of a call when everything is warm.

import { join } from "node:path";
import { HOSTS, Worker } from "./hosts.mjs";

const MODES = ["text", "data"];

/**
 * Measures every adapter of a host. The rounds are interleaved: each visits every workload, and there every adapter one
 * after the other, so that what is compared was measured within a few seconds.
 *
 * Gives `{adapter: {"w1 text": {right, what, ns: [a number a round]}}}`.
 */
export async function calls(host, { names, folder, rounds, warmMs, batchMs }, say) {
  const adapters = Object.keys(HOSTS[host].adapters());
  const cells = names.flatMap((workload) => MODES.map((mode) => ({ workload, mode, name: `${workload} ${mode}` })));
  const workers = new Map(adapters.map((adapter) => [adapter, new Worker(host, adapter)]));
  const results = Object.fromEntries(adapters.map((adapter) => [adapter, {}]));
  try {
    for (const [adapter, worker] of workers) {
      say(`${host}: warm ${adapter}`);
      for (const { workload, mode, name } of cells) {
        // Objects that need a repair are what no peer but one is made for.
        if (mode === "data" && !isValid(workload)) continue;
        const path = join(folder, `${workload}.json`);
        const prepared = await worker.ask("prepare", { name, path, mode, warmMs, batchMs });
        if (prepared !== null) results[adapter][name] = { ...prepared, ns: [] };
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      say(`${host}: round ${round + 1} of ${rounds}`);
      for (const { name } of cells) {
        for (const adapter of rotated(adapters, round)) {
          const cell = results[adapter][name];
          if (cell === undefined || cell.failed) continue;
          cell.ns.push(await workers.get(adapter).ask("measure", { name }));
        }
      }
    }
  } finally {
    for (const worker of workers.values()) worker.stop();
  }
  return results;
}

/** Nobody is always the first, or always after the same other one. */
const rotated = (items, by) => items.map((_, at) => items[(at + by * 5) % items.length]);

const isValid = (workload) => /^w[1-5]/.test(workload);
