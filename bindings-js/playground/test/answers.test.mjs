// What the page says to what is put on it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answered, cases, choose, paste, result, shot, start } from "../driver/site.mjs";

const site = await start();
const LABELS = JSON.stringify({
  name: "add_labels",
  input_schema: {
    type: "object",
    properties: { labels: { type: "array", items: { type: "string" } }, issue: { type: "integer" } },
    required: ["labels"],
    additionalProperties: false,
  },
});

/** What is marked in the result, in one piece or several. */
async function marked(page) {
  return (await page.locator("pre.json mark").allTextContents()).join("");
}

test("a repair is there when the page is opened", () =>
  site.visit(async (page) => {
    await answered(page, "repaired", "2 repairs");
    assert.equal(
      await page.locator("h1").textContent(),
      "Mends an LLM’s almost-right tool call, or refuses it with a reason.",
    );
    assert.deepEqual(JSON.parse(await result(page)).maxBytes, 65536);
    assert.equal(await page.locator("pre.json del").first().textContent(), '"65536"');
    assert.equal(await page.locator("pre.json ins").first().textContent(), "65536");
    await shot(page, "desktop-light");
  }));

test("what is pasted is mended, and each card leads to both places", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    await paste(page, "schema", LABELS);
    await paste(page, "args", '{"Labels": "bug", "issue": "7"}');
    await answered(page, "repaired", "3 repairs");
    assert.deepEqual(JSON.parse(await result(page)), { labels: ["bug"], issue: 7 });
    const card = page.locator(".card", { hasText: "rename_key" });
    await card.click();
    assert.equal(await card.getAttribute("aria-pressed"), "true");
    assert.equal(await page.locator("#args .cm-place").textContent(), '"Labels"');
    assert.equal(await marked(page), '"labels"');
    await page.locator(".card", { hasText: "wrap_in_array" }).click();
    assert.equal(await page.locator("#args .cm-place").textContent(), '"bug"');
    assert.equal(await marked(page), '["bug"]');
    await shot(page, "repair");
    await page.locator(".card[aria-pressed=true]").click();
    assert.equal(await page.locator("#args .cm-place").count(), 0);
  }));

test("every repair of the gallery has its two places", () =>
  site.visit(async (page) => {
    await choose(page, "several-repairs-one-call");
    await answered(page, "repaired", "8 repairs");
    const places = {
      create: ['"false"', "false"],
      mode: ['"Append"', '"append"'],
      lineNumbers: ['"[1, 2]"', "[1, 2]"],
    };
    for (const [key, [came, made]] of Object.entries(places)) {
      await page
        .locator(".card", { hasText: `/${key}` })
        .first()
        .click();
      assert.equal((await page.locator("#args .cm-place").allTextContents()).join(""), came);
      assert.equal(await marked(page), made);
    }
    await choose(page, "two-key-envelope-own-name");
    await answered(page, "repaired", "unwrap_object");
    assert.deepEqual(JSON.parse(await result(page)), { location: "Oslo" });
  }));

test("a refusal is marked in the text, and told as the model would read it", () =>
  site.visit(async (page) => {
    await choose(page, "comma-list-free-text");
    await answered(page, "refused", "1 issue");
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), '"bug,ui"');
    assert.equal(await page.locator(".cm-lint-marker-error").count(), 1);
    assert.match(await page.locator("pre.feedback").textContent(), /^Not run\. .*\n\/labels: /);
    assert.match(await page.locator(".card.issue").textContent(), /\["bug","ui"\]/);
    await page.locator("#tokens", { hasText: "tokens (o200k_base)" }).waitFor();
    assert.match(await page.locator("#tokens").textContent(), /^[1-9]\d? tokens \(o200k_base\)$/);
    assert.equal(await page.locator("pre.json").count(), 0);
    await page.locator(".card.issue").click();
    assert.equal(await page.locator("#args .cm-place").textContent(), '"bug,ui"');
    await shot(page, "refusal");
  }));

test("a span is found behind text of several bytes a character", () =>
  site.visit(async (page) => {
    await paste(page, "schema", '{"properties": {"ä": {"type": "string"}, "n": {"type": "integer"}}}');
    await paste(page, "args", '{"ä": "日本語 🦄",\n "n": "many"}');
    await answered(page, "refused", "type_mismatch");
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), '"many"');
    await paste(page, "args", '{"ä": "日本語 🦄", "n": }');
    await answered(page, "refused", "json_syntax");
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), "}");
  }));

test("what is valid but looks wrong is a warning, and text that is cut says so", () =>
  site.visit(async (page) => {
    await paste(page, "schema", '{"properties": {"path": {"type": "string"}}}');
    await paste(page, "args", '{"paht": "a"}');
    await answered(page, "unchanged", "Warnings");
    assert.equal(await page.locator(".cm-lintRange-warning").textContent(), '"paht"');
    await choose(page, "cut-in-list-of-commands");
    await answered(page, "refused", "truncated");
    assert.equal(await page.locator(".cm-lint-marker-error").count(), 1);
  }));

