// The package in a bundle for Node: `node rows/bundled.mjs PROJECT`. A bundler leaves the file of the full module behind, so
// a schema that needs it takes the entry with the full module inside.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { build } from "esbuild";

const [project] = process.argv.slice(2);

for (const format of ["esm", "cjs"]) {
  for (const [name, check] of [
    ["toolmend", "checkLeftBehind"],
    ["toolmend/full", "checkAtOnce"],
  ]) {
    const outfile = join(project, "sites", `bundled-${format}`, `${check}.${format === "esm" ? "mjs" : "cjs"}`);
    const contents = `import * as toolmend from "${name}"; import { ${check} } from "./check.mjs"; ${check}(toolmend);`;
    await build({ stdin: { contents, resolveDir: project }, bundle: true, platform: "node", format, outfile });
    execFileSync(process.execPath, [outfile], { stdio: "inherit" });
  }
}
