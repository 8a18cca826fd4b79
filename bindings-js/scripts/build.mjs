// Makes dist/ from the generated bindings: `node scripts/build.mjs [pkg]`.
//
// The steps before this one, from the root of the workspace, once for the module `small` and once for `full`:
//   1. cargo build -p toolmend-js [--features full] --profile wasm --target wasm32-unknown-unknown
//   2. wasm-bindgen (the library `wasm-bindgen-cli-support` of the version in Cargo.lock), for the web, without a
//      default path of the module: toolmend_js.js and toolmend_js_bg.wasm in bindings-js/pkg/small or pkg/full
// And after it: `npm pack`.
//
//   dist/cjs/node.js          names what ./core.js exports
//   dist/cjs/core.js          reads ../esm/toolmend.wasm and ../esm/toolmend-full.wasm
//   dist/{esm,cjs}/inline.js  for browsers: the full one is a chunk of its own
//   dist/{esm,cjs}/full.js    imports that chunk: nothing is loaded later
//   dist/esm/workerd.js       imports ./toolmend.wasm and ./toolmend-full.wasm
//   dist/esm/edge.js          imports ./toolmend.wasm?module and ./toolmend-full.wasm?module
//   dist/{esm,cjs}/adapters   an entry for each framework
//   dist/{esm,cjs}/*.d.ts     the types, once for each kind

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const pkg = resolve(process.argv[2] ?? join(root, "pkg"));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

/** What Rust's target has on by default. With `--all-features` binaryen uses proposals that Node 20 does not know. */
const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/** The entries that import the modules, and what stands behind the file's name there. */
const IMPORTED = { workerd: "", edge: "?module" };

/** The adapters of frameworks. The AI SDK is for `import` alone. */
const ADAPTERS = {
  "ai-sdk": ["esm"],
  langchain: ["esm", "cjs"],
  mastra: ["esm", "cjs"],
  mcp: ["esm", "cjs"],
  "openai-agents": ["esm", "cjs"],
  telemetry: ["esm", "cjs"],
};

const SIZES = ["small", "full"];
const wasm = Object.fromEntries(SIZES.map((size) => [size, optimized(join(pkg, size, "toolmend_js_bg.wasm"))]));
const glue = (await Promise.all(SIZES.map((size) => factory(size, join(pkg, size, "toolmend_js.js"))))).join("\n");

rmSync(dist, { recursive: true, force: true });
for (const format of ["esm", "cjs"]) {
  mkdirSync(join(dist, format), { recursive: true });
}
// The package is of type `module`: what is for `require` says otherwise, for Node and for TypeScript.
writeFileSync(join(dist, "cjs", "package.json"), '{ "type": "commonjs" }\n');
copyFileSync(wasm.small, join(dist, "esm", "toolmend.wasm"));
copyFileSync(wasm.full, join(dist, "esm", "toolmend-full.wasm"));
for (const license of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  copyFileSync(join(root, "..", license), join(dist, license));
}
for (const format of ["esm", "cjs"]) {
  for (const entry of ["inline", "full"]) {
    await bundle(entry, format);
  }
  chunk("full", format);
}
await bundle("node", "cjs", "core");
names("node", "core");
chunk("small", "cjs");
await bundle("workerd", "esm");
await bundle("edge", "esm");
for (const [name, formats] of Object.entries(ADAPTERS)) {
  for (const format of formats) {
    await adapter(name, format);
  }
}
types();

/** The module after `wasm-opt`, which takes half a minute: kept for the next build of the same module. */
function optimized(input) {
  const options = [
    "-Oz",
    // Functions with one caller stay functions unless they are small. V8 compiles function by function, on the first call,
    // and gives a hot one to its optimizing compiler, whose work on a function of 30 kB a process waits for when it ends.
    "--one-caller-inline-max-function-size=100",
    "--strip-debug",
    "--strip-producers",
    ...FEATURES.map((feature) => `--enable-${feature}`),
  ];
  const hash = createHash("sha256").update(readFileSync(input)).update(options.join()).digest("hex").slice(0, 16);
  const cache = join(root, "node_modules", ".cache", "toolmend");
  const output = join(cache, `${hash}.wasm`);
  if (!existsSync(output)) {
    mkdirSync(cache, { recursive: true });
    const wasmOpt = join(dirname(require.resolve("binaryen/package.json")), "bin", "wasm-opt");
    const partial = `${output}.partial`;
    execFileSync(process.execPath, [wasmOpt, ...options, input, "-o", partial], { stdio: "inherit" });
    renameSync(partial, output);
  }
  return output;
}

/**
 * The generated JavaScript as a factory. As it comes it holds one instance for ever; an instance that trapped must be
 * replaced, state of the JavaScript around it included.
 */
