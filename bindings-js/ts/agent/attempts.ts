/** The retries of an agent as data: what follows from each answer, and the log that knows of the ones before. */

import { readHost } from "../host.js";
import type { Finish, Outcome } from "../types.js";
import { decide, type Verdict } from "./core.js";
import { callsIn } from "./messages.js";

/** What a host is to do with a call. */
export interface Decision extends Verdict {
  /** The name that the model called. */
  readonly tool: string;
  /** The call's own id, where it has one. */
  readonly id?: string | number | undefined;
  /** The answer itself. */
  readonly outcome: Outcome;
  /** What to run with: the canonical arguments; in report mode what came, untouched. */
  readonly value?: unknown;
}

/** What is known of a call beside its arguments. */
export interface CallOptions {
  /** How the reply ended: a call that was cut is refused whatever it looks like. */
  readonly finish?: Finish | undefined;
  /** The call's own id. */
  readonly id?: string | number | undefined;
  /**
   * Calls of one turn (the id of the model's message, say) are one attempt: a model that calls a tool three times at once
   * has not tried three times.
   */
  readonly turn?: string | undefined;
}

/** The state of an {@link Attempts} as data: of what was sent it has digests alone. */
export interface AttemptsState {
  readonly budget: number;
  readonly refused: { readonly [tool: string]: readonly { readonly sent: string; readonly turn?: string }[] };
}

/** What a toolbox does for its attempts. */
export interface Answers {
  readonly isReport: boolean;
  answer(name: string, args: unknown, finish: Finish | undefined): Outcome;
  answerAsync(name: string, args: unknown, finish: Finish | undefined): Promise<Outcome>;
  tell(name: string, outcome: Outcome, decision: Decision): void;
}

/**
 * The log of the attempts in one run of an agent; made by `toolbox.attempts()`.
 *
 * Refusals in a row are counted for each tool (for calls of unknown tools together); an accepted call ends its row.
 */
export class Attempts {
  readonly #answers: Answers;
  #state: string;
  #turn: number;

  /** @internal */
  constructor(answers: Answers, state: string) {
    this.#answers = answers;
    this.#state = state;
    // A log that is gone on with has turns already, and the next message is none of them.
    const turns = Object.values(this.toJSON().refused).flatMap((row) => row.map(({ turn }) => turn));
    this.#turn = Math.max(0, ...turns.map((turn) => Number(/^message (\d+)$/.exec(turn ?? "")?.[1] ?? 0)));
  }

  /** Repairs a call, and says what follows. Throws `TypeError` if a guard of the tool is asynchronous. */
  decide(name: string, args?: unknown, options: CallOptions = {}): Decision {
    return this.#decided(name, args, this.#answers.answer(name, args, options.finish), options);
  }

  /** Does the same, and awaits asynchronous guards. */
  async decideAsync(name: string, args?: unknown, options: CallOptions = {}): Promise<Decision> {
    return this.#decided(name, args, await this.#answers.answerAsync(name, args, options.finish), options);
  }

  /** Repairs every call in a message of a model (see `toolbox.repairMessage`): one turn, in their order. */
  decideMessage(message: unknown, options: { readonly finish?: Finish | undefined } = {}): Decision[] {
    return this.#calls(message, options.finish).map(({ name, args, ...rest }) => this.decide(name, args, rest));
  }

  /** Does the same, and awaits asynchronous guards. */
  async decideMessageAsync(
    message: unknown,
    options: { readonly finish?: Finish | undefined } = {},
  ): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (const { name, args, ...rest } of this.#calls(message, options.finish)) {
      decisions.push(await this.decideAsync(name, args, rest));
    }
    return decisions;
  }

  /** The log as plain data, for `toolbox.attempts({ state })`. */
  toJSON(): AttemptsState {
    return JSON.parse(this.#state) as AttemptsState;
  }

  #calls(message: unknown, given: Finish | undefined) {
    const calls = callsIn(message, given);
    this.#turn += 1;
    const turn = `message ${this.#turn}`;
    return calls.map((call) => ({
      name: call.name,
      args: call.arguments,
      id: call.id,
      finish: call.finish,
      turn,
    }));
  }

  #decided(name: string, args: unknown, outcome: Outcome, { id, turn }: CallOptions): Decision {
    const { state, decision: verdict } = decide(this.#state, name, outcome.ok ? "" : textOf(args), turn, outcome);
    this.#state = state;
    const named = { tool: name, ...(id === undefined ? {} : { id }), outcome };
    const { attempt, remaining } = verdict;
    const decision: Decision = this.#answers.isReport
      ? { action: "run", attempt, remaining, ...named, value: args }
      : { ...verdict, ...named, ...(outcome.ok ? { value: outcome.value } : {}) };
    this.#answers.tell(name, outcome, decision);
    return decision;
  }
}

/** Deep and long enough to tell one call from another. */
const RULES = { depth: 256, bytes: 1 << 24, issues: 8, symbols: "ignore" } as const;

/** What was sent as text, the same for the same data. */
function textOf(args: unknown): string {
  if (typeof args === "string" || args === undefined) {
    return args ?? "";
  }
  const reading = readHost(args, RULES);
  return "text" in reading ? reading.text : JSON.stringify(reading.issues);
}