test("an answer to what has been changed since is not shown", () =>
  site.visit(
    async (page) => {
      await answered(page, "repaired");
      await page.evaluate(() => globalThis.hold());
      await paste(page, "args", '{"url": 1}');
      await page.waitForFunction(() => globalThis.held.length > 0);
      await paste(page, "args", '{"url": "https://example.org/b"}');
      const shown = await page.evaluate(() => {
        globalThis.release();
        const { dataset, ariaBusy } = document.querySelector("#result");
        return { status: dataset.status, ariaBusy };
      });
      assert.deepEqual(shown, { status: "repaired", ariaBusy: "true" });
      await answered(page, "unchanged");
      assert.equal(await page.locator(".cm-lintRange").count(), 0);
    },
    { prepare: (context) => context.addInitScript(holdReplies) },
  ));

/** Runs in the page before anything else: what the worker says can be held back, and is heard when it is released. */
function holdReplies() {
  globalThis.hold = () => {
    globalThis.held = [];
  };
  globalThis.release = () => {
    const { held } = globalThis;
    globalThis.held = undefined;
    held.forEach((hear) => {
      hear();
    });
  };
  globalThis.Worker = class extends Worker {
    addEventListener(type, hear) {
      super.addEventListener(type, (event) => {
        if (globalThis.held === undefined || type !== "message") {
          hear(event);
        } else {
          globalThis.held.push(() => hear(event));
        }
      });
    }
  };
}

test("a schema that is none is marked where it is wrong", () =>
  site.visit(async (page) => {
    await paste(page, "schema", '{"properties": {\n  "a": {"type": "strin"}\n}}');
    await answered(page, "refused", "/properties/a/type");
    assert.equal(await page.locator("#schema .cm-lintRange-error").textContent(), '"type": "strin"');
    await paste(page, "schema", '{"properties": {"a": {"$ref": "#/nowhere"}}}');
    await answered(page, "refused", "/properties/a/$ref");
    assert.equal(await page.locator("#schema .cm-lintRange-error").textContent(), '"$ref": "#/nowhere"');
    await paste(page, "schema", '{"type": "object",\n oops}');
    await answered(page, "refused", "no JSON");
    assert.equal(await page.locator("#schema .cm-lintRange-error").textContent(), "oops");
    await shot(page, "schema-error");
    await page.locator("#schema .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await answered(page, "waiting", "Paste a JSON Schema");
  }));

test("rules and policies are switches", () =>
  site.visit(async (page) => {
    await answered(page, "repaired");
    await page.locator("label[for=policy-narrow]").click();
    await answered(page, "refused", "/maxBytes");
    await page.locator("#rules summary").click();
    const rule = page.locator("#row-parse_number");
    assert.equal(await rule.locator("#state-parse_number").textContent(), "policy: off");
    await rule.locator("label", { hasText: /^on$/ }).click();
    await answered(page, "repaired", "2 repairs");
    assert.match(await page.locator("#rules-told").textContent(), /1 rule switched/);
    await page.locator("#row-parse_json_string label", { hasText: /^off$/ }).click();
    await answered(page, "refused", "/headers");
    await page.locator("#rules-list > .link").click();
    await answered(page, "refused", "/maxBytes");
    await page.locator("label[for=policy-lenient]").click();
    await answered(page, "repaired", "2 repairs");
  }));

test("the page knows from which policy on each rule is, as the cases do", () =>
  site.visit(async (page) => {
    const policies = ["strict", "narrow", "adapter", "lenient"];
    const shown = await page.locator(".rule-group").evaluateAll((groups) =>
      groups.flatMap((group) => {
        const [, from] = /From (\w+) on/.exec(group.querySelector("h3").textContent) ?? [undefined, "host"];
        return [...group.querySelectorAll("legend")].map((legend) => [legend.textContent, from]);
      }),
    );
    const found = {};
    for (const { expect, options, schema } of cases()) {
      if (options === undefined && schema.strict === undefined) {
        for (const rule of expect.repairs ?? []) {
          const from = found[rule] ?? "lenient";
          found[rule] = policies.indexOf(expect.from) < policies.indexOf(from) ? expect.from : from;
        }
      }
    }
    assert.ok(Object.keys(found).length >= 16, Object.keys(found).join());
    for (const [rule, from] of shown) {
      assert.equal(from, found[rule] ?? "host", rule);
    }
  }));

test("other options are read, and a wrong one is said", () =>
  site.visit(async (page) => {
    await choose(page, "alias-of-an-invented-member");
    await answered(page, "repaired", "alias");
    await paste(page, "options", '{"undeclard": "refuse"}');
    await answered(page, "refused", "undeclard");
    assert.match(await page.locator("#options-fault").textContent(), /undeclard/);
    await paste(page, "options", '{"overrides": ');
    await answered(page, "refused", "no JSON");
    await paste(page, "options", "");
    await page.locator("#options .cm-content").press("Delete");
    await answered(page, "refused", "enum_mismatch");
  }));

test("a schema of a rare kind loads the full validator", () =>
  site.visit(async (page, context) => {
    await answered(page, "repaired");
    const asked = [];
    context.on("request", (request) => asked.push(request.url()));
    await choose(page, "unevaluated-closed");
    await answered(page, "repaired", "rename_key");
    assert.equal(asked.filter((url) => url.includes("full-module")).length, 1);
  }));
