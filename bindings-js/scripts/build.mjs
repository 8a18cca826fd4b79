// Makes dist/ from the generated bindings: `node scripts/build.mjs [pkg]`.
//
// The steps before this one, from the root of the workspace:
//   1. cargo build -p toolmend-js --profile wasm --target wasm32-unknown-unknown
//   2. wasm-bindgen (the library `wasm-bindgen-cli-support` of the version in Cargo.lock), for the web, without a
//      default path of the module: toolmend_js.js and toolmend_js_bg.wasm in bindings-js/pkg
// And after it: `npm pack`.
//
//   dist/esm/inline.js     the module inside as base64     dist/cjs/inline.js     the same for `require`
//   dist/esm/workerd.js    imports ./toolmend.wasm         dist/{esm,cjs}/*.d.ts  the types, once for each kind

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

const wasm = optimized(join(pkg, "toolmend_js_bg.wasm"));
const glue = await factory(join(pkg, "toolmend_js.js"));

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "esm"), { recursive: true });
mkdirSync(join(dist, "cjs"), { recursive: true });
copyFileSync(wasm, join(dist, "esm", "toolmend.wasm"));
for (const license of ["LICENSE-MIT", "LICENSE-APACHE"]) {
  copyFileSync(join(root, "..", license), join(dist, license));
}
await bundle("inline", "esm");
await bundle("inline", "cjs");
await bundle("workerd", "esm");
types();
// The package is of type `module`: what is for `require` says otherwise, for Node and for TypeScript.
writeFileSync(join(dist, "cjs", "package.json"), '{ "type": "commonjs" }\n');

/** The module after `wasm-opt`, which takes half a minute: kept for the next build of the same module. */
function optimized(input) {
  const options = ["-Oz", "--strip-debug", "--strip-producers", ...FEATURES.map((feature) => `--enable-${feature}`)];
  const hash = createHash("sha256").update(readFileSync(input)).update(options.join()).digest("hex").slice(0, 16);
  const cache = join(root, "node_modules", ".cache", "toolmend");
  const output = join(cache, `${hash}.wasm`);
  if (!existsSync(output)) {
    rmSync(cache, { recursive: true, force: true });
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
async function factory(input) {
  const names = "initSync, reserve, compile, release, hints, rules, repair, wire, json, patch, log, feedback, lists";
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from ${JSON.stringify(input)};`, resolveDir: root },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "glue",
    target: "es2022",
    logLevel: "warning",
  });
  const random = "globalThis.crypto.getRandomValues(";
  const code = outputFiles[0].text;
  // Seeds of hash tables are all that is asked for. Workers have no randomness while they start, when tools are compiled.
  const patched = code.replaceAll(random, "fillRandom(");
  return `
    export function instantiate(module) {
      ${patched}
      const { memory } = glue.initSync({ module });
      return { ...glue, memory };
    }
    function fillRandom(bytes) {
      try {
        globalThis.crypto.getRandomValues(bytes);
      } catch {
        bytes.set(bytes.map(() => Math.random() * 256));
      }
    }
  `;
}

async function bundle(entry, format) {
  const virtual = {
    name: "toolmend",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^toolmend:module$/ }, () => ({ path: join(root, "ts", `module-${entry}.ts`) }));
      onResolve({ filter: /^toolmend:(glue|base64)$/ }, ({ path }) => ({ path, namespace: "toolmend" }));
      onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /glue$/, namespace: "toolmend" }, () => ({ contents: glue, loader: "js" }));
      onLoad({ filter: /base64$/, namespace: "toolmend" }, () => ({ contents: readFileSync(wasm), loader: "base64" }));
    },
  };
  await build({
    entryPoints: [join(root, "ts", "index.ts")],
    outfile: join(dist, format, `${entry}.js`),
    bundle: true,
    format,
    target: "es2022",
    platform: "neutral",
    plugins: [virtual],
    logLevel: "warning",
  });
}

function types() {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");
  const options = ["-p", root, "--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir"];
  const all = join(dist, "types");
  execFileSync(process.execPath, [tsc, ...options, all], { stdio: "inherit" });
  for (const file of ["index", "contract", "errors", "lists", "types"]) {
    for (const format of ["esm", "cjs"]) {
      cpSync(join(all, `${file}.d.ts`), join(dist, format, `${file}.d.ts`));
    }
  }
  rmSync(all, { recursive: true });
}
