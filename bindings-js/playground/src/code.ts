/** The call that is on the page, as a program in TypeScript or Python. */

import { type Node, parseTree } from "jsonc-parser";
import type { CompileOptions } from "toolmend";

import { compileOptions, type State } from "./state.js";

/** The program in TypeScript, which is JavaScript too. */
export function typescript(state: State): string {
  const options = compileOptions(state);
  return `import { compile } from "toolmend";

const schema = ${isPlain(state.schema) ? state.schema.trim() : JSON.stringify(state.schema)};
const contract = compile(schema, ${javascript(options)});

const outcome = contract.repair(${JSON.stringify(state.args)});
if (outcome.ok) {
  console.log(outcome.json);
} else {
  console.log(outcome.feedback());
}
`;
}

/** The program in Python. */
export function python(state: State): string {
  const options = Object.entries(compileOptions(state));
  const given = options.map(([name, value]) => `${name}=${literal(JSON.stringify(value))}`).join(", ");
  return `import toolmend

schema = ${isPlain(state.schema) ? literal(state.schema) : JSON.stringify(state.schema)}
contract = toolmend.compile(schema, ${given})

outcome = contract.repair(${JSON.stringify(state.args)})
if outcome.ok:
    print(outcome.json)
else:
    print(outcome.feedback())
`;
}

function javascript(options: CompileOptions): string {
  const text = JSON.stringify(options, null, 2);
  return isPlain(text) ? text : `JSON.parse(${JSON.stringify(text)})`;
}

/** Whether JSON text means the same as source: no number would lose a digit, and no key changes the object's kind. */
function isPlain(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  const root = parseTree(text);
  return (
    root !== undefined &&
    leaves(root).every((node) => {
      const digits = text.slice(node.offset, node.offset + node.length);
      return node.type === "number" ? String(Number(digits)) === digits : node.value !== "__proto__";
    })
  );
}

function leaves(node: Node): Node[] {
  return node.children === undefined ? [node] : node.children.flatMap(leaves);
}

/** JSON text as a Python literal. JSON's strings, written anew, are Python's too. */
function literal(text: string): string {
  const root = parseTree(text);
  return root === undefined ? "None" : written(text, root, "");
}

function written(text: string, node: Node, indent: string): string {
  const children = node.children ?? [];
  switch (node.type) {
    case "boolean":
      return node.value === true ? "True" : "False";
    case "null":
      return "None";
    case "string":
      return JSON.stringify(node.value);
    case "number":
      return text.slice(node.offset, node.offset + node.length);
    case "property":
      return children.map((child) => written(text, child, indent)).join(": ");
    default: {
      const [open, close] = node.type === "object" ? ["{", "}"] : ["[", "]"];
      const inner = `${indent}    `;
      const line = open + children.map((child) => written(text, child, inner)).join(", ") + close;
      if (line.length <= 80 && !line.includes("\n")) {
        return line;
      }
      const items = children.map((child) => `${inner}${written(text, child, inner)},\n`);
      return `${open}\n${items.join("")}${indent}${close}`;
    }
  }
}
