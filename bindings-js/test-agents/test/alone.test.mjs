// The package where no framework is installed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const FRAMEWORKS = { "ai-sdk": "ai", langchain: "langchain", telemetry: "@opentelemetry/api" };

/** What a program there prints. */
function alone(code, type = "module") {
  const cwd = process.env.TOOLMEND_ALONE;
  assert.ok(cwd);
  return execFileSync(process.execPath, [`--input-type=${type}`, "--eval", code], { cwd, encoding: "utf8" });
}

for (const [adapter, framework] of Object.entries(FRAMEWORKS)) {
  for (const type of adapter === "ai-sdk" ? ["module"] : ["module", "commonjs"]) {
    test(`toolmend/${adapter} says what to install, for ${type}`, () => {
      const told =
        type === "module"
          ? alone(`await import("toolmend/${adapter}").catch((error) => console.log(error.message))`)
          : alone(`try { require("toolmend/${adapter}") } catch (error) { console.log(error.message) }`, type);
      assert.equal(told, `toolmend/${adapter} needs ${framework}: npm install ${framework}\n`);
    });
  }
}

test("what imports nothing of a framework works without it", () => {
  for (const adapter of ["mcp", "mastra", "openai-agents"]) {
    const told = alone(`console.log(Object.keys(await import("toolmend/${adapter}")).join())`);
    assert.match(told, /mend/);
  }
});

test("the package itself imports none of them", () => {
  assert.equal(alone('import { compileTools } from "toolmend"; console.log(compileTools([]).names.length)'), "0\n");
});
