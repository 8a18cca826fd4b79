/** The result beside what came, token by token: layout is no difference. */

import { type ArrayChange, diffArrays } from "diff";
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
  for (const { added, removed, value } of joined(changes)) {
    const [first, last] = [value[0], value.at(-1)];
    if (first === undefined || last === undefined) {
      continue;
    }
    if (removed) {
      pieces.push({ kind: "gone", text: before.slice(first.from, last.to) });
      continue;
    }
    // The layout before new text is no part of what is new, and stands before what the new text replaces.
    const gone = added && pieces.at(-1)?.kind === "gone" ? pieces.pop() : undefined;
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

/**
 * Joins new text that only one token keeps apart, where another reading does not: of `}` kept and `}` new, the new one
 * may as well come first, right after what else is new. And of what is gone, as much as came instead stands before that:
 * the rest was left out after it.
 */
function joined(changes: readonly ArrayChange<Token>[]): ArrayChange<Token>[] {
  const result: ArrayChange<Token>[] = [];
  for (const change of changes) {
    const [before, kept] = result.slice(-2);
    const token = change.value.at(-1);
    if (change.added && before?.added && kept?.value.length === 1 && token?.text === kept.value[0]?.text) {
      result.pop();
      before.value.push(...kept.value, ...change.value.slice(0, -1));
      result.push({ ...kept, value: change.value.slice(-1) });
    } else {
      result.push({ ...change, value: [...change.value] });
    }
  }
  return result.flatMap((change, index) => {
    const [before, after] = [result[index - 1], result[index + 1]];
    if (change.removed && after?.added && after.value.length < change.value.length) {
      return [{ ...change, value: change.value.slice(0, after.value.length) }];
    }
    const rest = change.added && before?.removed ? before.value.slice(change.value.length) : [];
    return rest.length === 0 ? [change] : [change, { ...before, value: rest } as ArrayChange<Token>];
  });
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
