/** Where in a text a JSON Pointer leads. */

import { findNodeAtLocation, type Node, type ParseError, parse, parseTree } from "jsonc-parser";

/** A stretch of text, in UTF-16 units. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** What of a member is meant: its key, its value, or both. */
export type Part = "key" | "value" | "member";

const encoder = new TextEncoder();

/** The parsed form of one text, which is asked for places in it. A text with faults is read as far as it can be. */
export class Places {
  readonly #text: string;
  readonly #root: Node | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#root = parseTree(text);
  }

  /**
   * The place that `pointer` leads to, or the innermost that is there of those around it: a property that is missing
   * is in its object, and what was decoded out of a string is in that string.
   */
  find(pointer: string, part: Part = "value"): Place {
    const path = segments(pointer);
    for (let length = path.length; this.#root !== undefined && length >= 0; length -= 1) {
      const node = this.#node(path.slice(0, length));
      if (node !== undefined) {
        return length === path.length ? whole(node, part) : whole(node, "value");
      }
    }
    return { from: 0, to: this.#text.length };
  }

  /** The value's own text; nothing where `pointer` leads nowhere. */
  source(pointer: string): string | undefined {
    const node = this.#node(segments(pointer));
    return node && this.#text.slice(node.offset, node.offset + node.length);
  }

  has(pointer: string): boolean {
    return this.#node(segments(pointer)) !== undefined;
  }

  /** The place of an issue with a span: what lies at `pointer` if it starts there, or else one token. */
  at(pointer: string, byte: number, part: Part): Place {
    const from = unit(this.#text, byte);
    const node = this.#node(segments(pointer));
    if (node?.offset === from) {
      return whole(node, part);
    }
    return token(this.#text, from);
  }

  #node(path: readonly string[]): Node | undefined {
    let node = this.#root;
    for (const segment of path) {
      node = node && findNodeAtLocation(node, [node.type === "array" ? Number(segment) : segment]);
    }
    return node;
  }
}

/** Where JSON text stops being JSON; nothing where it does not. */
export function syntaxFault(text: string): Place | undefined {
  const faults: ParseError[] = [];
  parse(text, faults, { disallowComments: true });
  const [first] = faults;
  return first && token(text, first.offset);
}

/** The reference tokens of a JSON Pointer. */
export function segments(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The UTF-16 unit at which the byte `offset` of the text in UTF-8 lies. */
export function unit(text: string, offset: number): number {
  return encoder.encodeInto(text, new Uint8Array(offset)).read;
}

function whole(node: Node, part: Part): Place {
  const member = node.parent?.type === "property" ? node.parent : undefined;
  const meant = (part === "key" ? member?.children?.[0] : part === "member" ? member : node) ?? node;
  return { from: meant.offset, to: meant.offset + meant.length };
}

/** A word, or one character; at the end of the text its last character, so that there is something to see. */
function token(text: string, from: number): Place {
  const start = Math.min(from, Math.max(0, text.trimEnd().length - 1));
  const [word] = /^[\w$.+-]+/.exec(text.slice(start, start + 64)) ?? [];
  return { from: start, to: Math.min(text.length, start + (word?.length ?? 1)) };
}
