// `cargo xtask demo`: see README.md.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { callTool, withServers } from "./servers.mjs";

const { compile } = createRequire(import.meta.url)(process.env.TOOLMEND_NPM);
const verbose = process.env.TOOLMEND_VERBOSE === "1";
const calls = JSON.parse(await readFile(new URL("calls.json", import.meta.url), "utf8"));

/** The texts as they came: what is JSON is sent. */
async function before(servers) {
  const results = [];
  for (const { server, tool, text } of calls) {
    let args;
    try {
      args = JSON.parse(text);
    } catch (error) {
      results.push({ ok: false, sent: false, answer: error.message });
      continue;
    }
    results.push({ sent: true, ...(await callTool(servers.get(server), tool, args)) });
  }
  return results;
}

/** The definition of the tool as the server lists it. */
function definition(servers, { server, tool }) {
  const { name, inputSchema } = servers.get(server).tools.get(tool);
  return { name, inputSchema };
}

/** How the call's tool is compiled. */
const options = ({ policy, undeclared = "warn" }) => ({ policy, undeclared });

/** What the wheel says to every call. */
function inPython(servers) {
  const input = calls.map((call) => JSON.stringify({ tool: definition(servers, call), ...options(call), text: call.text }));
  const output = execFileSync(process.env.TOOLMEND_PYTHON, [new URL("boundary.py", import.meta.url).pathname], {
    input: `${input.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONUTF8: "1" },
  });
  return output.trim().split("\n").map((line) => JSON.parse(line));
}

/** Through the boundary: what is accepted is executed. */
async function after(servers) {
  const python = inPython(servers);
  const results = [];
  for (const [at, call] of calls.entries()) {
    const outcome = compile(definition(servers, call), options(call)).repair(call.text);
    const feedback = outcome.feedback();
    const result = { outcome, feedback, agreed: outcome.wire === python[at].wire && feedback === python[at].feedback };
    if (!result.agreed) result.python = python[at];
    if (outcome.ok) Object.assign(result, await callTool(servers.get(call.server), call.tool, outcome.value));
    results.push(result);
  }
  return results;
}

/** What is wrong with the end of a call, if anything is. */
function wrong(call, { outcome, ok, answer }) {
  const ended = { unchanged: "valid", repaired: "mended", refused: "refused" }[outcome.status];
  if (ended !== call.expect) return `${ended}, not ${call.expect}`;
  if (outcome.ok && !ok) return `the server refused it: ${answer}`;
  const rules = outcome.repairs.map(({ rule }) => rule).sort().join(" ");
  if (call.rules && rules !== [...call.rules].sort().join(" ")) return `mended by ${rules}, not by ${call.rules.join(" ")}`;
  if (call.code && !outcome.issues.some(({ code }) => code === call.code)) return `refused, but not as ${call.code}`;
  return undefined;
}

const oneLine = (text, width) => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};

/** The server's answer without what the protocol and the SDK put before it. */
const core = (answer) => answer.replace(/^MCP error -\d+: (Input validation error: Invalid arguments for tool [\w-]+: )?/, "");

function describe(at, call, first, then, fault) {
  const { outcome } = then;
  const came = first.ok ? `ran${call.astray ? `, but ${call.astray}` : ""}` : `${first.sent ? "server" : "client"}: ${oneLine(core(first.answer), 64)}`;
  const places = ({ rule, code, path }) => (path ? `${rule ?? code} ${path}` : (rule ?? code));
  const ended = {
    unchanged: () => `VALID -> ${oneLine(then.answer, 40)}`,
    repaired: () => `MENDED ${oneLine(outcome.repairs.map(places).join(", "), 100)} -> ${oneLine(then.answer, 40)}`,
    refused: () => `REFUSED ${oneLine(outcome.issues.map(places).join(", "), 100)}`,
  }[outcome.status]();
  console.log(`${String(at + 1).padStart(2)} ${call.tool} (${call.kind}; ${call.policy}${call.undeclared ? ", undeclared keys refused" : ""}) | ${came} | ${ended}`);
  if (verbose) {
    console.log(`     sent  ${JSON.stringify(call.text)}`);
    if (outcome.status === "repaired") console.log(`     ran   ${JSON.stringify(outcome.value)}`);
  }
  if (!outcome.ok) console.log(`     to the model: ${then.feedback.trim().replaceAll("\n", "\n       ")}`);
  for (const { code, path, hint } of outcome.warnings) console.log(`     warning: ${code} ${path}: ${hint}`);
  if (!then.agreed) {
    console.log(`     HOSTS DIFFER\n       node   ${outcome.wire}\n       python ${then.python.wire}`);
    if (then.feedback !== then.python.feedback) console.log(`       node   ${then.feedback}\n       python ${then.python.feedback}`);
  }
  if (fault) console.log(`     WRONG: ${fault}`);
}

const first = await withServers((servers) => before(servers));
const then = await withServers((servers) => {
  for (const [name, { version, tools }] of servers) console.log(`${name} ${version}: ${tools.size} tools (${oneLine([...tools.keys()].join(" "), 110)})`);
  console.log("\ncall (what is wrong with it; policy) | as it came | through the boundary\n");
  return after(servers);
});

const count = { failed: 0, astray: 0, valid: 0, mended: 0, refused: 0, wrong: 0, differ: 0 };
for (const [at, call] of calls.entries()) {
  const fault = wrong(call, then[at]);
  describe(at, call, first[at], then[at], fault);
  if (!first[at].ok) count.failed += 1;
  else if (call.astray) count.astray += 1;
  if (fault) count.wrong += 1;
  else count[call.expect] += 1;
  if (!then[at].agreed) count.differ += 1;
}
console.log(`
${calls.length} calls. As they came: ${count.failed} failed, ${count.astray} ran as something that was not meant, ${calls.length - count.failed - count.astray} ran.
Through the boundary: ${count.mended} mended and run, ${count.valid} valid and run, ${count.refused} refused with a reason, ${count.wrong} wrong.
Node and Python ${count.differ ? `DIFFER on ${count.differ} calls` : "agree on every byte of every outcome and feedback"}.`);
process.exitCode = count.wrong || count.differ ? 1 : 0;
