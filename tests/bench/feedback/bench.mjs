// `cargo xtask bench feedback`: see README.md.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { missing } from "./facts.mjs";
import { OURS, peers } from "./peers.mjs";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const refusals = JSON.parse(readFileSync(file("refusals.json"), "utf8"));
const facts = refusals.reduce((sum, refusal) => sum + refusal.facts.length, 0);

/** What every peer says to every refusal, in the order of both. */
function texts() {
  const python = JSON.parse(
    execFileSync(process.env.TOOLMEND_PYTHON, ["-B", file("peers.py")], {
      input: JSON.stringify(refusals),
      encoding: "utf8",
      env: { ...process.env, PYTHONUTF8: "1" },
    }),
  );
  const node = Object.entries(peers).map(([peer, tell]) => [peer, refusals.map(tell)]);
  return [...node, ...Object.entries(python).map(([peer, told]) => [peer, refusals.map(({ name }) => told[name])])];
}

/** A peer's texts, each with its tokens and the facts that it lacks. */
function judge([peer, told]) {
  const ones = told.map((text, at) => ({
    text,
    tokens: text === null ? 0 : countTokens(text),
    lacks: missing(text, refusals[at].facts),
  }));
  return { peer, ones };
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
const tokens = (ones) => sum(ones.map((one) => one.tokens));

function row({ peer, ones }, ours) {
  const complete = (_, at) => ones[at].lacks.length === 0;
  return [
    peer,
    ones.filter(({ text }) => text !== null).length,
    facts - sum(ones.map(({ lacks }) => lacks.length)),
    ones.filter(complete).length,
    tokens(ones),
    tokens(ones.filter(complete)),
    tokens(ours.filter(complete)),
  ];
}

function print(rows) {
  const heads = ["", "refuses", "facts", "all facts", "tokens", "tokens there", "ours there"];
  const table = [heads, ...rows].map((cells) => cells.map(String));
  const widths = heads.map((_, at) => Math.max(...table.map((cells) => cells[at].length)));
  for (const cells of table) {
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "));
  }
}

const judged = texts().map(judge);
const ours = judged.find(({ peer }) => peer === OURS);

if (process.env.TOOLMEND_VERBOSE === "1") {
  for (const [at, { name }] of refusals.entries()) {
    console.log(`\n=== ${name}`);
    for (const { peer, ones } of judged) {
      const { text, tokens, lacks } = ones[at];
      console.log(`\n--- ${peer}: ${text === null ? "takes the call" : `${tokens} tokens\n${text}`}`);
      if (text !== null) for (const fact of lacks) console.log(`lacks ${JSON.stringify(fact)}`);
    }
  }
  console.log();
}

console.log(`${refusals.length} refusals, ${facts} facts that a fix needs; tokens of o200k_base\n`);
print(judged.map((peer) => row(peer, ours.ones)));
console.log(`
refuses       refusals that it refuses at all; it has no text for the others
facts         facts that its texts hold
all facts     refusals whose text holds every fact
tokens        of all its texts
tokens there  of its texts that hold every fact; beside them ours for the same refusals`);

const failures = refusals.flatMap(({ name, most }, at) => {
  const { text, tokens, lacks } = ours.ones[at];
  if (text === null) return [`${name}: taken`];
  const long =
    most !== undefined && tokens >= most ? [`${name}: ${tokens} tokens, which must be fewer than ${most}`] : [];
  return [...lacks.map((fact) => `${name}: lacks ${JSON.stringify(fact)}`), ...long];
});
const isComplete = ({ ones }) => ones.every(({ lacks }) => lacks.length === 0);
for (const { peer, ones } of judged.filter((one) => one !== ours && isComplete(one))) {
  if (tokens(ones) <= tokens(ours.ones)) failures.push(`${peer} has every fact, in no more tokens`);
}
console.log();
for (const failure of failures) console.log(`FAILED ${failure}`);
if (failures.length === 0) console.log(`${OURS} has every fact, and the fewest tokens of those that do`);
process.exitCode = failures.length === 0 ? 0 : 1;