async function factory(size, input) {
  const calls =
    "reserve, compile, release, hints, fingerprint, rules, plain, repair, wire, json, patch, log, digest, feedback, " +
    "definitions, unknown, attempts, decide, accept, lists";
  const name = `${size[0].toUpperCase()}${size.slice(1)}`;
  // The parts that the generator's own functions to start a module are made of: those bring `fetch` along. The version of
  // the generator is pinned.
  const opened = {
    name: "opened",
    setup({ onLoad }) {
      onLoad({ filter: /toolmend_js\.js$/ }, ({ path }) => ({
        contents: `${readFileSync(path, "utf8")}\nexport { __wbg_get_imports as imports, __wbg_finalize_init as finish };`,
      }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: `export { imports, finish, ${calls} } from ${JSON.stringify(input)};`, resolveDir: root },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "glue",
    target: "es2022",
    plugins: [opened],
    logLevel: "warning",
  });
  const random = "globalThis.crypto.getRandomValues(";
  const code = outputFiles[0].text;
  // Seeds of hash tables are all that is asked for. Workers have no randomness while they start, when tools are compiled.
  const patched = code.replaceAll(random, "fillRandom(");
  return `
    function glue${name}() {
      ${patched.replaceAll("fillRandom(", `fillRandom${name}(`)}
      return glue;
    }
    function started${name}(glue, instance, module) {
      const { memory } = glue.finish(instance, module);
      return { ...glue, memory };
    }
    export function instantiate${name}(module) {
      const glue = glue${name}();
      return started${name}(glue, new WebAssembly.Instance(module, glue.imports()), module);
    }
    export async function start${name}(module) {
      const glue = glue${name}();
      return started${name}(glue, await WebAssembly.instantiate(module, glue.imports()), module);
    }
    function fillRandom${name}(bytes) {
      try {
        globalThis.crypto.getRandomValues(bytes);
      } catch {
        bytes.set(bytes.map(() => Math.random() * 256));
      }
    }
  `;
}

async function bundle(entry, format, output = entry) {
  const source = entry in IMPORTED ? "imported" : entry;
  const virtual = {
    name: "toolmend",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^toolmend:module$/ }, () => ({ path: join(root, "ts", `module-${source}.ts`) }));
      onResolve({ filter: /^toolmend:(glue|small)$/ }, ({ path }) => ({ path, namespace: "toolmend" }));
      // A file of its own, which a page loads when it needs it.
      onResolve({ filter: /^toolmend:full$/ }, () => ({ path: "./full-module.js", external: true }));
      onResolve({ filter: /small-module\.js$/ }, ({ path }) => ({ path, external: true }));
      onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: `${path}${IMPORTED[entry]}`, external: true }));
      onLoad({ filter: /glue$/, namespace: "toolmend" }, () => ({ contents: glue, loader: "js" }));
      onLoad({ filter: /:small$/, namespace: "toolmend" }, () => ({
        contents: readFileSync(wasm.small),
        loader: "base64",
      }));
    },
  };
  await build({
    entryPoints: [join(root, "ts", "index.ts")],
    outfile: join(dist, format, `${output}.js`),
    bundle: true,
    format,
    target: "es2022",
    platform: entry === "node" ? "node" : "neutral",
    plugins: [virtual],
    logLevel: "warning",
  });
}

/**
 * The entry of a file for `require`, with its names one by one. Node looks through what a program imports for the names,
 * before it runs it: that takes 20 ms for the file itself, and nothing for this one.
 */
function names(entry, file) {
  const exported = Object.keys(require(join(dist, "cjs", `${file}.js`)));
  const lines = exported.map((name) => `exports.${name} = ${file}.${name};\n`);
  writeFileSync(
    join(dist, "cjs", `${entry}.js`),
    `"use strict";\nconst ${file} = require("./${file}.js");\n${lines.join("")}`,
  );
}

/** An adapter: `toolmend` itself is imported, and the framework, which may not be there. */
async function adapter(name, format) {
  const frameworks = {
    name: "frameworks",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^toolmend:framework\// }, ({ path }) => ({ path, namespace: "framework" }));
      onResolve({ filter: /^toolmend$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /.*/, namespace: "framework" }, ({ path }) => {
        const framework = path.slice("toolmend:framework/".length);
        const error = `new Error("toolmend/${name} needs ${framework}: npm install ${framework}", { cause })`;
        const contents =
          format === "esm"
            ? `export const framework = await import("${framework}").catch((cause) => { throw ${error}; });`
            : `try { exports.framework = require("${framework}"); } catch (cause) { throw ${error}; }`;
        return { contents, loader: "js", resolveDir: root };
      });
      onResolve({ filter: /.*/, namespace: "framework" }, ({ path }) => ({ path, external: true }));
    },
  };
  await build({
    entryPoints: [join(root, "ts", "adapters", `${name}.ts`)],
    outfile: join(dist, format, "adapters", `${name}.js`),
    bundle: true,
    format,
    target: "es2022",
    // For Node the names of what is exported are noted so that `import` finds them.
    platform: format === "cjs" ? "node" : "neutral",
    plugins: [frameworks],
    logLevel: "warning",
  });
}

/** A module as a file of its own. By name: what `default` is differs where a page gets the chunk for `require`. */
function chunk(size, format) {
  const name = format === "cjs" ? "exports.base64" : "export const base64";
  const base64 = readFileSync(wasm[size]).toString("base64");
  writeFileSync(join(dist, format, `${size}-module.js`), `${name} = "${base64}";\n`);
}

function types() {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const options = ["-p", root, "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir"];
  const all = join(dist, "types");
  execFileSync(process.execPath, [tsc, ...options, all], { stdio: "inherit" });
  const agent = ["attempts", "core", "guards", "toolbox"].map((file) => `agent/${file}`);
  for (const file of ["index", "contract", "errors", "lists", "types", ...agent]) {
    for (const format of ["esm", "cjs"]) {
      cpSync(join(all, `${file}.d.ts`), join(dist, format, `${file}.d.ts`));
    }
  }
  for (const format of ["esm", "cjs"]) {
    const shared = ["shared", "mcp-tools", "ai-sdk-runs"];
    const adapters = Object.keys(ADAPTERS).filter((name) => ADAPTERS[name].includes(format));
    for (const file of [...adapters, ...shared]) {
      cpSync(join(all, "adapters", `${file}.d.ts`), join(dist, format, "adapters", `${file}.d.ts`));
    }
  }
  rmSync(all, { recursive: true });
}
