// Tests the adapters of the packed tarball against the real frameworks: `node scripts/test-agents.mjs [tarball]`, after
// `npm ci` in test-agents/.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const agents = join(root, "test-agents");
const [given, ...more] = process.argv.slice(2).filter((argument) => argument !== "--");
const project = mkdtempSync(join(tmpdir(), "toolmend-agents-"));
/** Plain `toolmend`, where no framework is found. */
const alone = mkdtempSync(join(tmpdir(), "toolmend-alone-"));
process.on("exit", () => {
  for (const folder of [project, alone]) {
    rmSync(folder, { recursive: true, force: true });
  }
});

install(given ? resolve(process.env.INIT_CWD ?? ".", given) : pack());
examples();
let failed = false;
run("tests of the adapters", ["--test", ...more, ...tests("test"), ...tests("docs")]);
run("tests of the AI SDK's adapter with version 6", ["--test", ...more, join("v6", "test", "ai-sdk.test.mjs")]);
run("types of the adapters", [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "types"]);
process.exitCode = failed ? 1 : 0;

function pack() {
  const told = execFileSync("npm", ["pack", "--json", "--pack-destination", project], { cwd: root, encoding: "utf8" });
  return join(project, JSON.parse(told)[0].filename);
}

/** The package beside links to the frameworks: both are found from here, and the package finds the frameworks. */
function install(tarball) {
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--offline", "--no-audit", "--no-fund", "--no-package-lock"];
  execFileSync("npm", ["install", ...options, tarball], { cwd: project, stdio: "inherit" });
  const installed = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
  if (installed.join() !== "toolmend") {
    throw new Error(`the package brought others along: ${installed}`);
  }
  cpSync(join(project, "node_modules"), join(alone, "node_modules"), { recursive: true });
  const modules = join(agents, "node_modules");
  for (const name of readdirSync(modules)) {
    const scoped = name.startsWith("@") ? readdirSync(join(modules, name)).map((part) => join(name, part)) : [name];
    for (const each of name.startsWith(".") ? [] : scoped) {
      mkdirSync(dirname(join(project, "node_modules", each)), { recursive: true });
      symlinkSync(join(modules, each), join(project, "node_modules", each));
    }
  }
  for (const folder of ["test", "types"]) {
    cpSync(join(agents, folder), join(project, folder), { recursive: true });
  }
  // The same where `ai` is another version.
  const older = join(project, "v6");
  cpSync(join(alone, "node_modules"), join(older, "node_modules"), { recursive: true });
  symlinkSync(join(modules, "ai-v6"), join(older, "node_modules", "ai"));
  cpSync(join(agents, "test"), join(older, "test"), { recursive: true });
}

/** Every block of code in the pages, as a test. */
function examples() {
  const docs = join(root, "docs");
  mkdirSync(join(project, "docs"));
  for (const page of readdirSync(docs)) {
    const blocks = [...readFileSync(join(docs, page), "utf8").matchAll(/```js\n([\s\S]*?)```/g)];
    blocks.forEach(([, code], index) => {
      writeFileSync(join(project, "docs", `${basename(page, ".md")}-${index}.test.mjs`), code);
    });
  }
}

function tests(folder) {
  return readdirSync(join(project, folder))
    .filter((file) => file.endsWith(".test.mjs"))
    .map((file) => join(folder, file));
}

function run(what, argv) {
  console.log(`\n# ${what}`);
  const { status } = spawnSync(process.execPath, argv, {
    cwd: project,
    env: {
      ...process.env,
      TOOLMEND_ALONE: alone,
      // Nothing is sent anywhere.
      OPENAI_AGENTS_DISABLE_TRACING: "1",
      MASTRA_TELEMETRY_DISABLED: "1",
      LANGSMITH_TRACING: "false",
    },
    stdio: "inherit",
  });
  failed ||= status !== 0;
}
