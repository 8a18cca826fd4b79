// `cargo xtask bench`: see README.md.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { calls } from "./calls.mjs";
import { growth } from "./growth.mjs";
import { HOSTS, OURS } from "./hosts.mjs";
import { comparison, report } from "./report.mjs";
import { starts } from "./starts.mjs";
import { workloads, write } from "./workloads.mjs";

const EFFORT = { rounds: 11, coldRounds: 9, growthRounds: 5, warmMs: 250, batchMs: 10 };
const QUICK = { rounds: 5, coldRounds: 3, growthRounds: 2, warmMs: 100, batchMs: 4 };
const PARTS = ["calls", "starts", "growth"];

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    quick: { type: "boolean", default: false },
    workloads: { type: "string", default: Object.keys(workloads()).join() },
    hosts: { type: "string", default: Object.keys(HOSTS).join() },
    parts: { type: "string", default: PARTS.join() },
    against: { type: "string" },
  },
});

/** The chosen ones of a list of names. */
function chosen(what, known) {
  const names = options[what].split(",");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no ${what} ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return names;
}

const names = chosen("workloads", Object.keys(workloads()));
const hosts = chosen("hosts", Object.keys(HOSTS));
const parts = chosen("parts", PARTS);
const effort = options.quick ? QUICK : EFFORT;
const folder = join(options.out, "workloads");
const earlier = options.against && JSON.parse(readFileSync(options.against, "utf8"));

const say = (what) => process.stderr.write(`  ${what}\n`);
/** The version of each package that is measured; an adapter's name begins with it or tells of it. */
const about = (host) => {
  const adapters = Object.entries(HOSTS[host].adapters()).filter(([, { version }]) => version);
  return {
    version: HOSTS[host].version(),
    packages: Object.fromEntries(adapters.map(([name, of]) => [name, of.version])),
  };
};

write(folder);
const results = {
  processor: cpus()[0].model,
  rounds: effort.rounds,
  hosts: Object.fromEntries(hosts.map((host) => [host, about(host)])),
};
const measures = {
  calls: (host) => calls(host, { ...effort, names, folder }, say),
  starts: (host) => starts(host, { folder, rounds: effort.coldRounds }, say),
  growth: (host) => growth(host, { ...effort, folder: join(options.out, "growth"), rounds: effort.growthRounds }, say),
};
for (const part of parts) {
  results[part] = {};
  for (const host of hosts) results[part][host] = await measures[part](host);
}

mkdirSync(options.out, { recursive: true });
const text = report(results) + (earlier ? comparison(results, earlier) : "");
writeFileSync(join(options.out, "speed.json"), `${JSON.stringify(results, null, 1)}\n`);
writeFileSync(join(options.out, "speed.md"), text);
console.log(`\n${text}`);

const wrong = Object.entries(results.calls ?? {}).flatMap(([host, measured]) =>
  Object.entries(measured[OURS])
    .filter(([, { right }]) => !right)
    .map(([cell, { what }]) => `${host}, ${cell} in: ${what}`),
);
for (const one of wrong) console.log(`WRONG ${one}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
