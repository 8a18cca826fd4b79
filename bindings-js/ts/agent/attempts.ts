/** The retries of an agent as data: what follows from each answer, and the log that knows of the ones before. */

import { loneSurrogate, readHost } from "../host.js";
import { jsonInteger, parseExactly } from "../json.js";
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
  /**
   * The same as plain data, for `JSON.stringify`: a `bigint` in `value` as `outcome.toJSON` writes it, and no `value` where
   * that is no JSON.
   */
  readonly toJSON?: () => unknown;
}

/** What is known of a call beside its arguments. */
export interface CallOptions {
  /** How the reply ended: a call that was cut is refused whatever it looks like. */
  readonly finish?: Finish | undefined;
  /** The call's own id. */
  readonly id?: string | number | undefined;
  /**
   * Calls of one turn (the id of the model's message, say) are one attempt: a model that calls a tool three times at once
   * has not tried three times. Whatever text it is, it is never taken for the turn of a message that `decideMessage` was
   * given. `TypeError` for text with half of a surrogate pair.
   */
  readonly turn?: string | undefined;
}

/** The state of an {@link Attempts} as data: of what was sent it has digests alone. */
export interface AttemptsState {
  readonly budget: number;
  /** The refused calls in a row, by tool. */
  readonly refused: { readonly [tool: string]: RefusedCalls };
  /** Those of tools that there are none of. */
  readonly unknown?: RefusedCalls;
}

/** Refused calls in a row. */
export interface RefusedCalls {
  /** `ended` is the turn in which a call was accepted after it or beside it. */
  readonly calls: readonly { readonly sent: string; readonly turn?: string; readonly ended?: string }[];
  /** How many attempts there were before those that are kept. */
  readonly earlier?: number;
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
  /** How many messages there were. */
  #messages = 0;

  /** @internal */
  constructor(answers: Answers, state: string) {
    this.#answers = answers;
    this.#state = state;
  }

  /** Repairs a call, and says what follows. Throws `TypeError` if a guard of the tool is asynchronous. */
  decide(name: string, args?: unknown, options: CallOptions = {}): Decision {
    const turn = named(options.turn);
    return this.#decided(name, args, this.#answers.answer(name, args, options.finish), options.id, turn);
  }

  /** Does the same, and awaits asynchronous guards. */
  async decideAsync(name: string, args?: unknown, options: CallOptions = {}): Promise<Decision> {
    const turn = named(options.turn);
    return this.#decided(name, args, await this.#answers.answerAsync(name, args, options.finish), options.id, turn);
  }

  /** Repairs every call in a message of a model (see `toolbox.repairMessage`): one turn, in their order. */
  decideMessage(message: unknown, options: { readonly finish?: Finish | undefined } = {}): Decision[] {
    return this.#calls(message, options.finish).map(({ name, args, finish, id, turn }) =>
      this.#decided(name, args, this.#answers.answer(name, args, finish), id, turn),
    );
  }

  /** Does the same, and awaits asynchronous guards. */
  async decideMessageAsync(
    message: unknown,
    options: { readonly finish?: Finish | undefined } = {},
  ): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (const { name, args, finish, id, turn } of this.#calls(message, options.finish)) {
      const outcome = await this.#answers.answerAsync(name, args, finish);
      decisions.push(this.#decided(name, args, outcome, id, turn));
    }
    return decisions;
  }

  /** The log as plain data, for `toolbox.attempts({ state })`. */
  toJSON(): AttemptsState {
    return JSON.parse(this.#state) as AttemptsState;
  }

  #calls(message: unknown, given: Finish | undefined) {
    const calls = callsIn(message, given);
    const turn = this.#nextTurn();
    return calls.map((call) => ({
      name: call.name,
      args: call.arguments,
      id: call.id,
      finish: call.finish,
      turn,
    }));
  }

  /** The turn of a message: one that no refusal in the log has, since the log may have been gone on with. */
  #nextTurn(): string {
    const { refused, unknown } = this.toJSON();
    const rows = [...Object.values(refused), ...(unknown === undefined ? [] : [unknown])];
    const taken = new Set(rows.flatMap(({ calls }) => calls.flatMap(({ turn, ended }) => [turn, ended])));
    do {
      this.#messages += 1;
    } while (taken.has(`${MESSAGE}${this.#messages}`));
    return `${MESSAGE}${this.#messages}`;
  }

  #decided(name: string, args: unknown, outcome: Outcome, id: CallOptions["id"], turn: string | undefined): Decision {
    const { state, decision: verdict } = decide(this.#state, name, outcome.ok ? "" : textOf(args), turn, outcome);
    this.#state = state;
    const call = { tool: name, ...(id === undefined ? {} : { id }), outcome };
    const { attempt, remaining } = verdict;
    const decision = writable(
      this.#answers.isReport
        ? { action: "run" as const, attempt, remaining, ...call, value: args }
        : { ...verdict, ...call, ...(outcome.ok ? { value: outcome.value } : {}) },
    );
    this.#answers.tell(name, outcome, decision);
    return decision;
  }
}

/** What the turns of messages begin with; one more of it stands before a turn of the caller's own that begins so. */
const MESSAGE = "#";

/** A turn of the caller's own as the log has it. */
function named(turn: unknown): string | undefined {
  if (turn === undefined || turn === null) {
    return undefined;
  }
  if (typeof turn !== "string" || loneSurrogate(turn) >= 0) {
    throw new TypeError("`turn` must be text, without half of a surrogate pair");
  }
  return turn.startsWith(MESSAGE) ? `${MESSAGE}${turn}` : turn;
}

/** The decision with a `toJSON` that `JSON.stringify` finds and a loop over the members does not. */
function writable(decision: Omit<Decision, "toJSON">): Decision {
  const toJSON = () => {
    const { value, ...rest } = decision;
    const text = value === undefined ? undefined : jsonOf(value);
    return text === undefined ? rest : { ...rest, value: parseExactly(text, jsonInteger) };
  };
  return Object.defineProperty(decision, "toJSON", { value: toJSON }) as Decision;
}

/** As deep and as long as the core reads if nothing else is said. */
const RULES = { depth: 128, bytes: 8 << 20, issues: 1, symbols: "refuse" } as const;

/** What was sent as text, the same for the same data; `undefined` where that cannot be known. */
function textOf(args: unknown): string | undefined {
  if (args === undefined) {
    return "";
  }
  if (typeof args === "string") {
    return loneSurrogate(args) < 0 ? args : undefined;
  }
  return jsonOf(args);
}

/** Host data as JSON text, if all of it is JSON. */
function jsonOf(data: unknown): string | undefined {
  const reading = readHost(data, RULES);
  return "text" in reading && reading.text.length <= RULES.bytes ? reading.text : undefined;
}
