// For everybody: by keyboard, by screen reader, in the dark, on a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { answered, choose, paste, shot, start } from "../driver/site.mjs";

const site = await start();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

const WAYS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { ...PHONE, colorScheme: "light" },
};
const STATES = {
  repaired: async (page) => {
    await answered(page, "repaired");
    await page.locator("#rules summary").click();
    await page.locator("#more summary").click();
    await page.locator(".card").first().click();
  },
  unchanged: async (page) => {
    await choose(page, "raw-19-digit-integer");
    await answered(page, "unchanged");
  },
  refused: async (page) => {
    await choose(page, "union-one-of-two-wrong-shapes");
    await answered(page, "refused", "no_variant");
    await page.locator("#tokens", { hasText: "tokens (" }).waitFor();
    await page.locator(".card").first().click();
  },
  "schema error": async (page) => {
    await paste(page, "schema", '{"type": 5}');
    await answered(page, "refused", "Schema error");
    await page.locator("#toast", { hasText: "" }).waitFor({ state: "attached" });
  },
  empty: async (page) => {
    await page.locator("#schema .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await answered(page, "waiting", "Paste a JSON Schema");
  },
};

for (const [way, options] of Object.entries(WAYS)) {
  for (const [state, reach] of Object.entries(STATES)) {
    test(`axe finds nothing serious: ${state}, ${way}`, () =>
      site.visit(async (page) => {
        await reach(page);
        await page.evaluate(axe);
        const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document));
        const told = violations.map(
          ({ id, impact, nodes }) =>
            `${impact} ${id}: ${nodes.map(({ html, target }) => `${target} ${html}`).join(" | ")}`,
        );
        assert.ok(passes.length > 20, "axe looked at the page");
        assert.deepEqual(
          told.filter((finding) => !/^(minor|moderate)/.test(finding)),
          [],
        );
        for (const finding of told) {
          console.log(`  axe, ${state}, ${way}: ${finding}`);
        }
      }, options));
  }
}

test("everything is done by keyboard alone", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = document;
        return activeElement.id || activeElement.textContent;
      });
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the schema");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the result");
    await page.keyboard.press("Enter");
    assert.equal(await focused(), "result");
    await reach(page, ".card");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#args .cm-place").textContent(), '"65536"');
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(ring, "solid");
    await page.keyboard.press("Space");
    assert.equal(await page.locator("#args .cm-place").count(), 0);
    // Back to the top, into the editors and out of them: Tab is no trap.
    await page.locator("h1").click();
    await reach(page, "#schema");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "args");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type('{"url": 5');
    await answered(page, "refused", "truncated");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "policy-lenient");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "policy-adapter");
    await answered(page, "refused");
  }));

/** Tabs on until what is focused matches. */
async function reach(page, selector) {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((it) => document.activeElement.matches(it), selector)) {
      return;
    }
  }
  assert.fail(`no way by Tab to ${selector}`);
}

test("a screen reader is told the answer, and finds its way", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    const live = page.locator("#announce[role=status]");
    assert.equal(await live.textContent(), "Mended: 2 repairs, and the tool may run");
    await choose(page, "key-typo");
    await answered(page, "refused");
    assert.equal(await live.textContent(), "Refused: 2 issues, and nothing was changed");
    const tree = await page.locator("body").ariaSnapshot();
    const parts = [
      "banner",
      "navigation",
      "main",
      "contentinfo",
      'heading "Failures to try"',
      "region",
      'group "Policy"',
    ];
    for (const part of [
      ...parts,
      'textbox "Schema or tool definition, JSON"',
      'textbox "Arguments, as the model wrote them"',
    ]) {
      assert.ok(tree.includes(part), `${part} in\n${tree}`);
    }
    assert.equal(await page.locator("#args .cm-content").getAttribute("aria-invalid"), "true");
  }));

test("dark as the system has it, or by a switch that is remembered", () =>
  site.visit(
    async (page) => {
      await answered(page, "repaired");
      const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const dark = await ground();
      assert.equal(dark, "rgb(20, 19, 17)");
      await shot(page, "desktop-dark");
      const button = page.locator("#theme");
      assert.equal(await button.getAttribute("aria-pressed"), "true");
      await button.click();
      assert.equal(await ground(), "rgb(248, 246, 241)");
      await page.reload();
      await answered(page, "repaired");
      assert.equal(await ground(), "rgb(248, 246, 241)");
      assert.equal(await button.getAttribute("aria-pressed"), "false");
    },
    { colorScheme: "dark" },
  ));

test("on a phone nothing is cut off, and the answer is one tap away", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(overflow, 0);
    await shot(page, "phone");
    const jump = page.locator("#jump");
    assert.match(await jump.textContent(), /Mended\s+2 repairs/);
    await jump.tap();
    await page.waitForFunction(() => document.querySelector("#result").getBoundingClientRect().top < innerHeight / 2);
    // The page scrolls smoothly.
    await page.waitForTimeout(800);
    await shot(page, "phone-result");
    await jump.waitFor({ state: "hidden" });
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, "phone-whole", { fullPage: true });
  }, PHONE));

test("at 200 % zoom and with a narrow window nothing is cut off", () =>
  site.visit(
    async (page) => {
      await choose(page, "several-repairs-one-call");
      await answered(page, "repaired", "8 repairs");
      await page.locator("#rules summary").click();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.equal(overflow, 0);
    },
    { viewport: { width: 320, height: 640 } },
  ));
