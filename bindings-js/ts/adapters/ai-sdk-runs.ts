/** What is kept between the hooks of the AI SDK, which know nothing of each other. */

import { remember } from "./shared.js";

/** What of a message is looked at (`ModelMessage`). */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** What of a run is known: an object that stands for it. */
type Run = object;

/** Accepted calls, and the runs that calls belong to. */
export class Kept {
  /** Accepted by the hook, until the validation that follows: by tool and arguments as JSON. */
  readonly #accepted = new Map<string, { count: number; readonly value: unknown }>();
  /** Accepted by the hook, until the tool runs: by the id of the call. */
  readonly #waiting = new Map<string, { readonly value: unknown }>();
  /** The run of each call, by its id. */
  readonly #runs = new Map<string, Run>();
  /** The run of each step: its calls are given the same list of messages. */
  readonly #steps = new WeakMap<readonly Message[], Run>();

  /** Remembers a call: `parsed` is what the SDK will read, `value` the exact value. */
  accept(id: string, tool: string, parsed: unknown, value: unknown): void {
    const key = keyOf(tool, parsed);
    const known = this.#accepted.get(key);
    remember(this.#accepted, key, { count: (known?.count ?? 0) + 1, value });
    remember(this.#waiting, id, { value });
  }

  /** The exact value of arguments that the hook has accepted, once for each time. */
  accepted(tool: string, parsed: unknown): unknown {
    const key = keyOf(tool, parsed);
    const known = this.#accepted.get(key);
    if (known === undefined) {
      return undefined;
    }
    known.count -= 1;
    if (known.count === 0) {
      this.#accepted.delete(key);
    }
    return known.value;
  }

  /** What the call is to run with, once. */
  take(id: string): { readonly value: unknown } | undefined {
    const known = this.#waiting.get(id);
    this.#waiting.delete(id);
    return known;
  }

  /**
   * The run that a call belongs to: that of the calls before it since the user last spoke. The SDK does not name its runs.
   */
  run(messages: readonly Message[], id: string): Run {
    let run = this.#steps.get(messages);
    if (run === undefined) {
      run = this.#runBefore(messages) ?? {};
      this.#steps.set(messages, run);
    }
    remember(this.#runs, id, run);
    return run;
  }

  #runBefore(messages: readonly Message[]): Run | undefined {
    for (const { role, content } of messages.toReversed()) {
      if (role === "user") {
        return undefined;
      }
      for (const part of Array.isArray(content) ? content : []) {
        const run = part?.type === "tool-call" ? this.#runs.get(part.toolCallId) : undefined;
        if (run !== undefined) {
          return run;
        }
      }
    }
    return undefined;
  }
}

function keyOf(tool: string, parsed: unknown): string {
  return JSON.stringify([tool, parsed]);
}
