/** The tools that a server lists, compiled; listed again when a name comes that is not known. */

import { type Attempts, compileTools, type Decision, type Toolbox } from "toolmend";
import { compiled, type MendOptions, roomed } from "./shared.js";

export type { MendOptions } from "./shared.js";

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
}

/** A result: of `tools/list` or `tools/call`. */
export interface Result {
  readonly [key: string]: unknown;
  readonly tools?: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
  readonly content?: readonly object[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What is known of a call beside its arguments. */
interface About {
  readonly id?: string | number;
  /** What the transport says of the message: a list is asked for in its name. */
  readonly extra?: unknown;
}

export class Listed {
  /** What the transport said of the call that needs the list. */
  extra: unknown;
  readonly #list: (cursor: string | undefined) => Promise<Result>;
  readonly #options: MendOptions;
  readonly #given: Toolbox | undefined;
  readonly #budget: number | undefined;
  #toolbox: Promise<Toolbox> | undefined;
  #latest: Toolbox;
  #attempts: { readonly toolbox: Toolbox; readonly log: Attempts } | undefined;

  constructor(list: (cursor: string | undefined) => Promise<Result>, { toolbox, budget, ...options }: MendOptions) {
    this.#list = list;
    this.#options = options;
    this.#given = toolbox === undefined ? undefined : roomed(toolbox, "doubles");
    this.#budget = budget;
    this.#latest = this.#given ?? compileTools([], this.#limited([]));
    this.#latest.attempts(this.#budgeted());
  }

  /** What follows from a call; `undefined` for a tool that the server does not list: that is its own to answer. */
  async decide(name: string, args: unknown, { id, extra }: About): Promise<Decision | undefined> {
    const toolbox = await this.#of(name, extra);
    if (toolbox.contract(name) === undefined) {
      return undefined;
    }
    return this.#log(toolbox).decideAsync(name, args, { id });
  }

  /** A result, or, if it does not fit the tool's output schema, one that says so. */
  checked(name: string, result: Result): Result {
    const outcome = result.isError === true ? undefined : this.#latest.check(name, result.structuredContent);
    if (outcome === undefined || outcome.ok || this.#latest.mode === "report") {
      return result;
    }
    const told = outcome.issues.map(({ path, hint }) => `${path || "result"}: ${hint}`).join("; ");
    const text = `The tool ran, and its result does not fit its output schema: ${told}`;
    return { content: [{ type: "text", text }], isError: true };
  }

  /** The list has changed. */
  forget(): void {
    this.#toolbox = undefined;
  }

  async #of(name: string, extra: unknown): Promise<Toolbox> {
    if (this.#given !== undefined) {
      return this.#given;
    }
    const before = this.#toolbox;
    const known = await before;
    if (known?.contract(name) === undefined && this.#toolbox === before) {
      this.extra = extra;
      const listed = this.#compiled();
      this.#toolbox = listed;
      listed.catch(() => {
        this.#toolbox = undefined;
      });
    }
    return (await this.#toolbox) ?? this.#latest;
  }

  async #compiled(): Promise<Toolbox> {
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#list(cursor);
      tools.push(...(page.tools ?? []));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    // JSON has no room for a `bigint`.
    this.#latest = compiled(tools, this.#limited(tools), "doubles");
    return this.#latest;
  }

  /** The options, without those for tools that are not listed now. */
  #limited(tools: readonly ListedTool[]): MendOptions {
    const { tools: own = {}, ...common } = this.#options;
    const listed = Object.entries(own).filter(([name]) => tools.some((tool) => tool.name === name));
    return { ...common, tools: Object.fromEntries(listed) };
  }

  /** The log of the connection, which goes on when the list has changed. */
  #log(toolbox: Toolbox): Attempts {
    if (this.#attempts?.toolbox !== toolbox) {
      const state = this.#attempts?.log.toJSON();
      this.#attempts = { toolbox, log: toolbox.attempts(state === undefined ? this.#budgeted() : { state }) };
    }
    return this.#attempts.log;
  }

  #budgeted(): { readonly budget?: number } {
    return this.#budget === undefined ? {} : { budget: this.#budget };
  }
}
