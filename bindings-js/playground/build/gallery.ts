/** The gallery, taken from the repository's own test cases when the page is built. */

import { readdirSync, readFileSync } from "node:fs";
import { findNodeAtLocation, getNodeValue, type Node, parseTree } from "jsonc-parser";

import type { Example } from "../src/examples.js";
import { layout } from "../src/layout.js";

/** Which cases are shown, by name, and what each is called in the page. The first is there when the page is opened. */
const SHOWN: Readonly<Record<string, string>> = {
  "str-object-map-and-quoted-number": "Values sent as text",
  "article-scalar-for-list": "One value for a list",
  "several-repairs-one-call": "Eight faults in one call",
  "key-camel-for-snake-many": "camelCase for snake_case",
  "two-key-envelope-own-name": "A call in its arguments",
  "str-array-python-repr": "A Python list as text",
  "raw-19-digit-integer": "A 19-digit id",
  "alias-of-an-invented-member": "An invented enum value",
  "unevaluated-closed": "A rare keyword",
  "comma-list-free-text": "One label, or two?",
  "several-repairs-one-refusal": "Half mendable",
  "cut-in-list-of-commands": "Cut off",
  "inner-quotes-code": "Quotes not escaped",
  "key-typo": "A misspelled key",
  "duplicate-key-different": "The same key twice",
  "union-one-of-two-wrong-shapes": "Neither of two shapes",
};

/** Reads the cases that are shown; a name that no case has stops the build. */
export function examples(folder: URL): Example[] {
  const cases = new Map<string, Example>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const text = readFileSync(new URL(file, folder), "utf8");
    for (const node of parseTree(text)?.children ?? []) {
      const name = String(value(node, "name"));
      const title = SHOWN[name];
      if (title !== undefined) {
        cases.set(name, example(text, node, name, title));
      }
    }
  }
  return Object.keys(SHOWN).map((name) => {
    const found = cases.get(name);
    if (found === undefined) {
      throw new Error(`the gallery shows the case \`${name}\`, which is in no file of tests/cases`);
    }
    return found;
  });
}

function example(text: string, node: Node, name: string, title: string): Example {
  const from = value(node, "expect", "from");
  const options: Record<string, unknown> = { ...(value(node, "options") as object | undefined) };
  const tool = value(node, "tool");
  if (tool !== undefined) {
    options.name = tool;
  }
  return {
    name,
    title,
    why: String(value(node, "why")),
    // What is refused is so under every policy: shown under the widest.
    policy: (from ?? "lenient") as Example["policy"],
    isRefused: from === undefined,
    // The text and not the value: a number in a schema keeps its digits.
    schema: layout(source(text, node, "schema")),
    args: String(value(node, "input")),
    options: Object.keys(options).length === 0 ? "" : layout(JSON.stringify(options)),
  };
}

function source(text: string, node: Node, key: string): string {
  const found = findNodeAtLocation(node, [key]);
  return found === undefined ? "" : text.slice(found.offset, found.offset + found.length);
}

function value(node: Node, ...path: string[]): unknown {
  const found = findNodeAtLocation(node, path);
  return found === undefined ? undefined : getNodeValue(found);
}
