// Tests what users install: the packed tarball, in a project of its own, by `import` and by `require`.
// `node scripts/test.mjs [tarball] [-- more arguments for node --test]`

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
/** Paths that were given are relative to where npm was called. */
const at = (path) => resolve(process.env.INIT_CWD ?? ".", path);
const [given, ...more] = process.argv.slice(2).filter((argument) => argument !== "--");
const project = mkdtempSync(join(tmpdir(), "toolmend-packed-"));
process.on("exit", () => rmSync(project, { recursive: true, force: true }));

const tarball = given ? at(given) : pack();
install();
let failed = false;
for (const entry of ["import", "require"]) {
  run(`tests by ${entry}`, ["--test", ...more, ...tests()], {
    TOOLMEND_ENTRY: entry,
    TOOLMEND_CASES: at(process.env.TOOLMEND_CASES ?? resolve(root, "..", "tests", "cases")),
    ...(process.env.TOOLMEND_OUTCOMES ? { TOOLMEND_OUTCOMES: at(process.env.TOOLMEND_OUTCOMES) } : {}),
  });
}
run("README", [readme()]);
for (const resolution of ["node16", "bundler"]) {
  run(`types with ${resolution}`, [bin("typescript", "bin/tsc"), "-p", typeProject(resolution)]);
}
// The entries of workers and edges, and that of the AI SDK, are for `import` alone.
run("publint", [bin("publint", "src/cli.js"), tarball, "--strict"]);
run("are the types wrong", [
  bin("@arethetypeswrong/cli", "dist/index.js"),
  tarball,
  "--profile=node16",
  ...["./workerd", "./edge", "./ai-sdk"].map((entry) => `--exclude-entrypoints=${entry}`),
  "--no-emoji",
]);
process.exitCode = failed ? 1 : 0;

function pack() {
  const told = execFileSync("npm", ["pack", "--json", "--pack-destination", project], { cwd: root, encoding: "utf8" });
  return join(project, JSON.parse(told)[0].filename);
}

function install() {
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--offline", "--no-audit", "--no-fund", "--no-package-lock"];
  execFileSync("npm", ["install", ...options, tarball], { cwd: project, stdio: "inherit" });
  for (const name of ["fast-check", "zod", "esbuild", "@types"]) {
    symlinkSync(join(modules, name), join(project, "node_modules", name));
  }
  cpSync(join(root, "test"), join(project, "test"), { recursive: true });
}

function tests() {
  return readdirSync(join(project, "test"))
    .filter((file) => file.endsWith(".test.mjs"))
    .map((file) => join("test", file));
}

/** The code of README, as one module a block. */
function readme() {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const blocks = [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
  mkdirSync(join(project, "readme"));
  blocks.forEach((code, index) => {
    writeFileSync(join(project, "readme", `${index}.mjs`), code);
  });
  const all = join(project, "readme", "all.mjs");
  writeFileSync(all, blocks.map((_, index) => `import "./${index}.mjs";\n`).join(""));
  return all;
}

function typeProject(resolution) {
  const file = join(project, `tsconfig.${resolution}.json`);
  const settings =
    resolution === "bundler"
      ? { module: "esnext", moduleResolution: "bundler", lib: ["esnext", "dom"], include: ["test/types/*.ts"] }
      : { module: "node16", moduleResolution: "node16", lib: ["es2022", "dom"], include: ["test/types/consumer.*"] };
  const { include, ...compilerOptions } = settings;
  const common = { target: "es2022", strict: true, exactOptionalPropertyTypes: true, noEmit: true };
  writeFileSync(file, JSON.stringify({ compilerOptions: { ...common, types: [], ...compilerOptions }, include }));
  return file;
}

function bin(name, file) {
  return join(modules, name, file);
}

function run(what, argv, environment = {}) {
  console.log(`\n# ${what}`);
  const { status } = spawnSync(process.execPath, argv, {
    cwd: project,
    env: { ...process.env, ...environment },
    stdio: "inherit",
  });
  failed ||= status !== 0;
}
