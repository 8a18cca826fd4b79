// The results as tables in Markdown.

import { fastest, HOSTS, OURS } from "./hosts.mjs";
import { judge, ratio } from "./targets.mjs";

/** Two runs agree if no ratio differs by more than this. */
const AGREE = 0.15;

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function digits(value) {
  if (!isNumber(value)) return "";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return Math.abs(value) >= 0.1 ? value.toFixed(2) : value.toPrecision(2);
}

function time(ns) {
  if (!isNumber(ns)) return "";
  if (ns < 1e3) return `${ns.toFixed(0)} ns`;
  return ns < 1e6 ? `${digits(ns / 1e3)} µs` : `${digits(ns / 1e6)} ms`;
}

/** A table whose columns line up in a terminal too. */
function table(heads, rows) {
  const all = [heads, ...rows].map((cells) => cells.map(String));
  const widths = heads.map((_, at) => Math.max(3, ...all.map((cells) => cells[at].length)));
  const pad = (cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const [head, ...body] = all.map((cells) => line(cells.map(pad)));
  return [head, line(rule), ...body].join("\n");
}

const bracketed = (cell, text) => (cell.right ? text : `(${text})`);

function timesOfCalls(cells, measured, adapters) {
  const rows = adapters.map((name) => {
    const of = measured[name];
    return [name, ...cells.map((cell) => (of[cell]?.ns.length ? bracketed(of[cell], time(fastest(of[cell].ns))) : ""))];
  });
  return table(["", ...cells.map((cell) => cell.split(" ")[0])], rows);
}

function ratiosOfCalls(cells, measured, adapters) {
  const rows = adapters.map((name) => {
    const of = (cell) => {
      const peer = measured[name][cell];
      const ours = measured[OURS][cell];
      return peer?.ns.length && ours?.ns.length ? bracketed(peer, digits(ratio(ours, peer))) : "";
    };
    return [name, ...cells.map(of)];
  });
  return table([`${OURS} ÷`, ...cells.map((cell) => cell.split(" ")[0])], rows);
}

function callTables(host, measured) {
  const names = Object.keys(measured);
  return ["text", "data"].flatMap((mode) => {
    const isOfMode = (cell) => cell.endsWith(` ${mode}`);
    const cells = Object.keys(measured[OURS]).filter(isOfMode);
    const adapters = names.filter((name) => Object.keys(measured[name]).some(isOfMode));
    if (cells.length === 0) return [];
    return [
      `## ${host}, ${mode} in: time a call (in brackets: not the right answer)`,
      timesOfCalls(cells, measured, adapters),
      `## ${host}, ${mode} in: our time to each`,
      ratiosOfCalls(
        cells,
        measured,
        adapters.filter((name) => name !== OURS),
      ),
    ];
  });
}

function startTable(host, measured) {
  const { floor } = HOSTS[host];
  const heads = [host, "first result, ms", "200 tools, ms", "memory with 200, MB"];
  const rows = Object.entries(measured).map(([name, { first, tools, memory }]) => [
    name === floor ? "bare process" : name,
    digits(first),
    digits(tools),
    digits(memory),
  ]);
  return [`## ${host}, fresh processes: first result and memory over a bare one`, table(heads, rows)];
}

function growthTable(host, rows) {
  const { floor } = HOSTS[host];
  const heads = [host, "size", "time a unit", `÷ ${floor}`, "compile a unit", "memory, MB", `MB, ${floor}`];
  const cells = rows.map(({ what, unit, size, ours, floor: bare }) => [
    `${what}, a ${unit}`,
    size,
    ours.fails ?? time(ours.ns),
    what === "tools" ? "" : digits(ours.ns / bare.ns),
    // A text may grow while its schema does not.
    unit === "kB" || unit === "level" ? "" : time(ours.compileNs),
    digits(ours.memory),
    digits(bare.memory),
  ]);
  return [`## ${host}, growth: what stays the same from size to size is linear`, table(heads, cells)];
}

const measure = ({ value, unit }) => (value === null ? "" : `${digits(value)} ${unit}`);

function targetTable(rows) {
  const cells = rows.map((row) => {
    const { name, most, stretch, unit, met } = row;
    const aim = `${digits(most)} ${unit}${stretch === undefined ? "" : ` (${digits(stretch)})`}`;
    return [name, measure(row), aim, met ? "met" : "MISSED"];
  });
  const met = rows.filter((row) => row.met).length;
  return [`## targets: ${met} of ${rows.length} met`, table(["", "measured", "at most (stretch)", ""], cells)];
}

/** The whole report. */
export function report(results) {
  const { hosts, rounds, processor } = results;
  const versions = Object.entries(hosts).map(([host, { version, packages }]) => {
    const pinned = Object.entries(packages).map(([name, of]) => `${name} ${of}`);
    return `- ${host} ${version}: ${pinned.join(", ")}`;
  });
  const sections = [
    "# Speed",
    `${processor}, ${rounds} rounds`,
    versions.join("\n"),
    ...Object.entries(results.calls ?? {}).flatMap(([host, measured]) => callTables(host, measured)),
    ...Object.entries(results.starts ?? {}).flatMap(([host, measured]) => startTable(host, measured)),
    ...Object.entries(results.growth ?? {}).flatMap(([host, rows]) => growthTable(host, rows)),
    ...targetTable(judge(results)),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** How the figures that targets are set for differ from those of an earlier run. */
export function comparison(results, earlier) {
  const before = new Map(judge(earlier).map((row) => [row.name, row]));
  const both = judge(results).filter(({ name, value }) => isNumber(value) && isNumber(before.get(name)?.value));
  const changes = both.map((row) => ({ ...row, change: row.value / before.get(row.name).value - 1 }));
  const differs = ({ change }) => Math.abs(change) > AGREE;
  const rows = changes.map((row) => [
    row.name,
    measure(before.get(row.name)),
    measure(row),
    `${row.change > 0 ? "+" : ""}${(row.change * 100).toFixed(0)} %`,
    differs(row) ? "differs" : "",
  ]);
  const count = changes.filter(differs).length;
  const head = `## against the earlier run: ${count} of ${rows.length} differ by more than ${AGREE * 100} %`;
  return `\n${head}\n\n${table(["", "earlier", "now", "change", ""], rows)}\n`;
}
