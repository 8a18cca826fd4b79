// What is aimed at. A ratio is ours to the fastest of `to` that is right there; times and memory are of a fresh process.

import { fastest, OURS } from "./hosts.mjs";

const NODE_WITHOUT_EVAL = ["zod without eval", "cfworker", "typebox without eval", "typia"];
const NODE_ALL = [
  "ajv",
  "ajv coerce",
  "jsonrepair + ajv coerce",
  "typebox",
  "typebox Parse",
  "zod",
  ...NODE_WITHOUT_EVAL,
];
const IS_VALID = ["jsonschema-rs is_valid"];
const EACH_VALID = ["w1", "w2", "w3", "w3u", "w4", "w5"];

/** `most` must hold; `stretch` is hoped for. Where nobody is right, `evenWrong` compares all the same. */
export const TARGETS = [
  { host: "node", mode: "text", on: ["w1"], to: ["ajv"], most: 1.8, stretch: 1.2 },
  { host: "node", mode: "text", on: ["w2"], to: ["ajv"], most: 1.25, stretch: 1 },
  { host: "node", mode: "text", on: ["w4"], to: ["ajv"], most: 1.45, stretch: 1.15 },
  { host: "node", mode: "text", on: ["w5"], to: ["ajv"], most: 1 },
  { host: "node", mode: "text", on: ["w3"], to: ["JSON.parse"], most: 1.6 },
  { host: "node", mode: "data", on: ["w2", "w5"], to: ["ajv"], most: 2.5 },
  { host: "node", mode: "data", on: ["w1", "w3"], to: ["ajv"], most: 4 },
  { host: "node", mode: "data", on: ["w4"], to: ["ajv"], most: 8 },
  { host: "node", mode: "text", on: ["w1", "w2", "w4", "w5"], to: NODE_WITHOUT_EVAL, most: 1 / 1.5 },
  { host: "node", mode: "text", on: ["w6", "w7"], to: ["ajv coerce"], most: 3 },
  { host: "node", mode: "text", on: ["w6", "w7"], to: ["typia"], most: 1 / 8, evenWrong: true },
  { host: "node", mode: "text", on: ["w6", "w7"], to: ["typebox Parse"], most: 1 / 8, evenWrong: true },
  { host: "node", mode: "text", on: ["x1", "x2"], to: NODE_ALL, most: 1 / 2 },
  { host: "python", mode: "text", on: EACH_VALID, to: IS_VALID, most: 1.3 },
  { host: "python", mode: "text", on: EACH_VALID, to: ["pydantic"], most: 1 },
  { host: "python", mode: "text", on: ["w6", "x1", "x2"], to: ["json_repair with schema"], most: 1 / 50 },
  { host: "python", mode: "data", on: EACH_VALID, to: IS_VALID, most: 1.5 },
  { host: "node", start: "tools", most: 60 },
  { host: "python", start: "tools", most: 15 },
  { host: "node", start: "first", most: 20 },
  { host: "python", start: "first", most: 10 },
];

/**
 * Our time to a peer's, each by its fastest round: on a shared machine that repeats within a few hundredths, where
 * medians differ by a third.
 */
export function ratio(ours, peer) {
  return fastest(ours.ns) / fastest(peer.ns);
}

/**
 * One row for each target and workload that was measured: `{name, value, unit, most, stretch, met}`. Without a value
 * there is nobody to compare with: no peer is right.
 */
export function judge(results) {
  return TARGETS.flatMap((target) =>
    target.start === undefined ? ofCalls(target, results) : ofStart(target, results),
  );
}

function ofStart({ host, start, most }, { starts }) {
  const ours = starts?.[host]?.[OURS];
  if (ours === undefined) return [];
  const what = start === "first" ? "first result, over a bare process" : "200 tools ready and called once";
  return [{ name: `${host}: ${what}`, value: ours[start], unit: "ms", most, met: ours[start] <= most }];
}

function ofCalls({ host, mode, on, to, most, stretch, evenWrong = false }, { calls }) {
  const measured = calls?.[host];
  if (measured === undefined) return [];
  const cells = on.map((workload) => `${workload} ${mode}`).filter((cell) => measured[OURS][cell] !== undefined);
  return cells.map((cell) => {
    const ours = measured[OURS][cell];
    const { peer, value, right } = hardest(measured, cell, to, evenWrong);
    const name = `${host}: ${cell} in, to ${peer}${right ? "" : " (not right there)"}`;
    return { name, value, unit: "×", most, stretch, met: ours.right && (value === null || value <= most) };
  });
}

/** The peer to which our time is worst. */
function hardest(measured, cell, peers, evenWrong) {
  const compared = peers
    .map((peer) => ({ peer, ...measured[peer][cell] }))
    .filter(({ ns, right }) => ns?.length > 0 && (right || evenWrong))
    .map(({ peer, right, ns }) => ({ peer, right, value: ratio(measured[OURS][cell], { ns }) }))
    .sort((a, b) => b.value - a.value);
  return compared[0] ?? { peer: `${peers.join(", ")}: none is right`, right: true, value: null };
}
