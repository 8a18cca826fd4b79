/** What the page and its worker say to each other. */

import type { Report } from "./report.js";
import type { State } from "./state.js";

export interface Question {
  readonly id: number;
  readonly state: State;
}

export type Reply =
  /** The schema needs the full validator, which is being fetched. */
  | { readonly id: number; readonly kind: "loading" }
  | { readonly id: number; readonly kind: "report"; readonly report: Report }
  /** How many tokens the feedback costs, said later: the tokenizer is fetched when there first is a feedback. */
  | { readonly id: number; readonly kind: "tokens"; readonly tokens: number | undefined };
