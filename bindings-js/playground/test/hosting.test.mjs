// As static files, on any host: what the page may do, and what it must not.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { answered, built, choose, start } from "./site.mjs";

const site = await start();
const deep = await start({ base: "/some/deep/path/" });
/** A host that sets no headers: the page has its policy within. */
const bare = await start({ headers: { "Cache-Control": "no-cache" } });

test("the policy comes with the page and with the header", async () => {
  const header = (await fetch(site.url)).headers.get("content-security-policy");
  for (const policy of [header, readFileSync(join(built, "index.html"), "utf8")]) {
    assert.match(policy, /default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|data:|https:\/\/\*/);
  }
  assert.equal((await fetch(bare.url)).headers.get("content-security-policy"), null);
});

for (const [name, host] of Object.entries({ "by the header": site, "by the page alone": bare })) {
  test(`the policy is in force ${name}`, () =>
    host.visit(
      async (page) => {
        await answered(page, "repaired");
        // What a script of the page could try; `evaluate` itself stands outside of the policy.
        const tried = await page.evaluate(async () => {
          const attempts = {
            eval: () => new Promise((done) => setTimeout(() => done(tryEval()), 0)),
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
            beacon: () => {
              if (!navigator.sendBeacon("./index.html", "x")) {
                throw new Error("blocked");
              }
              throw new Error("blocked or not, it is in the violations");
            },
            image: () =>
              new Promise((done, fail) => {
                const image = new Image();
                image.onload = done;
                image.onerror = () => fail(new Error("blocked"));
                image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
              }),
          };
          function tryEval() {
            // biome-ignore lint/security/noGlobalEval: it must not work
            return globalThis.eval("1 + 1");
          }
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
        delete tried.eval;
        assert.deepEqual(new Set(Object.values(tried)), new Set(["blocked"]), JSON.stringify(tried));
        const violations = await page.evaluate(() => globalThis.observed.violations.map((text) => text.split(" ")[0]));
        for (const directive of ["script-src-elem", "style-src-attr", "connect-src", "img-src"]) {
          assert.ok(violations.includes(directive), `${directive} in ${violations}`);
        }
      },
      { allowed: ["Content Security Policy", "policy:", "violates the following"] },
    ));
}

test("eval is blocked in a script of the page itself", () =>
  site.visit(
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
