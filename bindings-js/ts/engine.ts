/** One compiled schema inside the module, made again when the module's instance was replaced. */

import type { Glue, Made } from "toolmend:glue";
import { SchemaError } from "./errors.js";
import { loneSurrogate } from "./host.js";
import type { Instance } from "./instance.js";
import { instance, type Size } from "./modules.js";
import type { Log } from "./types.js";

/** What the module is given; the numbers are its own (src/session.rs). */
export const SOURCE = { text: 0, cut: 1, host: 2, issues: 3, missing: 4, checked: 6 } as const;
/** Text with half of a surrogate pair. */
const BROKEN = 5;

/** The input of one call. */
export interface Call {
  readonly source: (typeof SOURCE)[keyof typeof SOURCE];
  readonly text: string;
}

/** The integer that answers a call (src/lib.rs). */
export const STATUS_BITS = 0b11;
const KEPT = 0b100;
export const UNSAFE_INTEGERS = 0b1000;

/** More units than an issue's preview has, which is 80 characters of one or two units. */
const SHOWN = 256;

/** Where the rest of an answer is read. */
export interface Source {
  /**
   * Reads a kept answer; one that is gone is made again, and `moved` is told where it is now. Throws `TypeError` where
   * the caller's data is no longer what was valid.
   */
  read(
    call: Call,
    kept: Kept | undefined,
    moved: (kept: Kept | undefined) => void,
    what: (glue: Glue) => string,
  ): string;
  /** What may be logged of a call that is valid as it came: nothing of it is read for that. */
  plainLog(): Log;
}

/** What the module says of a call. */
export interface Answer {
  readonly bits: number;
  /** Where the answer can be read, if there is more to it than "valid as it came". */
  readonly kept: Kept | undefined;
}

/** The answer to a call that is plainly valid. */
export const PLAIN: Answer = { bits: 0, kept: undefined };

/** Where an answer is kept: in which instance, and under which number. */
export interface Kept {
  readonly instance: Instance;
  readonly number: number;
}

export class Engine implements Source {
  readonly made: Made;
  readonly #definition: string;
  readonly #options: string;
  #size: Size = "small";
  #home: { readonly instance: Instance; readonly id: number } | undefined;

  constructor(definition: string, options: string) {
    this.#definition = definition;
    this.#options = options;
    this.made = this.#compile();
  }

  get fingerprint(): string {
    const here = instance(this.#size);
    const id = this.#id(here);
    return here.run((glue) => glue.fingerprint(id));
  }

  /** Whether a text is plainly valid: then there is nothing to say but that it is unchanged. */
  isPlain(text: string): boolean {
    // Where the engine cannot tell well-formed text at once the long way looks at it.
    if (text.length > this.made.limits.bytes || typeof text.isWellFormed !== "function" || !text.isWellFormed()) {
      return false;
    }
    const here = instance(this.#size);
    return here.plain(this.#id(here), text);
  }

  /** What the schema wants, for a model. */
  hints(maxBytes: number): string {
    const here = instance(this.#size);
    const id = this.#id(here);
    return here.run((glue) => glue.hints(id, maxBytes));
  }

  /** What is plainly valid (plain.ts). */
  rules(): string {
    const here = instance(this.#size);
    const id = this.#id(here);
    return here.run((glue) => glue.rules(id));
  }

  /** Answers a call; `kept` says where the answer can be read if there is more to it than "valid as it came". */
  answer(call: Call, keep: boolean): Answer {
    const here = instance(this.#size);
    const id = this.#id(here);
    return here.run((glue) => {
      const { length, source } = this.#write(here, call);
      const bits = glue.repair(id, length, source, keep);
      here.settle();
      if ((bits & KEPT) === 0) {
        return { bits, kept: undefined };
      }
      here.kept += 1;
      return { bits, kept: { instance: here, number: here.kept } };
    });
  }

  read(
    call: Call,
    kept: Kept | undefined,
    moved: (kept: Kept | undefined) => void,
    what: (glue: Glue) => string,
  ): string {
    // What was there to say nothing of is looked at now: data may have changed since it was found valid, text cannot.
    if (kept === undefined && call.source !== SOURCE.text && this.answer(call, false).kept !== undefined) {
      throw new TypeError(
        "the data of this call has changed since it was found valid: there is no digest, `json` or wire shape of it",
      );
    }
    if (kept === undefined || kept.instance !== instance(this.#size) || kept.number !== kept.instance.kept) {
      moved(this.answer(call, true).kept);
    }
    return instance(this.#size).run(what);
  }

  plainLog(): Log {
    const { name = null, policy } = this.made;
    const nothing = { repairs: [], issues: [], warnings: [] };
    return { schema: this.fingerprint, tool: name, policy, status: "unchanged", ...nothing };
  }

  /** Gives back what the module holds. The next use compiles again. */
  free(): void {
    this.#home?.instance.free(this, this.#home.id);
    this.#home = undefined;
  }

  #id(here: Instance): number {
    return this.#home?.instance === here ? this.#home.id : this.#compile().id;
  }

  #compile(): Made {
    const here = instance(this.#size);
    const made = here.run((glue) => {
      const length = here.write(this.#definition);
      try {
        return glue.compile(length, this.#options);
      } catch (error) {
        if (typeof error === "string") {
          return error;
        }
        throw error;
      } finally {
        here.settle();
      }
    });
    if (typeof made === "string") {
      const { option, path, message, beyond } = JSON.parse(made) as Refusal;
      if (beyond === true && this.#size === "small") {
        this.#size = "full";
        return this.#compile();
      }
      throw option === undefined ? new SchemaError(path, message) : new TypeError(option);
    }
    this.#home = { instance: here, id: made.id };
    here.watch(this, made.id);
    return made;
  }

  #write(here: Instance, { source, text }: Call): { readonly length: number; readonly source: number } {
    const { bytes } = this.made.limits;
    // A unit is a byte at least: more units than bytes allowed are refused whatever follows what the issue shows of them.
    const room = text.length > bytes ? text.slice(0, Math.max(bytes + 1, SHOWN)) : text;
    const broken = source === SOURCE.text && room === text ? loneSurrogate(text) : -1;
    return broken < 0
      ? { length: here.write(room), source }
      : { length: here.writeBroken(text, broken), source: BROKEN };
  }
}

/** Why a contract cannot be made (src/options.rs). */
interface Refusal {
  readonly option?: string;
  readonly path: string;
  readonly message: string;
  readonly beyond?: boolean;
}
