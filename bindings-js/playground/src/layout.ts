/** JSON text laid out for reading: what fits stays on one line. Every token is written as it came, digits included. */

import { type Node, parseTree } from "jsonc-parser";

const WIDTH = 72;
const INDENT = "  ";

/** Lays out JSON text; text that is no JSON is given back as it is. */
export function layout(text: string): string {
  const root = parseTree(text);
  return root === undefined ? text : lines(text, root, "", WIDTH);
}

function lines(text: string, node: Node, indent: string, room: number): string {
  const children = node.children ?? [];
  if (children.length === 0 || (node.type !== "object" && node.type !== "array")) {
    return token(text, node);
  }
  const short = oneLine(text, node, room);
  if (short !== undefined) {
    return short;
  }
  const inner = indent + INDENT;
  const items = children.map((child) => {
    if (child.type !== "property") {
      return inner + lines(text, child, inner, WIDTH - inner.length);
    }
    const [key, value] = child.children ?? [];
    const head = key === undefined ? "" : `${token(text, key)}: `;
    return inner + head + (value === undefined ? "" : lines(text, value, inner, WIDTH - inner.length - head.length));
  });
  const [open, close] = node.type === "object" ? ["{", "}"] : ["[", "]"];
  return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}

/** The node on one line, if it has room there. */
function oneLine(text: string, node: Node, room: number): string | undefined {
  if (node.length > room * 4) {
    return undefined;
  }
  const line = flat(text, node);
  return line.length <= room ? line : undefined;
}

function flat(text: string, node: Node): string {
  const children = node.children ?? [];
  switch (node.type) {
    case "object":
      return children.length === 0 ? "{}" : `{ ${children.map((child) => flat(text, child)).join(", ")} }`;
    case "array":
      return `[${children.map((child) => flat(text, child)).join(", ")}]`;
    case "property":
      return children.map((child) => flat(text, child)).join(": ");
    default:
      return token(text, node);
  }
}

function token(text: string, node: Node): string {
  return node.children?.length === 0
    ? node.type === "object"
      ? "{}"
      : "[]"
    : text.slice(node.offset, node.offset + node.length);
}
