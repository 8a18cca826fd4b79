/** The right-hand side: an answer, and what a click on a part of it shows. */

import type { Piece } from "./diff.js";
import { count, make, part } from "./dom.js";
import type { Place } from "./places.js";
import type { Answer, Card, Note, Report, Result, SchemaFault, Some } from "./report.js";
import { RULE_INFO } from "./rules.js";

/** Where a card's places are: in the schema, in the arguments, in the result. */
export interface Shown {
  readonly schema?: Place | undefined;
  readonly args?: Place | undefined;
  readonly result?: Place | undefined;
}

export interface Actions {
  /** Shows places in the editors; none of them is taken back. */
  show(shown: Shown): void;
  copy(text: string, what: string): void;
}

const LONGEST_GONE = 160;
const CONTEXT = 14;

export class ResultView {
  readonly #actions: Actions;
  readonly #panel = part("result");
  readonly #answer = part("answer");
  readonly #status = part("status");
  readonly #title = part("result-title");
  readonly #took = part("took");
  readonly #jump = part("jump");
  #pressed: HTMLButtonElement | undefined;
  #text: { readonly element: HTMLElement; readonly result: Result } | undefined;
  #tokens: HTMLElement | undefined;

  constructor(actions: Actions) {
    this.#actions = actions;
    const observer = new IntersectionObserver(([entry]) => {
      this.#jump.toggleAttribute("data-away", entry?.isIntersecting === false);
    });
    observer.observe(this.#panel);
  }

  /** Shows a report, and gives what it comes to in one line. */
  show(report: Report): string {
    this.#panel.setAttribute("aria-busy", "false");
    this.#pressed = undefined;
    this.#text = undefined;
    this.#tokens = undefined;
    switch (report.kind) {
      case "schema":
        return this.#fault("Schema error", "This is no schema", [this.#schemaFault(report)]);
      case "options":
        return this.#fault("Options error", "The options are wrong", [make("p", {}, report.reason)]);
      case "fault":
        return this.#fault("Error", "Something went wrong", [make("p", {}, report.reason)]);
      case "answer":
        return this.#answered(report);
    }
  }

  /** An answer is on its way; the last one stays until then. */
  asked(): void {
    this.#panel.setAttribute("aria-busy", "true");
  }

  loading(): void {
    this.#head("waiting", "Loading", "The full validator is being loaded");
  }

  empty(): void {
    this.#panel.setAttribute("aria-busy", "false");
    this.#head("waiting", "Nothing yet", "There is no schema");
    this.#answer.replaceChildren(
      make(
        "p",
        { class: "empty" },
        "Paste a JSON Schema or a tool definition on the left, or take one of the failures above.",
      ),
    );
  }

  tokens(count: number | undefined): void {
    if (this.#tokens !== undefined) {
      this.#tokens.textContent = count === undefined ? "tokens could not be counted" : `${count} tokens (o200k_base)`;
    }
  }

