// What a visitor takes along: links and programs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { answered, choose, paste, result, start } from "../driver/site.mjs";

const site = await start();
const folder = mkdtempSync(join(tmpdir(), "toolmend-playground-"));
after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "node_modules"));
symlinkSync(fileURLToPath(new URL("../..", import.meta.url)), join(folder, "node_modules/toolmend"));

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

test("a link holds all that is on the page", async () => {
  const args = '{"tags": "Doe, Jane – “ü” 🦄"}\n';
  const link = await site.visit(async (page) => {
    await paste(page, "schema", '{"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}');
    await paste(page, "args", args);
    await page.locator("label[for=policy-adapter]").click();
    await page.locator("#rules summary").click();
    await page.locator("#row-drop_null label", { hasText: /^on$/ }).click();
    await page.locator("#more summary").click();
    await paste(page, "options", '{"overrides": {"/tags": {"single_item": true}}}');
    await answered(page, "repaired", "wrap_in_array");
    await page.locator("#share").click();
    await page.locator("#toast", { hasText: "copied" }).waitFor();
    return clipboard(page);
  });
  assert.ok(link.startsWith(`${site.url}#s=`) && link.length < 500, link);
  await site.visit(
    async (page) => {
      await answered(page, "repaired", "wrap_in_array");
      assert.deepEqual(JSON.parse(await result(page)), { tags: ["Doe, Jane – “ü” 🦄"] });
      assert.ok(await page.locator("#policy-adapter").isChecked());
      assert.ok(await page.locator("#rule-drop_null-on").isChecked());
      assert.match(await page.locator("#options .cm-content").textContent(), /single_item/);
      // The same again: nothing was lost on the way.
      await page.locator("#share").click();
      await page.locator("#toast", { hasText: "copied" }).waitFor();
      assert.equal(await clipboard(page), link);
    },
    { path: link.slice(site.url.length) },
  );
});

test("a link that was cut is said to be, and the page works", async () => {
  for (const path of ["#s=eJyr", "#s=%%%", `#s=${"A".repeat(4000)}`]) {
    await site.visit(
      async (page) => {
        await page.locator("#toast", { hasText: "The link is not whole" }).waitFor();
        await answered(page, "repaired");
      },
      { path },
    );
  }
});

test("a link that unpacks to far too much is refused", () =>
  site.visit(
    async (page) => {
      await page.locator("#toast", { hasText: "The link is not whole" }).waitFor();
      await answered(page, "repaired");
    },
    { path: bomb() },
  ));

function bomb() {
  const script =
    'const z = require("zlib"); process.stdout.write(z.deflateRawSync(Buffer.alloc(64 << 20, 32)).toString("base64url"))';
  return `#s=${execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })}`;
}

const EXAMPLES = [
  "str-object-map-and-quoted-number",
  "several-repairs-one-call",
  "alias-of-an-invented-member",
  "raw-19-digit-integer",
  "comma-list-free-text",
  "inner-quotes-code",
];

for (const example of EXAMPLES) {
  test(`the programs of ${example} run, and say what the page says`, () =>
    site.visit(async (page) => {
      await choose(page, example);
      await page.waitForFunction((name) => document.querySelector("[aria-current]")?.dataset.name === name, example);
      await page
        .locator('#result:is([data-status="repaired"], [data-status="refused"], [data-status="unchanged"])')
        .waitFor();
      await page.waitForTimeout(300);
      const isRefused = (await page.locator("#result").getAttribute("data-status")) === "refused";
      const shown = isRefused ? await page.locator("pre.feedback").textContent() : await result(page);
      const same = (printed) => assert.equal(squeezed(printed, isRefused), squeezed(shown, isRefused));
      await page.locator("#copy-typescript").click();
      await page.locator("#toast", { hasText: "TypeScript is copied" }).waitFor();
      same(run(process.execPath, "program.mjs", await clipboard(page)));
      await page.locator("#copy-python").click();
      await page.locator("#toast", { hasText: "Python is copied" }).waitFor();
      if (process.env.TOOLMEND_PYTHON) {
        same(run(process.env.TOOLMEND_PYTHON, "program.py", await clipboard(page)));
      }
    }));
}

test("where the browser does not let a page copy, the text is there by hand", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
    });
    await page.locator("#copy-python").click();
    await page.locator("#manual[open]").waitFor();
    assert.match(await page.locator("#manual-text").inputValue(), /^import toolmend/);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#manual[open]").count(), 0);
  }));

function run(program, file, text) {
  writeFileSync(join(folder, file), text);
  return execFileSync(program, [file], { cwd: folder, encoding: "utf8" });
}

/** JSON without its layout, which no string of the examples holds; words as they are. */
function squeezed(text, isWords) {
  return isWords ? text.trim() : text.replace(/\s/g, "");
}
