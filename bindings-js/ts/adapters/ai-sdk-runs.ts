/**
 * What is known of calls between the hooks of the AI SDK, which know nothing of each other. All of it is known by objects
 * that the SDK hands on, and none by the ids of calls: models give an id twice, leave it empty, and begin anew with each
 * conversation.
 */

/** What of a message is looked at (`ModelMessage`). */
export interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A call that was answered, as the messages of the next step will tell of it. */
export type Told = { readonly id: string; readonly name: string } & (
  | { readonly input: unknown }
  | { readonly refused: string }
);

/** One run of an agent: an object that stands for it. */
export interface Run {
  turns: number;
  /** The calls of its last step, until the next one is seen. */
  calls: Told[];
}

/** The step that a call stands in. */
export interface Step {
  readonly run: Run;
  /** The same for all calls of the step. */
  readonly turn: string;
  /** How many messages there were: an array that has grown is another step. */
  readonly length: number;
}

interface Part {
  readonly type?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
}

/** Most runs that are kept of those that began with the same message object. */
const MOST = 256;

/** The runs of the messages that the SDK tells: it does not name them. */
export class Steps {
  /** The calls of a step are given the same array. */
  readonly #steps = new WeakMap<readonly Message[], Step>();
  /** The messages that the SDK has made, in a run. */
  readonly #made = new WeakMap<Message, Run>();
  /** The runs that began with a message: a host may begin any number with one. */
  readonly #begun = new WeakMap<Message, Run[]>();

  of(messages: readonly Message[]): Step {
    const known = this.#steps.get(messages);
    if (known !== undefined && known.length === messages.length) {
      return known;
    }
    const at = messages.findLastIndex(({ role }) => role === "user");
    const since = messages.slice(at + 1);
    const run = this.#before(messages[at], since) ?? this.#begin(messages.at(-1));
    for (const message of since) {
      this.#made.set(message, run);
    }
    run.turns += 1;
    run.calls = [];
    const step = { run, turn: String(run.turns), length: messages.length };
    this.#steps.set(messages, step);
    return step;
  }

  /** Notes a call of a step. */
  tell({ run, turn }: Step, call: Told): void {
    if (turn === String(run.turns)) {
      run.calls.push(call);
    }
  }

  #before(user: Message | undefined, since: readonly Message[]): Run | undefined {
    const made = since.findLast((message) => this.#made.has(message));
    if (made !== undefined) {
      return this.#made.get(made);
    }
    // A host may have made the messages anew, or left some out: then their calls are compared.
    const replies = since.filter(({ role }) => role === "assistant").length;
    const begun = (user === undefined ? undefined : this.#begun.get(user)) ?? [];
    const alike = begun.filter(({ turns, calls }) => calls.length > 0 && turns >= replies && areIn(calls, since));
    if (replies === 1 && alike.some(({ turns }) => turns === 1)) {
      // Runs that were told the same of the same first calls differ in nothing so far.
      const [run] = alike.filter(({ turns }) => turns === 1).sort((one, two) => two.calls.length - one.calls.length);
      return run;
    }
    return alike.length === 1 ? alike[0] : undefined;
  }

  #begin(message: Message | undefined): Run {
    const run = { turns: 0, calls: [] };
    if (message !== undefined) {
      this.#begun.set(message, [...(this.#begun.get(message) ?? []), run].slice(-MOST));
    }
    return run;
  }
}

/** Whether the messages tell of these calls. */
function areIn(calls: readonly Told[], messages: readonly Message[]): boolean {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Part[]) : []));
  return calls.every((call) =>
    parts.some(
      ({ type, toolCallId, toolName, input }) =>
        type === "tool-call" &&
        toolCallId === call.id &&
        toolName === call.name &&
        ("input" in call ? input === call.input : JSON.stringify(input) === shown(call.refused)),
    ),
  );
}

/** What the SDK shows of a call that is invalid: an empty object where the text is no JSON. */
function shown(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? JSON.stringify(value) : "{}";
  } catch {
    return "{}";
  }
}
