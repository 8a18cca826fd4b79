/** What the adapters of frameworks share. */

import { type Attempts, compileTools, SchemaError, Toolbox, type ToolboxOptions } from "toolmend";

/** Options of every adapter: those of `compileTools`, where no toolbox is given, and the budget. */
export interface MendOptions extends ToolboxOptions {
  /** How many calls of a tool in a row may be refused until the model is told to go on without it: 3 if nothing is said. */
  readonly budget?: number | undefined;
  /** Tools that are compiled already; those that it does not know are left alone. */
  readonly toolbox?: Toolbox | undefined;
}

/** A tool of a framework as `compileTools` takes it. */
export interface Named {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/**
 * What a framework has room for: a `bigint`; the digits of a text (then a number that would lose some is refused, if the
 * host does not ask for `bigint`); or nothing but doubles (then such a number is refused in any case).
 */
export type Room = "bigint" | "digits" | "doubles";

/**
 * The toolbox that is given, or one of the definitions. There a schema that cannot be compiled is an error: a framework
 * calls its tools whether we know them or not, and one that did not compile would go unchecked.
 */
export function toolboxOf(
  definitions: () => readonly Named[],
  { toolbox, budget: _, ...rest }: MendOptions,
  room: Room,
): Toolbox {
  if (toolbox !== undefined) {
    if (!(toolbox instanceof Toolbox)) {
      throw new TypeError("`toolbox` must be what `compileTools` gives");
    }
    const said = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
    if (said.length > 0) {
      throw new TypeError(`a toolbox has its options already: ${said.map(([name]) => name).join(", ")}`);
    }
    return roomed(toolbox, room);
  }
  const made = compiled(definitions(), rest, room);
  const [fault] = made.faults;
  if (fault !== undefined) {
    throw new SchemaError(fault.path, `tool \`${fault.name ?? fault.index}\`: ${fault.message}`);
  }
  return made;
}

/** The toolbox as `room` has it. */
export function roomed(toolbox: Toolbox, room: Room): Toolbox {
  return room === "bigint" ? toolbox : toolbox.refusing(room === "doubles");
}

/** A toolbox of the definitions as `room` has it. */
export function compiled(definitions: readonly object[], options: ToolboxOptions, room: Room): Toolbox {
  if (room === "bigint") {
    return compileTools(definitions, options);
  }
  const made = compileTools(definitions, { ...options, numbers: options.numbers ?? "refuse" });
  const isAsked = [options, ...Object.values(options.tools ?? {})].some((each) => each?.numbers === "bigint");
  return isAsked ? roomed(made, room) : made;
}

/** The attempts of each run of an agent, which is known by an object that lives as long as the run. */
export class Runs {
  readonly #toolbox: Toolbox;
  readonly #budget: number | undefined;
  readonly #attempts = new WeakMap<object, Attempts>();

  constructor(toolbox: Toolbox, { budget }: MendOptions) {
    this.#toolbox = toolbox;
    this.#budget = budget;
    this.begin();
  }

  /** The attempts of a run. */
  of(run: object): Attempts {
    let attempts = this.#attempts.get(run);
    if (attempts === undefined) {
      attempts = this.begin();
      this.#attempts.set(run, attempts);
    }
    return attempts;
  }

  /** New attempts. Throws `TypeError` for a bad budget. */
  begin(): Attempts {
    return this.#toolbox.attempts(this.#budget === undefined ? {} : { budget: this.#budget });
  }
}

/** Most calls that are remembered: what was answered and never run is forgotten some day. */
const MOST = 1024;

/** Sets a key of a map that forgets its oldest. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) {
    const [oldest] = map.keys();
    map.delete(oldest as string);
  }
}
