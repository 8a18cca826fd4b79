// The package in Cloudflare's own runtime: `node rows/workerd.mjs PROJECT [CONDITION|SPECIFIER]`: bundled as wrangler does
// it, with the condition `workerd` or by the subpath.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";
import workerd from "workerd";

const [project, how] = process.argv.slice(2);
const site = join(project, "sites", `workerd-${how}`);
mkdirSync(site, { recursive: true });

await build({
  absWorkingDir: project,
  entryPoints: ["worker.js"],
  bundle: true,
  format: "esm",
  outfile: join(site, "worker.js"),
  conditions: how === "condition" ? ["workerd", "worker", "browser"] : [],
  alias: how === "subpath" ? { toolmend: "toolmend/workerd" } : {},
  loader: { ".wasm": "copy" },
});
const modules = readdirSync(site).filter((file) => file.endsWith(".wasm"));
const config = join(site, "config.capnp");
writeFileSync(
  config,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "worker", esModule = embed "worker.js"),
      ${modules.map((file) => `(name = "${file}", wasm = embed "${file}"),`).join("\n")}
    ],
    compatibilityDate = "2025-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
);

// It tells the port of its own choice by file descriptor 3.
const server = spawn(workerd.default ?? workerd, ["serve", config, "--control-fd=3"], {
  stdio: ["ignore", "inherit", "inherit", "pipe"],
});
const port = await new Promise((resolve, reject) => {
  server.on("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
  server.stdio[3].on("data", (data) => {
    for (const line of String(data).split("\n").filter(Boolean)) {
      const { event, port } = JSON.parse(line);
      if (event === "listen") resolve(port);
    }
  });
});
try {
  const found = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  if (found !== "right") throw new Error(found);
} finally {
  server.removeAllListeners("exit");
  server.kill();
}
