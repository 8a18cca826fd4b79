// What users download and install: `node scripts/size.mjs PACKAGE TARBALL WHEEL`, the first as it is installed.
//
// Fails if something is larger than its budget.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { build } from "esbuild";

/** The most that each may have, in kB of what is measured, and what is aimed at. */
const BUDGETS = [
  { what: "browser, first load", in: "gzip", most: 560, goal: 400 },
  { what: "all WebAssembly modules", in: "gzip", most: 1700 },
  { what: "npm tarball", in: "raw", most: 7200 },
  { what: "npm package, unpacked", in: "raw", most: 19_500 },
  { what: "wheel", in: "raw", most: 2500, goal: 2000 },
];

const [installed, tarball, wheel] = process.argv.slice(2).map((path) => resolve(path));

const compressed = (bytes) => ({
  raw: bytes.length,
  gzip: gzipSync(bytes, { level: 9 }).length,
  brotli: brotliCompressSync(bytes).length,
});

function total(sizes) {
  const sum = (way) => sizes.reduce((all, size) => all + size[way], 0);
  return { raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") };
}

function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** What a bundler makes of a use of the package for a browser: what is loaded with the page, and what on demand. */
async function bundled() {
  const project = mkdtempSync(join(tmpdir(), "toolmend-size-"));
  try {
    const entry = join(project, "entry.js");
    writeFileSync(entry, 'export { compile } from "toolmend";\n');
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      absWorkingDir: project,
      nodePaths: [dirname(installed)],
      outdir: join(project, "out"),
      bundle: true,
      minify: true,
      splitting: true,
      metafile: true,
      write: false,
      format: "esm",
      platform: "browser",
      loader: { ".wasm": "file" },
      logLevel: "error",
    });
    const bytes = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
    const first = loadedWith("out/entry.js", metafile.outputs);
    const size = (paths) => total(paths.map((path) => compressed(bytes.get(join(project, path)))));
    const later = Object.keys(metafile.outputs).filter((path) => !first.has(path));
    return { first: size([...first]), later: size(later) };
  } finally {
    rmSync(project, { recursive: true });
  }
}

/** An output of the bundler with all that it imports at once. */
function loadedWith(path, outputs, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind } of outputs[path].imports) {
    if (kind !== "dynamic-import" && outputs[imported] !== undefined) loadedWith(imported, outputs, found);
  }
  return found;
}

const files = filesOf(installed);
const modules = files.filter((path) => path.endsWith(".wasm"));
const moduleSizes = modules.map((path) => compressed(readFileSync(path)));
const { first, later } = await bundled();
const only = (bytes) => ({ raw: bytes });

const sizes = new Map([
  ...modules.map((path, at) => [path.slice(installed.length + 1), moduleSizes[at]]),
  ["all WebAssembly modules", total(moduleSizes)],
  ["browser, first load", first],
  ["browser, on demand", later],
  ["npm tarball", only(statSync(tarball).size)],
  ["npm package, unpacked", only(files.reduce((sum, path) => sum + statSync(path).size, 0))],
  ["wheel", only(statSync(wheel).size)],
]);

const budgets = new Map(BUDGETS.map((budget) => [budget.what, budget]));
const kilobytes = (bytes) => (bytes === undefined ? "" : String(Math.ceil(bytes / 1000)));
const cells = (name, ...rest) => console.log(name.padEnd(30) + rest.map((cell) => cell.padStart(12)).join(""));

cells("kB", "raw", "gzip", "brotli", "budget", "goal");
const passed = [];
for (const [name, size] of sizes) {
  const budget = budgets.get(name);
  const limit = budget === undefined ? "" : `${budget.most} ${budget.in}`;
  cells(name, ...["raw", "gzip", "brotli"].map((way) => kilobytes(size[way])), limit, String(budget?.goal ?? ""));
  if (budget !== undefined && size[budget.in] > budget.most * 1000) passed.push(name);
}
for (const name of passed) console.log(`PAST ITS BUDGET ${name}`);
process.exitCode = passed.length === 0 ? 0 : 1;