  #fault(status: string, title: string, children: readonly Node[]): string {
    this.#head("refused", status, title);
    this.#answer.replaceChildren(make("div", { class: "block fault" }, ...children));
    return `${status}: ${this.#answer.textContent}`;
  }

  #schemaFault(report: SchemaFault): Node {
    const where = report.path === "" ? "the schema" : report.path;
    return make(
      "ul",
      { class: "cards" },
      this.#card("issue", { schema: report.place }, [
        make("span", { class: "card-head" }, make("code", { class: "path" }, where)),
        make("span", { class: "hint" }, report.reason),
      ]),
    );
  }

  #answered(answer: Answer): string {
    const { status, repairs, issues, warnings, result, feedback } = answer;
    const titles = {
      repaired: `${count(repairs.count, "repair")}, and the tool may run`,
      unchanged: "Valid as it came",
      refused: `${count(issues.count, "issue")}, and nothing was changed`,
    };
    const names = { repaired: "Mended", unchanged: "Unchanged", refused: "Refused" };
    this.#head(status, names[status], titles[status]);
    this.#took.textContent = took(answer.milliseconds);
    this.#answer.replaceChildren(
      ...this.#resultBlock(status, result),
      ...this.#list("Repairs", repairs, (card) => this.#repair(card)),
      ...this.#list("Issues", issues, (note) => this.#note("issue", note)),
      ...this.#feedback(feedback),
      ...this.#list("Warnings", warnings, (note) => this.#note("warning", note)),
    );
    const warned = warnings.count === 0 ? "" : `, ${count(warnings.count, "warning")}`;
    return `${names[status]}: ${titles[status]}${warned}`;
  }

  #head(status: string, name: string, title: string): void {
    this.#panel.dataset.status = status;
    this.#status.textContent = name;
    this.#title.textContent = title;
    this.#took.textContent = "";
    this.#jump.dataset.status = status;
    this.#jump.replaceChildren(make("strong", {}, name), ` ${title}`);
  }

  #resultBlock(status: string, result: Result | undefined): Node[] {
    if (result === undefined) {
      return [];
    }
    const element = make("pre", { class: "json", tabindex: "0", role: "group", "aria-label": "Canonical arguments" });
    this.#text = { element, result };
    this.#draw(undefined);
    const legend = status === "repaired" && result.pieces !== undefined;
    const copy = make("button", { type: "button", class: "link" }, "Copy");
    copy.addEventListener("click", () => this.#actions.copy(result.text, "The arguments are"));
    return [
      make(
        "div",
        { class: "block" },
        make(
          "div",
          { class: "block-head" },
          make("h3", {}, "Canonical arguments"),
          legend && make("span", { class: "legend aside" }, make("del", {}, "came"), " ", make("ins", {}, "mended")),
          result.isCut ? undefined : copy,
        ),
        element,
        result.isCut && make("p", { class: "aside" }, "Only the beginning is shown; the whole is too long to compare."),
        !result.isCut &&
          result.pieces === undefined &&
          make("p", { class: "aside" }, "Too much differs to show it token by token."),
      ),
    ];
  }

  #draw(place: Place | undefined): void {
    if (this.#text !== undefined) {
      const { element, result } = this.#text;
      const pieces = result.pieces ?? [{ kind: "same", text: result.text, from: 0 } as const];
      element.replaceChildren(...pieces.flatMap((piece) => drawn(piece, place)));
      element.querySelector("mark")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  #list<T>(title: string, { shown, count }: Some<T>, card: (item: T) => HTMLElement): Node[] {
    if (count === 0) {
      return [];
    }
    const rest = count - shown.length;
    return [
      make(
        "div",
        { class: "block" },
        make("div", { class: "block-head" }, make("h3", {}, title), make("span", { class: "aside" }, String(count))),
        make("ol", { class: "cards" }, ...shown.map(card)),
        rest > 0 && make("p", { class: "aside" }, `And ${rest.toLocaleString("en")} more.`),
      ),
    ];
  }

  #repair({ rule, path, before, after, text, isLossy, input, output }: Card): HTMLElement {
    return this.#card("repair", { args: input, result: output }, [
      make(
        "span",
        { class: "card-head" },
        make("code", { class: "rule" }, rule),
        make("code", { class: "path" }, path === "" ? "the whole call" : path),
        isLossy && make("span", { class: "lossy" }, "loses something"),
      ),
      make("span", { class: "hint" }, RULE_INFO[rule].what),
      text === undefined ? change(before, after) : make("span", { class: "change text" }, ...text.flatMap(brief)),
    ]);
  }

  #note(kind: string, { code, path, hint, received, candidates, input, schema }: Note): HTMLElement {
    return this.#card(kind, { args: input, schema }, [
      make(
        "span",
        { class: "card-head" },
        make("code", { class: "rule" }, code),
        make("code", { class: "path" }, path === "" ? "the whole call" : path),
      ),
      make("span", { class: "hint" }, hint),
      received !== undefined && make("span", { class: "detail" }, "came ", make("code", {}, received)),
      candidates.length > 0 &&
        make(
          "span",
          { class: "detail" },
          code === "ambiguous" ? "could be " : "near ",
          ...candidates.flatMap((text, index) => [index === 0 ? "" : " or ", make("code", {}, text)]),
        ),
    ]);
  }

  #card(kind: string, shown: Shown, children: readonly (Node | false | undefined)[]): HTMLLIElement {
    const button = make("button", { type: "button", class: `card ${kind}`, "aria-pressed": "false" }, ...children);
    button.addEventListener("click", () => this.#press(this.#pressed === button ? undefined : button, shown));
    return make("li", {}, button);
  }

  #press(button: HTMLButtonElement | undefined, shown: Shown): void {
    this.#pressed?.setAttribute("aria-pressed", "false");
    this.#pressed = button;
    button?.setAttribute("aria-pressed", "true");
    const places = button === undefined ? {} : shown;
    this.#draw(places.result);
    this.#actions.show(places);
  }

  #feedback(feedback: string): Node[] {
    if (feedback === "") {
      return [];
    }
    this.#tokens = make("span", { class: "aside", id: "tokens" }, "counting tokens …");
    const copy = make("button", { type: "button", class: "link" }, "Copy");
    copy.addEventListener("click", () => this.#actions.copy(feedback, "The feedback is"));
    return [
      make(
        "div",
        { class: "block" },
        make("div", { class: "block-head" }, make("h3", {}, "What the model is told"), this.#tokens, copy),
        make(
          "pre",
          { class: "feedback", tabindex: "0", role: "group", "aria-label": "Feedback for the model" },
          feedback,
        ),
      ),
    ];
  }
}

/** A piece as elements: what lies at `place` is marked. */
function drawn(piece: Piece, place: Place | undefined): Node[] {
  if (piece.kind === "gone") {
    const text = piece.text.length > LONGEST_GONE ? `${piece.text.slice(0, LONGEST_GONE)}…` : piece.text;
    return [make("del", {}, text.replace(/\s*\n\s*/g, " "))];
  }
  const { kind, text, from } = piece;
  const wrap = (start: number, end: number, isMarked: boolean): Node[] => {
    const slice = text.slice(start, end);
    if (slice === "") {
      return [];
    }
    const inner = isMarked ? make("mark", {}, slice) : document.createTextNode(slice);
    return [kind === "new" ? make("ins", {}, inner) : inner];
  };
  const start = Math.min(Math.max((place?.from ?? 0) - from, 0), text.length);
  const end = Math.min(Math.max((place?.to ?? 0) - from, start), text.length);
  return [...wrap(0, start, false), ...wrap(start, end, true), ...wrap(end, text.length, false)];
}

function change(before: string | undefined, after: string | undefined): HTMLElement {
  return make(
    "span",
    { class: "change" },
    before === undefined ? make("span", { class: "nothing" }, "absent") : make("del", {}, before),
    make(
      "span",
      { class: "became" },
      make("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      make("span", { class: "hidden" }, "became"),
      after === undefined ? make("span", { class: "nothing" }, "left out") : make("ins", {}, after),
    ),
  );
}

/** A piece of a card, where what stayed is there only to tell the place. */
function brief(piece: Piece): Node[] {
  if (piece.kind !== "same" || piece.text.length <= 2 * CONTEXT) {
    return drawn(piece, undefined);
  }
  return [document.createTextNode(`${piece.text.slice(0, CONTEXT)} … ${piece.text.slice(-CONTEXT)}`)];
}

function took(milliseconds: number): string {
  return milliseconds < 1 ? "under 1 ms" : `${Math.round(milliseconds)} ms`;
}
