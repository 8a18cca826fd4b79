/** The page: what is on it goes to the worker, and what comes back is shown. */

import { python, typescript } from "./code.js";
import { copy, say } from "./copy.js";
import { part } from "./dom.js";
import { Editor, type Mark } from "./editor.js";
import { engine } from "./engine.js";
import type { Example } from "./examples.js";
import { Gallery } from "./gallery.js";
import { layout } from "./layout.js";
import { PolicyPanel } from "./policy.js";
import type { Report } from "./report.js";
import { ResultView } from "./result.js";
import { fromFragment, toFragment } from "./share.js";
import type { State } from "./state.js";
import { setUpTheme } from "./theme.js";

/** How long to wait for the next key; longer where every answer is work. */
const PAUSE = 120;
const LONG_PAUSE = 350;
const LONG_TEXT = 100_000;
/** A link of this length is cut by some programs. */
const LONG_LINK = 8_000;

const schema = new Editor(part("schema"), {
  label: "Schema or tool definition, JSON",
  text: "",
  empty: "Paste a JSON Schema, or a tool definition of OpenAI, Anthropic, Gemini or MCP",
  onChange: changed,
});
const args = new Editor(part("args"), {
  label: "Arguments, as the model wrote them",
  text: "",
  empty: "Paste the arguments of a call, exactly as the model wrote them",
  onChange: changed,
});
const options = new Editor(part("options"), {
  label: "Other options of compile, JSON",
  text: "",
  empty: '{"undeclared": "refuse"}',
  onChange: changed,
});
const policy = new PolicyPanel(changed);
const view = new ResultView({
  show(shown) {
    schema.show(shown.schema);
    args.show(shown.args);
  },
  copy: (text, what) => void copy(text, what),
});
engine.tell({
  report: showReport,
  tokens: (count) => view.tokens(count),
  loading: () => view.loading(),
});
const gallery = new Gallery((example) => {
  load(fromExample(example));
  gallery.choose(example);
  schema.show(undefined);
});

let timer: number | undefined;
/** While a state is put on the page, the parts of it say that they have changed. */
let isLoading = false;

setUpTheme(part<HTMLButtonElement>("theme"));
part("share").addEventListener("click", share);
part("tidy").addEventListener("click", () => {
  schema.text = layout(schema.text);
});
part("copy-typescript").addEventListener("click", () => program(typescript, "TypeScript"));
part("copy-python").addEventListener("click", () => program(python, "Python"));
addEventListener("hashchange", () => loadLink());
if (!loadLink()) {
  load(fromExample(gallery.first));
  gallery.choose(gallery.first);
}

function state(): State {
  return { schema: schema.text, args: args.text, policy: policy.policy, rules: policy.rules, options: options.text };
}

function changed(): void {
  if (isLoading) {
    return;
  }
  gallery.choose(undefined);
  // An answer to what was there before would be shown at places of what is there now.
  engine.forget();
  view.asked();
  clearTimeout(timer);
  const pause = args.length + schema.length > LONG_TEXT ? LONG_PAUSE : PAUSE;
  timer = window.setTimeout(ask, pause);
}

function ask(): void {
  part("args-size").textContent = size(args.length);
  if (schema.text.trim() === "") {
    engine.forget();
    view.empty();
    schema.mark([]);
    args.mark([]);
  } else {
    view.asked();
    engine.ask(state());
  }
}

function load(next: State): void {
  isLoading = true;
  schema.text = next.schema;
  args.text = next.args;
  options.text = next.options;
  policy.set(next.policy, next.rules);
  part<HTMLDetailsElement>("more").open = next.options !== "";
  isLoading = false;
  clearTimeout(timer);
  ask();
}

function loadLink(): boolean {
  try {
    const shared = fromFragment(location.hash);
    if (shared === undefined) {
      return false;
    }
    load(shared);
    gallery.choose(undefined);
    return true;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function fromExample(example: Example): State {
  return { ...example, rules: {} };
}

function showReport(report: Report): void {
  const told = view.show(report);
  part("announce").textContent = told;
  const fault = part("options-fault");
  fault.hidden = report.kind !== "options";
  fault.textContent = report.kind === "options" ? report.reason : "";
  if (report.kind === "options") {
    part<HTMLDetailsElement>("more").open = true;
  }
  schema.mark(
    report.kind === "schema" ? [{ ...report.place, severity: "error", source: "schema", message: report.reason }] : [],
  );
  args.mark(report.kind === "answer" ? marks(report) : []);
  schema.show(undefined);
  args.show(undefined);
  if (performance.getEntriesByName("usable").length === 0) {
    performance.mark("usable");
  }
}

function marks({ issues, warnings }: Extract<Report, { kind: "answer" }>): Mark[] {
  const listed = [
    ...issues.shown.map((note) => ({ note, severity: "error" as const })),
    ...warnings.shown.map((note) => ({ note, severity: "warning" as const })),
  ];
  return listed.map(({ note, severity }) => ({
    ...note.input,
    severity,
    source: note.code,
    message: note.path === "" ? note.hint : `${note.path}: ${note.hint}`,
  }));
}

function share(): void {
  const fragment = toFragment(state());
  history.replaceState(null, "", fragment);
  const long = fragment.length > LONG_LINK ? ` (${size(fragment.length)}: some programs cut it)` : "";
  void copy(location.href, `The link${long} is`);
}

function program(write: (state: State) => string, language: string): void {
  try {
    void copy(write(state()), `The program in ${language} is`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

function size(length: number): string {
  return length < 1000 ? `${length} characters` : `${(length / 1000).toFixed(length < 10_000 ? 1 : 0)} k characters`;
}
