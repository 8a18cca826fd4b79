// The package in a real browser: `node rows/browser.mjs PROJECT ROW CHROMIUM`, where the project has it installed and the
// files of app/ beside it. Each row makes a site of them its own way; the page then says whether the answers are right.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { nodeResolve } from "@rollup/plugin-node-resolve";
import { build as esbuild } from "esbuild";
import { chromium } from "playwright-core";
import { rollup } from "rollup";
import * as vite from "vite";
import webpack from "webpack";

import { serve } from "./serve.mjs";

const [project, row, executablePath] = process.argv.slice(2);
const page = join(project, "page.js");

/** What makes the sites of a row: each gives the address of its page, and how to stop. */
const ROWS = {
  "vite build": [
    async (site) => {
      const build = { outDir: site, emptyOutDir: true, chunkSizeWarningLimit: 10_000 };
      await vite.build({ root: project, configFile: false, logLevel: "error", build });
      return serve(site);
    },
  ],
  "vite dev": [
    async (site) => {
      const options = { root: project, configFile: false, logLevel: "error", cacheDir: site };
      const server = await vite.createServer({ ...options, server: { port: 0, host: "127.0.0.1" } });
      await server.listen();
      return { url: server.resolvedUrls.local[0], close: () => server.close() };
    },
  ],
  webpack: [
    (site) =>
      packed(site, {
        entry: page,
        mode: "production",
        output: { path: site, filename: "page.js" },
        performance: { hints: false },
      }),
    (site) =>
      packed(site, {
        entry: page,
        mode: "development",
        devtool: false,
        output: { path: site, filename: "page.js" },
      }),
  ],
  esbuild: [
    (site) => built(site, { format: "esm", splitting: true, outdir: site }),
    // Without splitting everything is in one file.
    (site) => built(site, { format: "iife", outfile: join(site, "page.js") }),
  ],
  rollup: [(site) => rolled(site, nodeResolve({ browser: true })), (site) => rolled(site, nodeResolve())],
  // No bundler: the page says where the package lies.
  "plain script": [
    (site) => {
      cpSync(join(project, "node_modules/toolmend"), join(site, "toolmend"), { recursive: true });
      for (const file of ["page.js", "check.mjs"]) cpSync(join(project, file), join(site, file));
      const imports = { toolmend: "./toolmend/dist/esm/inline.js" };
      return serve(site, `<script type="importmap">${JSON.stringify({ imports })}</script>`);
    },
  ],
  // Chromium compiles at most 8 MB at once on the main thread, older ones 4 kB. The modules are smaller, so the page makes
  // them larger before the browser sees them: with a section of their own kind, which means nothing.
  "refusing browser": [
    (site) => {
      const refused = join(project, "refused.js");
      writeFileSync(refused, REFUSED);
      return built(site, { entryPoints: { page: refused }, format: "esm", splitting: true, outdir: site });
    },
  ],
};

const REFUSED = `
  const name = new TextEncoder().encode("padding");
  const size = 9 << 20;
  const head = [0, ...[0, 7, 14, 21].map((bits, at) => ((size >> bits) & 127) | (at < 3 ? 128 : 0)), name.length, ...name];
  const padded = (bytes) => {
    const all = new Uint8Array(bytes.length + 5 + size);
    all.set(bytes);
    all.set(head, bytes.length);
    return all;
  };
  WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: (Module, [bytes]) => new Module(padded(bytes)) });
  const { compile } = WebAssembly;
  WebAssembly.compile = (bytes) => compile(padded(bytes));
  const toolmend = await import("toolmend");
  const { checkRefusing } = await import("./check.mjs");
  globalThis.verdict = checkRefusing(toolmend).then(() => "right", (error) => error.stack);
`;

async function built(site, options) {
  const { warnings } = await esbuild({
    entryPoints: { page },
    bundle: true,
    minify: true,
    target: "es2022",
    logLevel: "error",
    ...("outfile" in options ? { entryPoints: [page] } : {}),
    ...options,
  });
  if (warnings.length > 0) throw new Error(warnings[0].text);
  return serve(site);
}

async function packed(site, options) {
  const stats = await new Promise((resolve, reject) => {
    webpack({ context: project, ...options }, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  const [told] = [...errors, ...warnings];
  if (told) throw new Error(told.message);
  return serve(site);
}

async function rolled(site, resolver) {
  const onwarn = ({ message }) => {
    throw new Error(message);
  };
  const bundle = await rollup({ input: page, plugins: [resolver], onwarn });
  await bundle.write({ dir: site, format: "es" });
  await bundle.close();
  return serve(site);
}

async function verdict(browser, url) {
  const tab = await browser.newPage();
  const faults = [];
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("requestfailed", (request) => faults.push(`${request.url()}: ${request.failure()?.errorText}`));
  await tab.goto(url);
  try {
    await tab.waitForFunction(() => globalThis.verdict !== undefined, undefined, { timeout: 20_000 });
  } catch {
    return faults[0] ?? "the page gave no verdict";
  }
  return tab.evaluate(() => globalThis.verdict);
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const [index, make] of ROWS[row].entries()) {
    const site = join(project, "sites", `${row.replaceAll(" ", "-")}-${index}`);
    mkdirSync(site, { recursive: true });
    const { url, close } = await make(site);
    const found = await verdict(browser, url);
    await close();
    if (found !== "right") throw new Error(found);
  }
} finally {
  await browser.close();
}
