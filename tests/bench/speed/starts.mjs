// What a fresh process costs: its first result, and 200 tools.

import { join } from "node:path";
import { cold, fastest, HOSTS, median } from "./hosts.mjs";

/**
 * For each adapter of a host, in milliseconds and megabytes over a bare process of the same run: one that reads the
 * same files, and parses the same text without a library.
 */
export function starts(host, { folder, rounds }, say) {
  const { adapters, floor } = HOSTS[host];
  const all = Object.entries(adapters());
  const measured = all.filter(([name, one]) => name === floor || !one.floor).map(([name]) => name);
  const paths = ["w2", "w8"].map((name) => join(folder, `${name}.json`));
  const results = Object.fromEntries(measured.map((name) => [name, { first: [], tools: [], memory: [] }]));
  for (let round = 0; round < rounds; round += 1) {
    say(`${host}: cold round ${round + 1} of ${rounds}`);
    for (const name of measured) {
      const { processMs } = cold(host, name, paths[0]);
      const { toolsMs, memory } = cold(host, name, ...paths);
      results[name].first.push(processMs);
      results[name].tools.push(toolsMs);
      results[name].memory.push(memory);
    }
  }
  const figures = ({ first, tools, memory }) => ({
    first: fastest(first),
    tools: fastest(tools),
    memory: median(memory),
  });
  const bare = figures(results[floor]);
  const over = ({ first, tools, memory }) => ({ first: first - bare.first, tools, memory: memory - bare.memory });
  return Object.fromEntries(measured.map((name) => [name, name === floor ? bare : over(figures(results[name]))]));
}
