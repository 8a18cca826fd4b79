// The hosts that are measured, and processes in them.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ADAPTERS } from "./node/adapters.mjs";

export const OURS = "toolmend";

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const python = process.env.TOOLMEND_PYTHON;

/** An adapter runs without eval where that is said of it: V8 then refuses to make code from text. */
const flags = (adapter) => (ADAPTERS[adapter].evalFree ? ["--disallow-code-generation-from-strings"] : []);

const versionInNode = (name) =>
  name && JSON.parse(readFileSync(file(`node_modules/${name}/package.json`), "utf8")).version;

/** Each host: its version, how a program of its folder is started, its adapters, and the floor that needs no package. */
export const HOSTS = {
  node: {
    version: () => process.version,
    start: (program, adapter, ...rest) => [
      process.execPath,
      [...flags(adapter), file(`node/${program}.mjs`), adapter, ...rest],
    ],
    adapters: () =>
      Object.fromEntries(
        Object.entries(ADAPTERS).map(([name, { floor, package: of }]) => [
          name,
          { floor: floor === true, version: versionInNode(of) },
        ]),
      ),
    floor: "JSON.parse",
  },
  python: {
    version: () => execFileSync(python, ["--version"], { encoding: "utf8" }).trim(),
    start: (program, ...rest) => [python, [file(`python/${program}.py`), ...rest]],
    adapters: () => JSON.parse(execFileSync(python, [file("python/adapters.py")], { encoding: "utf8" })),
    floor: "json.loads",
  },
};

/** One adapter in a process of its own. */
export class Worker {
  #process;
  #answers;

  constructor(host, adapter) {
    const [program, options] = HOSTS[host].start("worker", adapter);
    this.name = `${host} ${adapter}`;
    this.#process = spawn(program, options, { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async ask(what, request = {}) {
    this.#process.stdin.write(`${JSON.stringify({ what, ...request })}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the worker ${this.name} has died`);
    return JSON.parse(value);
  }

  stop() {
    this.#process.stdin.end();
  }
}

/** Runs a process that begins cold: the milliseconds until it has ended, and what it says. */
export function cold(host, adapter, ...paths) {
  const [program, options] = HOSTS[host].start("cold", adapter, ...paths);
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(program, options, { encoding: "utf8" });
  const processMs = performance.now() - start;
  if (status !== 0) throw new Error(`${host} ${adapter}, cold: ${stderr}`);
  return { processMs, ...(stdout && JSON.parse(stdout)) };
}

/** What else runs on the machine only ever adds to a time. */
export const fastest = (times) => Math.min(...times);

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
