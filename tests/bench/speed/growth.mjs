// How the cost of a call grows: the same call in several sizes, so that what is not linear shows.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cold, fastest, HOSTS, median, OURS, Worker } from "./hosts.mjs";
import { tools, union } from "./workloads.mjs";

const text = { type: "string" };
const closed = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });
const valid = (schema, value) => ({ schema, arguments: JSON.stringify(value), expect: "valid", expected: value });

/** Names as tools have them, each one other. */
const names = (count) => Array.from({ length: count }, (_, at) => `property_${at}`);

/** A list of small objects, of about `bytes`. */
function rows(bytes) {
  const row = (id) => ({ id, name: "alpha beta gamma", price: id + 0.5, tags: ["delta", "issue"] });
  const schema = closed(
    {
      id: { type: "integer" },
      name: text,
      price: { type: "number" },
      tags: { type: "array", items: text },
    },
    ["id", "name"],
  );
  const count = Math.max(1, Math.round(bytes / JSON.stringify(row(10_000)).length));
  const value = { rows: Array.from({ length: count }, (_, id) => row(id)) };
  return valid(closed({ rows: { type: "array", items: schema } }, ["rows"]), value);
}

/** One text of `bytes`. */
const longText = (bytes) =>
  valid(closed({ content: text }, ["content"]), { content: "line of code\n".repeat(bytes / 14) });

/** A tree that is `depth` objects deep. */
function nested(depth) {
  let tree = {};
  for (let level = 2; level < depth; level += 1) tree = { child: tree };
  const node = closed({ child: { $ref: "#/$defs/node" } }, []);
  return valid({ ...closed({ tree: { $ref: "#/$defs/node" } }, ["tree"]), $defs: { node } }, { tree });
}

/** An object of `count` properties, all of which are there. */
function wide(count) {
  const each = (value) => Object.fromEntries(names(count).map((name) => [name, value]));
  return valid(closed(each(text), names(count)), each("alpha"));
}

/** A union of `count` branches, and an item of the last one. */
function branches(count) {
  const kinds = Object.fromEntries(names(count).map((name) => [name, { value: { type: "integer" } }]));
  const last = names(count).at(-1);
  return valid(union(kinds), { session: "s", actions: [{ kind: last, value: 1 }] });
}

/** What is grown: the unit that a time is divided by, and the sizes. */
const GROWN = [
  { what: "one text", unit: "kB", per: 1000, sizes: [1e3, 1e4, 1e5, 1e6, 1e7], make: longText },
  { what: "list of objects", unit: "kB", per: 1000, sizes: [1e3, 1e4, 1e5, 1e6, 1e7], make: rows },
  { what: "depth", unit: "level", per: 1, sizes: [15, 30, 60, 120], make: nested },
  { what: "properties", unit: "property", per: 1, sizes: [10, 100, 1_000, 10_000], make: wide },
  { what: "branches", unit: "branch", per: 1, sizes: [10, 100, 1_000], make: branches },
  { what: "tools", unit: "tool", per: 1, sizes: [10, 100, 1_000], make: (count) => ({ tools: tools(count) }) },
];

/** Far above what is measured. */
const LIMITS = { bytes: 1 << 26, work: 1_000_000_000 };

/**
 * Measures each size in a process of its own, and the same call by the floor: `[{what, unit, size, ours, floor}]`, each
 * of both with the nanoseconds of a call (for tools: of compiling each and calling it once) and of `compile` for a unit,
 * and the megabytes that the process had at most.
 */
export async function growth(host, { folder, rounds, warmMs, batchMs }, say) {
  mkdirSync(folder, { recursive: true });
  const rows = [];
  for (const { what, unit, per, sizes, make } of GROWN) {
    say(`${host}: growth of ${what}`);
    for (const size of sizes) {
      const path = join(folder, `${what.replaceAll(" ", "-")}-${size}.json`);
      writeFileSync(path, JSON.stringify({ ...make(size), limits: LIMITS }));
      const measure = what === "tools" ? manyTools : oneCall;
      const of = async (adapter) => {
        const { ns, compileNs, memory, fails } = await measure(host, adapter, {
          path,
          folder,
          rounds,
          warmMs,
          batchMs,
        });
        const units = size / per;
        return { ns: ns / units, compileNs: compileNs / units, memory, fails };
      };
      rows.push({ what, unit, size, ours: await of(OURS), floor: await of(HOSTS[host].floor) });
    }
  }
  return rows;
}

async function oneCall(host, adapter, { path, rounds, warmMs, batchMs }) {
  const worker = new Worker(host, adapter);
  try {
    const prepared = await worker.ask("prepare", { name: "grown", path, mode: "text", warmMs, batchMs });
    if (!prepared.right) return { fails: prepared.what };
    const measured = async (what, request) => {
      const ns = [];
      for (let round = 0; round < rounds; round += 1) ns.push(await worker.ask(what, request));
      return fastest(ns);
    };
    return {
      ns: await measured("measure", { name: "grown" }),
      compileNs: await measured("compile", { path }),
      memory: await worker.ask("memory"),
    };
  } finally {
    worker.stop();
  }
}

async function manyTools(host, adapter, { path, folder, rounds }) {
  const first = join(folder, "depth-15.json");
  const runs = Array.from({ length: rounds }, () => cold(host, adapter, first, path));
  return { ns: fastest(runs.map(({ toolsMs }) => toolsMs)) * 1e6, memory: median(runs.map(({ memory }) => memory)) };
}
