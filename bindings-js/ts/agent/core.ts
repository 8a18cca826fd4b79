/** What the module knows of agents: lists of tools, calls of tools that there are none of, and attempts. */

import { type Call, type Kept, SOURCE, type Source } from "../engine.js";
import { wellFormed } from "../host.js";
import { instance } from "../modules.js";
import { CallOutcome } from "../outcome.js";
import { schemaText } from "../schema.js";
import type { Outcome, Refused } from "../types.js";

/** What a tool does to the world, as its definition says. */
export type Effect = "read" | "write" | "destructive";

/** One entry of a list of tools (`tools.rs` of the core). */
export interface Definition {
  readonly name?: string;
  /** Its place in the list, from 0. */
  readonly index: number;
  /** What `compile` takes, as JSON text. */
  readonly definition: string;
  readonly effect: Effect | null;
  /** The schema of the tool's results, as JSON text. */
  readonly output?: string;
  /** Why this entry is no tool that can be called. */
  readonly message?: string;
}

/** Reads a list of tools in any of its shapes. Throws `SchemaError` or `TypeError` for what is no list of tools. */
export function definitions(tools: string | object): readonly Definition[] {
  const text = schemaText(tools);
  const here = instance("small");
  const told = here.run((glue) => {
    const answer = glue.definitions(here.write(text));
    here.settle();
    return answer;
  });
  return read<{ readonly definitions: readonly Definition[] }>(told).definitions;
}

/** The refusal of a call of a tool that is none of `names`. */
export function unknownTool(name: string, names: readonly string[]): Refused {
  const source = new Unknown(wellFormed(name), JSON.stringify(names.map(wellFormed)));
  return new CallOutcome(source, NO_CALL, { bits: REFUSED, kept: source.keep() }) as unknown as Refused;
}

const REFUSED = 2;
const NO_CALL: Call = { source: SOURCE.missing, text: "" };

class Unknown implements Source {
  readonly #name: string;
  readonly #names: string;

  constructor(name: string, names: string) {
    this.#name = name;
    this.#names = names;
  }

  plainLog(): never {
    throw new TypeError("a refusal is never plain");
  }

  keep(): Kept {
    const here = instance("small");
    here.run((glue) => glue.unknown(this.#name, this.#names));
    here.kept += 1;
    return { instance: here, number: here.kept };
  }

  read(
    _: Call,
    kept: Kept | undefined,
    moved: Parameters<Source["read"]>[2],
    what: Parameters<Source["read"]>[3],
  ): string {
    const here = instance("small");
    if (kept?.instance !== here || kept.number !== here.kept) {
      moved(this.keep());
    }
    return here.run(what);
  }
}

/** What follows from one answer (`attempts.rs` of the core). */
export interface Verdict {
  readonly action: "run" | "retry" | "stop";
  /** Which attempt in a row this was, from 1. */
  readonly attempt: number;
  /** How many attempts are left after it. */
  readonly remaining: number;
  /** What the model is told, where the tool is not run. */
  readonly message?: string;
  /** Why there is no retry. */
  readonly reason?: "repeated" | "budget";
}

/** The log of attempts as JSON text, new or checked. Throws `TypeError` for a text that is none. */
export function attemptsState(budget: number, state: string | undefined): string {
  return read<{ readonly state: string }>(instance("small").run((glue) => glue.attempts(budget, state))).state;
}

/**
 * What follows from `outcome`, the answer to a call of `tool` with `sent`, and the log after it. `sent` is `undefined` where
 * it cannot be read: that is the same as no other call.
 */
export function decide(
  state: string,
  tool: string,
  sent: string | undefined,
  turn: string | undefined,
  outcome: Outcome,
): { readonly state: string; readonly decision: Verdict } {
  const name = wellFormed(tool);
  if (outcome.ok) {
    return read(instance("small").run((glue) => glue.accept(state, name, turn)));
  }
  // No log holds the digest of itself, so this text was not sent before. The Python package has the same one.
  const known = name === tool ? sent : undefined;
  const text = known ?? `unreadable after ${state}`;
  return read((outcome as unknown as CallOutcome).decide(state, name, text, turn));
}

function read<T>(answer: string): T {
  const told = JSON.parse(answer) as T & { readonly error?: string };
  if (told.error !== undefined) {
    throw new TypeError(told.error);
  }
  return told;
}
