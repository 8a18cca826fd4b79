// The package in Vercel's edge runtime: `node rows/edge.mjs PROJECT condition|subpath`. The runtime takes one script; as
// Vercel's build does it, the modules that the script imports by `?module` are compiled before and are globals of it.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { EdgeRuntime } from "edge-runtime";
import { build } from "esbuild";

const [project, how] = process.argv.slice(2);
const modules = {};
const compiled = {
  name: "compiled",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.wasm\?module$/ }, ({ path, importer }) => ({
      path: join(dirname(importer), path.replace("?module", "")),
      namespace: "compiled",
    }));
    onLoad({ filter: /.*/, namespace: "compiled" }, ({ path }) => {
      const name = `wasm_${Object.keys(modules).length}`;
      modules[name] = new WebAssembly.Module(readFileSync(path));
      return { contents: `export default ${name};` };
    });
  },
};

const { outputFiles } = await build({
  absWorkingDir: project,
  stdin: {
    contents:
      'import worker from "./worker.js"; addEventListener("fetch", (e) => e.respondWith(worker.fetch(e.request)));',
    resolveDir: project,
  },
  bundle: true,
  write: false,
  conditions: how === "condition" ? ["edge-light", "worker", "browser"] : [],
  alias: how === "subpath" ? { toolmend: "toolmend/edge" } : {},
  plugins: [compiled],
});
if (Object.keys(modules).length !== 2) throw new Error("the entry of the edge was not found");
const runtime = new EdgeRuntime({
  initialCode: outputFiles[0].text,
  extend: (context) => Object.assign(context, modules),
});
const found = await (await runtime.dispatchFetch("http://edge/")).text();
if (found !== "right") throw new Error(found);
