/** A text editor for JSON, with marks at places. In a shadow root, where its styles are no inline styles of the page. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

import type { Place } from "./places.js";

/** Something that is said about a place. */
export interface Mark extends Place {
  readonly severity: "error" | "warning";
  readonly source: string;
  readonly message: string;
}

export interface EditorSetup {
  readonly label: string;
  readonly text: string;
  readonly empty: string;
  readonly onChange: () => void;
}

/** How close to the editor's edge a place is still well in sight. */
const ROOM = 12;

const highlight = StateEffect.define<Place | undefined>();

const highlighted = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(highlight)) {
        const place = effect.value;
        next =
          place === undefined || place.from >= place.to
            ? Decoration.none
            : Decoration.set(Decoration.mark({ class: "cm-place" }).range(place.from, place.to));
      }
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Text that is typed over a selection. Chromium would keep the style of what it replaces in a `style` attribute, which the
 * page's policy forbids and the console tells of; done here, the browser has nothing to keep.
 */
const replacesSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const isPlain = event.inputType === "insertText" && event.data !== null && !view.composing;
    if (!isPlain || view.state.selection.main.empty) {
      return false;
    }
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

export class Editor {
  readonly #view: EditorView;
  readonly #attributes = new Compartment();
  readonly #label: string;
  #text: string | undefined;

  constructor(host: HTMLElement, { label, text, empty, onChange }: EditorSetup) {
    this.#label = label;
    const root = host.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.append(parent);
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        EditorView.lineWrapping,
        json(),
        syntaxHighlighting(HIGHLIGHTS),
        lintGutter(),
        search({ top: true }),
        placeholder(empty),
        highlighted,
        replacesSelection,
        theme,
        // Tab moves on to the next part of the page, as everywhere.
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
        this.#attributes.of(this.#described()),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            this.#text = undefined;
            onChange();
          }
        }),
      ],
    });
    this.#view = new EditorView({ state, parent, root });
  }

  get text(): string {
    this.#text ??= this.#view.state.doc.toString();
    return this.#text;
  }

  set text(text: string) {
    const { doc } = this.#view.state;
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: 0 } });
    this.#view.scrollDOM.scrollTop = 0;
  }

  get length(): number {
    return this.#view.state.doc.length;
  }

  /** Shows what is wrong, in the text and beside it. */
  mark(marks: readonly Mark[]): void {
    const { state } = this.#view;
    const diagnostics = marks.map((mark): Diagnostic => ({ ...mark, ...this.#visible(mark) }));
    this.#view.dispatch(setDiagnostics(state, diagnostics), {
      effects: this.#attributes.reconfigure(this.#described(marks.some(({ severity }) => severity === "error"))),
    });
  }

  /** Shows one place, or none. */
  show(place: Place | undefined): void {
    const { length } = this.#view.state.doc;
    const shown = place && { from: Math.min(place.from, length), to: Math.min(place.to, length) };
    this.#view.dispatch({ effects: highlight.of(shown) });
    if (shown !== undefined) {
      this.#scrollTo(shown.from);
    }
  }

  /** Only the editor scrolls: the page stays where the visitor has it. */
  #scrollTo(position: number): void {
    const view = this.#view;
    const { top, height, from, length } = view.lineBlockAt(position);
    // A long line is many rows, and not all of it is drawn: first about there, then to the very place.
    const about = top + (height * (position - from)) / Math.max(length, 1);
    if (about < view.scrollDOM.scrollTop || about > view.scrollDOM.scrollTop + view.scrollDOM.clientHeight - ROOM) {
      view.scrollDOM.scrollTop = about - view.scrollDOM.clientHeight / 2;
    }
    view.requestMeasure({
      read: () => ({ place: view.coordsAtPos(position), box: view.scrollDOM.getBoundingClientRect() }),
      write: ({ place, box }) => {
        if (place !== null && (place.top < box.top + ROOM || place.bottom > box.bottom - ROOM)) {
          view.scrollDOM.scrollTop += (place.top + place.bottom - box.top - box.bottom) / 2;
        }
      },
    });
  }

  #described(isInvalid = false) {
    return EditorView.contentAttributes.of({
      "aria-label": this.#label,
      "aria-invalid": String(isInvalid),
      // So is what is edited anyway; said outright, since the scroller around it is told focusable by it.
      tabindex: "0",
    });
  }

  /** Of several lines only the first is underlined; the gutter and the list say the rest. */
  #visible({ from, to }: Place): Place {
    const { doc } = this.#view.state;
    const start = Math.min(from, doc.length);
    const line = doc.lineAt(start);
    return { from: start, to: Math.max(start, Math.min(to, line.to)) };
  }
}

const HIGHLIGHTS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: [tags.bool, tags.null], color: "var(--code-word)" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--muted)" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.6",
    minHeight: "var(--editor-min, 6em)",
    maxHeight: "var(--editor-max, 20em)",
    overflow: "auto",
  },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px 0 4px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 10px", minWidth: "30px" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "8px", height: "8px", margin: "0.45em 2px", borderRadius: "50%", content: "none" },
  ".cm-lint-marker-error": { content: "none", backgroundColor: "var(--red)" },
  ".cm-lint-marker-warning": { content: "none", backgroundColor: "var(--gold)", borderRadius: "1px" },
  ".cm-lintRange": { paddingBottom: "0", backgroundImage: "none" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    backgroundColor: "var(--red-soft)",
    textDecoration: "underline wavy var(--red) 1px",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--gold) 1px",
    textUnderlineOffset: "3px",
    textDecorationSkipInk: "none",
  },
  ".cm-lintRange-active": { backgroundColor: "var(--red-soft)" },
  ".cm-lintPoint": { "&:after": { borderBottomColor: "var(--red)" } },
  ".cm-place": {
    backgroundColor: "var(--gold-soft)",
    boxShadow: "0 0 0 2px var(--gold-soft), 0 2px 0 1px var(--gold)",
  },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--sans)",
    fontSize: "13px",
  },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "none" },
  ".cm-diagnosticSource": { fontSize: "12px", opacity: "1", color: "var(--muted)", fontFamily: "var(--mono)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--selection)" },
  ".cm-textfield": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
  },
});
