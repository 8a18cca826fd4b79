// A process that has done nothing yet: `node cold.mjs ADAPTER WORKLOAD [TOOLS]` gives a first result, and with TOOLS
// compiles each of those and calls it once.

import { readFileSync } from "node:fs";
import { ADAPTERS } from "./adapters.mjs";
import { peakMemory } from "./memory.mjs";

const [adapter, workload, tools] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

function ready(one) {
  const call = library.text(one);
  if (!call(one.arguments).ok) throw new Error("a valid call was refused");
  return call;
}

const library = await ADAPTERS[adapter].load();
ready(read(workload));
if (tools !== undefined) {
  const all = read(tools).tools;
  const start = performance.now();
  // All are kept, as a host keeps them.
  const calls = all.map(ready);
  const toolsMs = performance.now() - start;
  console.log(JSON.stringify({ tools: calls.length, toolsMs, memory: peakMemory() }));
}
