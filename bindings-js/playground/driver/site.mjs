// The built page, served as a host would serve it, in a real browser. Whatever a page complains about fails its test.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";
import { preview } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
export const built = join(root, "../../target/playground");
const shots = process.env.TOOLMEND_SHOTS ?? join(root, "../../target/playground-shots");

/**
 * Starts the server under a path, with the headers that the page's own server sends or with none, and the browser; both
 * end with the test file.
 */
export async function start({ base = "/", hasHeaders = true } = {}) {
  const server = await preview({
    ...(hasHeaders ? { configFile: join(root, "vite.config.ts") } : { configFile: false, build: { outDir: built } }),
    root,
    base,
    logLevel: "error",
    preview: { host: "127.0.0.1", port: 0, strictPort: false },
  });
  const browser = await chromium.launch({
    executablePath: process.env.TOOLMEND_BROWSER ?? found(),
    // Containers run as root, where Chromium's sandbox does not start.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
  after(async () => {
    await browser.close();
    await server.close();
  });
  const { port } = server.httpServer.address();
  return new Site(browser, `http://127.0.0.1:${port}${base}`);
}

function found() {
  return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
}

class Site {
  constructor(browser, url) {
    this.browser = browser;
    this.url = url;
    this.origin = new URL(url).origin;
  }

  /**
   * Opens the page in a context of its own, does `work`, and fails if the page logged an error, broke its policy, or asked
   * any other origin for anything.
   */
  async visit(work, { path = "", allowed = [], prepare, ...options } = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const faults = [];
    try {
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: this.origin });
      await prepare?.(context);
      const page = await context.newPage();
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
          faults.push(`${message.type()}: ${message.text()}`);
        }
      });
      context.on("request", (request) => {
        if (new URL(request.url()).origin !== this.origin && !request.url().startsWith("blob:")) {
          faults.push(`request: ${request.url()}`);
        }
      });
      await page.addInitScript(observe);
      await page.goto(this.url + path);
      const result = await work(page, context);
      const violations = await page.evaluate(() => globalThis.observed.violations);
      faults.push(...violations.map((violation) => `policy: ${violation}`));
      assert.deepEqual(
        faults.filter((fault) => !allowed.some((known) => fault.includes(known))),
        [],
      );
      return result;
    } finally {
      await context.close();
    }
  }
}

/** Runs in the page before anything else. */
function observe() {
  const observed = { violations: [], tasks: [], shift: 0, paint: 0 };
  globalThis.observed = observed;
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    observed.violations.push(`${violatedDirective} ${blockedURI}`);
  });
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch("longtask", ({ startTime, duration }) => observed.tasks.push({ startTime, duration }));
  watch("largest-contentful-paint", ({ startTime }) => {
    observed.paint = startTime;
  });
  watch("layout-shift", ({ value, hadRecentInput }) => {
    observed.shift += hadRecentInput ? 0 : value;
  });
}

/** Waits until the answer to what is on the page says so. */
export async function answered(page, status, text = "") {
  await page
    .locator(`#result[data-status="${status}"][aria-busy="false"]`, { hasText: text })
    .waitFor({ timeout: 20_000 });
}

/** Replaces what is in an editor by a paste, as a visitor does it. */
export async function paste(page, editor, text) {
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
  await page.locator(`#${editor} .cm-content`).focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("ControlOrMeta+V");
}

export function choose(page, example) {
  return page.locator(`[data-name="${example}"]`).click();
}

/** The canonical arguments without what is gone. */
export function result(page) {
  return page.locator("pre.json").evaluate((element) => {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("del").forEach((gone) => {
      gone.remove();
    });
    return copy.textContent;
  });
}

export async function shot(page, name, options = {}) {
  mkdirSync(shots, { recursive: true });
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(shots, `${name}.png`), ...options });
}

/** The repository's cases, by name. */
export function cases() {
  const folder = join(root, "../../tests/cases");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
}
