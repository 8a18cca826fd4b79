// `cargo xtask bench compare`: see README.md.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ADAPTERS } from "../speed/node/adapters.mjs";

const POLICY = "lenient";

const { compile } = createRequire(import.meta.url)(process.env.TOOLMEND_NPM);
const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const rows = readFileSync(file("rows.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => ({ ...JSON.parse(line), policy: POLICY }));

/** A value in the one form that is compared: JSON text with every digit, and `NaN` as it is, its keys sorted. */
function text(value) {
  if (typeof value === "bigint" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const properties = Object.keys(value).sort();
  return `{${properties.map((key) => `${JSON.stringify(key)}:${text(value[key])}`).join()}}`;
}

const version = (name) => JSON.parse(readFileSync(file(`../speed/node_modules/${name}/package.json`), "utf8")).version;

/** The peers in Node, by the adapters that ask them where their speed is measured. */
const PEERS = {
  "ajv coerce": `ajv ${version("ajv")}`,
  "jsonrepair + ajv coerce": `jsonrepair ${version("jsonrepair")} + ajv`,
  "typebox Parse": `typebox ${version("typebox")}`,
  typia: `typia ${version("@typia/utils")}`,
};

/** What the peers in Node answer: `[peer, answers]`, an answer being a value as JSON text, or `null` for a refusal. */
async function inNode() {
  const told = [];
  for (const [adapter, peer] of Object.entries(PEERS)) {
    const library = await ADAPTERS[adapter].load();
    const answers = rows.map(({ text: sent, ...row }) => {
      const { ok, value } = library.text(row)(sent);
      return ok ? text(value) : null;
    });
    told.push([peer, answers]);
  }
  return told;
}

function inPython() {
  const options = { input: JSON.stringify(rows), encoding: "utf8", env: { ...process.env, PYTHONUTF8: "1" } };
  return JSON.parse(execFileSync(process.env.TOOLMEND_PYTHON, ["-B", file("peers.py")], options));
}

const isRight = (row, answer) => answer === (row.value ?? null);

/** What is wrong with our outcome for a row, in either host. */
function failures(row, python) {
  const outcome = compile(row.schema, { policy: row.policy }).repair(row.text);
  const hosts = { Node: outcome.ok ? text(outcome.value) : null, Python: python.answer };
  const found = Object.entries(hosts)
    .filter(([, answer]) => !isRight(row, answer))
    .map(([host, answer]) => `${row.name}, in ${host}: ${answer ?? "refused"}`);
  const codes = outcome.issues.map(({ code }) => code).join();
  if (codes !== (row.code ?? "")) found.push(`${row.name}: the codes are "${codes}", not "${row.code ?? ""}"`);
  // Byte for byte, which holds the codes in Python too.
  if (outcome.wire !== python.wire) found.push(`${row.name}: Node gives ${outcome.wire}, Python ${python.wire}`);
  return found;
}

const isSilent = (row, answer) => answer !== null && !isRight(row, answer);

function cell(row, answer) {
  if (isRight(row, answer)) return "right";
  return answer === null ? "refused" : `**\`${answer}\`**`;
}

/** A code span, even of text with backticks and line breaks. */
function code(sent) {
  const line = sent.replaceAll("\n", "↵");
  return line.includes("`") ? `\`\`\`\` ${line} \`\`\`\`` : `\`${line}\``;
}

function table(columns) {
  const count = (is) => columns.map(([, answers]) => answers.filter((answer, at) => is(rows[at], answer)).length);
  const lines = [
    ["", "sent", "right is", ...columns.map(([peer]) => peer)],
    Array.from({ length: columns.length + 3 }, () => "---"),
    ...rows.map((row, at) => [
      row.name,
      code(row.text),
      row.value ? code(row.value) : "refused",
      ...columns.map(([, answers]) => cell(row, answers[at])),
    ]),
    ["**right**", "", "", ...count(isRight)],
    ["**silently wrong**", "", "", ...count(isSilent).map((number) => `**${number}**`)],
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

const python = inPython();
const failed = rows.flatMap((row, at) => failures(row, python.ours[at]));
const columns = [
  ["toolmend", python.ours.map(({ answer }) => answer)],
  ...(await inNode()),
  ...Object.entries(python.peers),
];
const markdown = table(columns);
console.log(markdown);
const [out] = process.argv.slice(2);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, markdown);
for (const failure of failed) console.log(`FAILED ${failure}`);
if (failed.length === 0) console.log("toolmend is right in every row, and the same in Node and in Python");
process.exitCode = failed.length === 0 ? 0 : 1;
