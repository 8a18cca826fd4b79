// A route on the edge runtime of Next: `node rows/next.mjs PROJECT webpack|turbopack`, which is what it is built with. Next
// sets the condition `edge-light`, and compiles what is imported by `?module`.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const [project, bundler] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const site = join(project, "sites", `next-${bundler}`);
rmSync(site, { recursive: true, force: true });
for (const [from, to] of [
  ["route.js", "app/verdict/route.js"],
  ["next.config.mjs", "next.config.mjs"],
]) {
  cpSync(join(import.meta.dirname, "../next", from), join(site, to));
}
cpSync(join(project, "check.mjs"), join(site, "check.mjs"));
mkdirSync(join(site, "node_modules"));
symlinkSync(join(project, "node_modules/toolmend"), join(site, "node_modules/toolmend"));
for (const name of ["next", "react", "react-dom"]) {
  symlinkSync(realpathSync(dirname(require.resolve(`${name}/package.json`))), join(site, "node_modules", name));
}

const next = join(site, "node_modules/next/dist/bin/next");
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
execFileSync(process.execPath, [next, "build", `--${bundler}`], { cwd: site, env, stdio: "inherit" });
const server = spawn(process.execPath, [next, "start", "-p", "0", "-H", "127.0.0.1"], { cwd: site, env });
const url = await new Promise((resolve, reject) => {
  let told = "";
  server.on("exit", () => reject(new Error(`Next did not start: ${told}`)));
  server.stdout.on("data", (data) => {
    told += data;
    const [found] = told.includes("Ready") ? (told.match(/http:\/\/127\.0\.0\.1:\d+/) ?? []) : [];
    if (found) resolve(found);
  });
});
try {
  const found = await (await fetch(`${url}/verdict`)).text();
  if (found !== "right") throw new Error(found);
} finally {
  server.removeAllListeners("exit");
  server.kill();
}
