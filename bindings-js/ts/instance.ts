/** An instance of a WebAssembly module: thrown away when it trapped. */

import type { Glue } from "toolmend:glue";

import { InternalError } from "./errors.js";

/** Room for most calls, reserved once. */
const START_BYTES = 1 << 16;
/** An input buffer that a long call made larger than this is given back. */
const KEEP_BYTES = 1 << 20;

const encoder = new TextEncoder();
const NOTHING = new Uint8Array();

/** One instance of the module, its input buffer, and the number of the answer that it keeps. */
export class Instance {
  /** Counts the answers that were kept: an outcome knows by its number whether its answer is still there. */
  kept = 0;
  readonly #glue: Glue;
  readonly #finalizer: FinalizationRegistry<number> | undefined;
  /** The input buffer. When memory grows this view is left empty, and made anew by the next write. */
  #input: Uint8Array = NOTHING;
  #reserved = 0;
  /** Whether it trapped. */
  isDead = false;

  constructor(glue: Glue) {
    this.#glue = glue;
    // Some edge runtimes have none: there a contract lives as long as its instance, if it is not freed.
    this.#finalizer =
      typeof FinalizationRegistry === "function" ? new FinalizationRegistry((id) => this.#release(id)) : undefined;
    this.#reserve(START_BYTES);
  }

  /**
   * Runs `work` inside the module. Whatever it throws is a trap: memory may be in any state, so the instance is not
   * used again.
   */
  run<T>(work: (glue: Glue) => T): T {
    try {
      return work(this.#glue);
    } catch (cause) {
      this.isDead = true;
      throw new InternalError(cause);
    }
  }

  /** Whether well-formed text is plainly valid for the contract `id`. */
  plain(id: number, text: string): boolean {
    // Long text grows memory, which may fail: that is for the long way to tell.
    if (text.length * 3 >= this.#input.length) {
      return this.run((glue) => {
        const plain = glue.plain(id, this.#writeLong(text));
        this.settle();
        return plain;
      });
    }
    const { written } = encoder.encodeInto(text, this.#input);
    try {
      return this.#glue.plain(id, written);
    } catch (cause) {
      this.isDead = true;
      throw new InternalError(cause);
    }
  }

  /** Writes `text` into the input buffer and tells its length in bytes. To be called inside `run`. */
  write(text: string): number {
    if (text.length * 3 >= this.#input.length) {
      return this.#writeLong(text);
    }
    return encoder.encodeInto(text, this.#input).written;
  }

  /** Writes `text`, which has half of a surrogate pair at `at`, so that the module finds it: in UTF-8 there is none. */
  writeBroken(text: string, at: number): number {
    const before = this.write(text.slice(0, at));
    // The encoder leaves three bytes in its place.
    const length = this.write(text);
    this.#input.set([0xed, 0xa0, 0x80], before);
    return length;
  }

  /** Gives back what a long text needed. */
  settle(): void {
    if (this.#reserved > KEEP_BYTES) {
      this.#glue.reserve(0);
      this.#reserved = 0;
      this.#input = NOTHING;
    }
  }

  /** Forgets the contract `id` when `owner` is collected. */
  watch(owner: object, id: number): void {
    this.#finalizer?.register(owner, id, owner);
  }

  /** Forgets the contract `id` now. */
  free(owner: object, id: number): void {
    this.#finalizer?.unregister(owner);
    this.#release(id);
  }

  #release(id: number): void {
    if (!this.isDead) {
      this.run((glue) => glue.release(id));
    }
  }

  #writeLong(text: string): number {
    this.#reserve(text.length);
    let { read, written } = encoder.encodeInto(text, this.#input);
    if (read < text.length) {
      // More than one byte a unit: at most three.
      this.#reserve(written + 3 * (text.length - read));
      written += encoder.encodeInto(text.slice(read), this.#input.subarray(written)).written;
    }
    return written;
  }

  #reserve(length: number): void {
    this.#reserved = Math.max(length, this.#reserved, START_BYTES);
    const start = this.#glue.reserve(this.#reserved);
    this.#input = new Uint8Array(this.#glue.memory.buffer, start, this.#reserved);
  }
}
