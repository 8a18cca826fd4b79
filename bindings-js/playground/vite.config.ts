import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exports } from "resolve.exports";
import { defineConfig, type Plugin } from "vite";

import { HEADERS, META_CSP } from "./build/csp.js";
import { examples } from "./build/gallery.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The package as it was built, by its own `exports`: the page tests what users get. */
function built(): string {
  const [entry] = exports(JSON.parse(readFileSync(at("../package.json"), "utf8")), ".", { browser: true }) ?? [];
  if (entry === undefined) {
    throw new Error("the package has no entry for browsers");
  }
  return at(`../${entry}`);
}

function gallery(): Plugin {
  const id = "virtual:gallery";
  return {
    name: "gallery",
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) =>
      source === `\0${id}`
        ? `export default ${JSON.stringify(examples(new URL("../../tests/cases/", import.meta.url)))}`
        : undefined,
  };
}

/** Only in what is built: Vite's development server brings scripts of its own into the page. */
function csp(): Plugin {
  return {
    name: "csp",
    apply: "build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: META_CSP }, injectTo: "head-prepend" },
    ],
  };
}

/** The page's own code is asked for with the page: what loads it comes first, and is small. */
function preloads(): Plugin {
  return {
    name: "preloads",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) =>
        Object.values(bundle ?? {})
          .filter((file) => file.type === "chunk" && file.facadeModuleId === at("./src/main.ts"))
          .map(({ fileName }) => ({
            tag: "link",
            attrs: { rel: "modulepreload", href: `./${fileName}` },
            injectTo: "head" as const,
          })),
    },
  };
}

export default defineConfig({
  root: at("."),
  // Relative: the page may lie under any path.
  base: "./",
  resolve: { alias: { toolmend: built() } },
  plugins: [gallery(), csp(), preloads()],
  worker: { format: "es" },
  build: {
    outDir: at("../../target/playground"),
    emptyOutDir: true,
    target: "es2022",
    // Nothing as a `data:` URL, which the policy forbids, and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The full validator and the tokenizer's ranks are large, and loaded only when they are needed.
    chunkSizeWarningLimit: 8_000,
  },
  preview: { headers: HEADERS },
});
