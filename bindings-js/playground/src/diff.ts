/** The result beside what came, token by token: layout is no difference. */

import { diffArrays } from "diff";
import { createScanner } from "jsonc-parser";

import type { Place } from "./places.js";

/** A stretch of the result that is there in both or is new, with its place in the result; or one that is gone. */
export type Piece =
  | { readonly kind: "same" | "new"; readonly text: string; readonly from: number }
  | { readonly kind: "gone"; readonly text: string };

/** Beyond this many tokens the difference is not looked for. */
const MOST_TOKENS = 6_000;
/** Beyond this many changes, or milliseconds, the two texts have little in common. */
const SEARCH = { maxEditLength: 3_000, timeout: 800 };

/** The scanner's `SyntaxKind.EOF`, which is a constant of types alone. */
const END = 17;

interface Token extends Place {
  readonly text: string;
}

/** The pieces of `after`, with what is gone from `before` between them; nothing where the texts are too long. */
export function difference(before: string, after: string): Piece[] | undefined {
  const [old, made] = [tokens(before), tokens(after)];
  const changes =
    old && made && diffArrays(old, made, { ...SEARCH, comparator: (left, right) => left.text === right.text });
  if (!changes || !old) {
    return undefined;
  }
  const pieces: Piece[] = [];
  let end = 0;
  for (const { added, removed, value } of changes) {
    const [first, last] = [value[0], value.at(-1)];
    if (first === undefined || last === undefined) {
      continue;
    }
    if (removed) {
      pieces.push({ kind: "gone", text: before.slice(first.from, last.to) });
      continue;
    }
    // The layout before new text is no part of what is new. Where something is gone there, it stands after the layout.
    const gone = pieces.at(-1)?.kind === "gone" ? pieces.pop() : undefined;
    if (first.from > end) {
      pieces.push({ kind: "same", text: after.slice(end, first.from), from: end });
    }
    if (gone !== undefined) {
      pieces.push(gone);
    }
    pieces.push({ kind: added ? "new" : "same", text: after.slice(first.from, last.to), from: first.from });
    end = last.to;
  }
  return pieces;
}

function tokens(text: string): Token[] | undefined {
  const scanner = createScanner(text, true);
  const found: Token[] = [];
  while (scanner.scan() !== END) {
    const from = scanner.getTokenOffset();
    const to = from + scanner.getTokenLength();
    found.push({ text: text.slice(from, to), from, to });
    if (found.length > MOST_TOKENS) {
      return undefined;
    }
  }
  return found;
}

