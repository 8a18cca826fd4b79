// As static files, on any host: what the page may do, and what it must not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, choose, start } from "../driver/site.mjs";

const site = await start();
const deep = await start({ base: "/some/deep/path/" });
/** A host that sets no headers: the page has its policy within. */
const bare = await start({ hasHeaders: false });
const HOSTS = { "by the header": site, "by the page alone": bare };

test("the policy comes with the page and with the header", async () => {
  const header = (await fetch(site.url)).headers.get("content-security-policy");
  const meta = await site.visit((page) =>
    page.locator("meta[http-equiv=Content-Security-Policy]").getAttribute("content"),
  );
  for (const policy of [header, meta]) {
    assert.match(policy, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|data:|https?:/);
  }
  assert.equal((await fetch(bare.url)).headers.get("content-security-policy"), null);
});

for (const [name, host] of Object.entries(HOSTS)) {
  test(`the policy is in force ${name}`, () =>
    host.visit(
      async (page) => {
        await answered(page, "repaired");
        // What the page could try. `eval` has a test of its own: what `evaluate` runs may do that.
        const tried = await page.evaluate(async () => {
          const attempts = {
            inline: () => {
              const script = document.createElement("script");
              script.textContent = "globalThis.ranInline = true";
              document.head.append(script);
              if (!globalThis.ranInline) {
                throw new Error("blocked");
              }
            },
            style: () => {
              document.body.setAttribute("style", "outline: 9px solid red");
              if (getComputedStyle(document.body).outlineWidth !== "9px") {
                throw new Error("blocked");
              }
            },
            fetch: () => fetch("./index.html"),
            image: () =>
              new Promise((done, fail) => {
                const image = new Image();
                image.onload = done;
                image.onerror = () => fail(new Error("blocked"));
                image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
              }),
          };
          const result = {};
          for (const [what, attempt] of Object.entries(attempts)) {
            result[what] = await Promise.resolve()
              .then(attempt)
              .then(
                () => "ALLOWED",
                () => "blocked",
              );
          }
          return result;
        });
        assert.deepEqual(new Set(Object.values(tried)), new Set(["blocked"]), JSON.stringify(tried));
        const violations = await page.evaluate(() => globalThis.observed.violations.map((text) => text.split(" ")[0]));
        for (const directive of ["script-src-elem", "style-src-attr", "connect-src", "img-src"]) {
          assert.ok(violations.includes(directive), `${directive} in ${violations}`);
        }
      },
      { allowed: ["Content Security Policy", "policy:", "violates the following"] },
    ));
}

for (const [name, host] of Object.entries(HOSTS)) {
  test(`eval is blocked in a script of the page itself, ${name}`, () =>
    host.visit(
      async (page, context) => {
        // A script that comes from the page's own origin, as one of its own would.
        await context.route("**/probe.js", (route) =>
          route.fulfill({
            contentType: "text/javascript",
            body: "try { globalThis.probed = eval('1 + 1') } catch (error) { globalThis.probed = error.name }",
          }),
        );
        await page.evaluate(
          () =>
            new Promise((done, fail) => {
              const script = document.createElement("script");
              Object.assign(script, { src: "./probe.js", onload: done, onerror: fail });
              document.head.append(script);
            }),
        );
        assert.equal(await page.evaluate(() => globalThis.probed), "EvalError");
      },
      { allowed: ["Content Security Policy", "policy: script-src eval", "unsafe-eval"] },
    ));
}

test("it works under any path, its lazy parts too", () =>
  deep.visit(async (page) => {
    await answered(page, "repaired");
    await choose(page, "unevaluated-closed");
    await answered(page, "repaired", "rename_key");
    await choose(page, "key-typo");
    await answered(page, "refused");
    await page.locator("#tokens", { hasText: "tokens (o200k_base)" }).waitFor();
  }));

test("it works without a network once it is there", () =>
  site.visit(
    async (page, context) => {
      await answered(page, "repaired");
      await context.setOffline(true);
      await page.locator("label[for=policy-narrow]").click();
      await answered(page, "refused", "/maxBytes");
      assert.equal((await page.locator("pre.feedback").count()) > 0, true);
      await page.locator("#tokens", { hasText: "could not be counted" }).waitFor();
    },
    { allowed: ["ERR_INTERNET_DISCONNECTED"] },
  ));

test("a worker that cannot be loaded is said to be missing, and the next change starts it", () =>
  site.visit(
    async (page, context) => {
      await answered(page, "refused", "failed to start");
      await context.unroute("**/worker-*.js");
      await page.locator("label[for=policy-lenient]").click();
      await page.locator("label[for=policy-narrow]").click();
      await answered(page, "refused", "/maxBytes");
    },
    { prepare: (context) => context.route("**/worker-*.js", (route) => route.abort()), allowed: ["ERR_FAILED"] },
  ));

test("a worker that does not answer is stopped, and the next change starts another", () =>
  site.visit(
    async (page, context) => {
      await answered(page, "refused", "no answer within 15 seconds");
      await context.unroute("**/worker-*.js");
      await page.locator("label[for=policy-narrow]").click();
      await answered(page, "refused", "/maxBytes");
    },
    {
      prepare: (context) =>
        context.route("**/worker-*.js", (route) => {
          return route.fulfill({ contentType: "text/javascript", body: "for (;;);" });
        }),
    },
  ));
