/** One answer in the form in which it is shown: plain data, and no more of it than a page can show. */

import { type Contract, compile, type Issue, type Outcome, type Repair, type RuleName, SchemaError } from "toolmend";

import { difference, type Piece } from "./diff.js";
import { layout } from "./layout.js";
import { inInput, inResult } from "./moves.js";
import { type Part, type Place, Places, syntaxFault } from "./places.js";
import { compileOptions, type State } from "./state.js";

export type Report = SchemaFault | OptionsFault | Fault | Answer;

/** The schema is none. */
export interface SchemaFault {
  readonly kind: "schema";
  readonly reason: string;
  readonly path: string;
  readonly place: Place;
}

/** The options are wrong. */
export interface OptionsFault {
  readonly kind: "options";
  readonly reason: string;
}

/** Something that should not be. */
export interface Fault {
  readonly kind: "fault";
  readonly reason: string;
}

export interface Answer {
  readonly kind: "answer";
  readonly status: Outcome["status"];
  readonly repairs: Some<Card>;
  readonly issues: Some<Note>;
  readonly warnings: Some<Note>;
  /** The canonical arguments; nothing when refused. */
  readonly result: Result | undefined;
  /** What the model would be told; empty unless refused. */
  readonly feedback: string;
  /** How long the call itself took. */
  readonly milliseconds: number;
}

/** The first of a list, and how many there are. */
export interface Some<T> {
  readonly shown: readonly T[];
  readonly count: number;
}

/** One repair. */
export interface Card {
  readonly rule: RuleName;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What changed in the raw text, for a rule that reads text. */
  readonly text: readonly Piece[] | undefined;
  readonly isLossy: boolean;
  /** In the arguments as they came. */
  readonly input: Place;
  /** In the text of the result, where it is shown. */
  readonly output: Place | undefined;
}

/** One issue or warning. */
export interface Note {
  readonly code: string;
  readonly path: string;
  readonly hint: string;
  readonly received: string | undefined;
  readonly candidates: readonly string[];
  readonly input: Place;
  /** The keyword's place in the schema's text, where it can be told. */
  readonly schema: Place | undefined;
}

export interface Result {
  /** The canonical arguments laid out for reading, from the start as far as they are shown. */
  readonly text: string;
  readonly isCut: boolean;
  /** What is new and what is gone; nothing where the texts are too long to compare. */
  readonly pieces: readonly Piece[] | undefined;
}

const MOST_SHOWN = 100;
const LONGEST_VALUE = 240;
/** Longer results are shown as they are and only in part. */
const LONGEST_RESULT = 40_000;
const SHORT_ARGS = 10_000;

/** Compiles the schema and repairs the call. `NotReadyError` passes through: whoever asked can load and ask again. */
export function report(state: State): Report {
  let contract: Contract;
  try {
    const options = compileOptions(state);
    contract = compile(state.schema, options);
  } catch (error) {
    if (error instanceof SchemaError) {
      const place = syntaxFault(state.schema) ?? new Places(state.schema).find(error.path, "member");
      return { kind: "schema", reason: error.reason, path: error.path, place };
    }
    if (error instanceof TypeError) {
      return { kind: "options", reason: error.message };
    }
    throw error;
  }
  try {
    const [outcome, milliseconds] = timed(contract, state.args);
    return { ...answer(state, outcome), milliseconds };
  } finally {
    contract.free();
  }
}

/** The outcome, and how long it took. A short call is made twice: its first time is that of a module just made. */
function timed(contract: Contract, args: string): [Outcome, number] {
  if (args.length < SHORT_ARGS) {
    contract.repair(args);
  }
  const start = performance.now();
  const outcome = contract.repair(args);
  return [outcome, performance.now() - start];
}

function answer(state: State, outcome: Outcome): Omit<Answer, "milliseconds"> {
  const input = new Places(state.args);
  const schema = new Places(state.schema);
  const result = outcome.ok ? shownResult(state.args, outcome.json) : undefined;
  const places = result && !result.isCut ? new Places(result.text) : undefined;
  // Values are shown from the wire text, which has every digit; there is nothing to show of a call that came well.
  const wire = outcome.status === "unchanged" ? undefined : new Places(outcome.wire);
  const cards = outcome.repairs.slice(0, MOST_SHOWN).map((repair, index): Card => {
    const part = repair.rule === "rename_key" ? "key" : "value";
    const output = inResult(outcome.repairs, index);
    return {
      rule: repair.rule,
      path: repair.path,
      before: short(wire?.source(`/repairs/${index}/before`)),
      after: short(wire?.source(`/repairs/${index}/after`)),
      text: rawChange(repair, wire?.source(`/repairs/${index}/after`)),
      isLossy: repair.lossy === true,
      input: input.find(inInput(outcome.repairs, index), repair.after === undefined ? "member" : part),
      output: places?.find(output, part),
    };
  });
  const note = (issue: Issue): Note => ({
    code: issue.code,
    path: issue.path,
    hint: issue.hint,
    received: short(issue.received?.preview ?? issue.received?.type),
    candidates: (issue.candidates ?? []).map((candidate) => short(JSON.stringify(candidate, digits)) ?? ""),
    input: issuePlace(input, issue),
    schema: schemaPlace(schema, issue.schema),
  });
  return {
    kind: "answer",
    status: outcome.status,
    repairs: { shown: cards, count: outcome.repairs.length },
    issues: some(outcome.issues, note),
    warnings: some(outcome.warnings, note),
    result,
    feedback: outcome.feedback(),
  };
}

const TEXT_RULES: readonly RuleName[] = ["strip_code_fence", "strip_prose", "relaxed_syntax"];

function rawChange({ rule, before, after }: Repair, json: string | undefined): readonly Piece[] | undefined {
  if (!TEXT_RULES.includes(rule) || typeof before !== "string" || json === undefined) {
    return undefined;
  }
  return difference(before, typeof after === "string" ? after : json);
}

function some(issues: readonly Issue[], note: (issue: Issue) => Note): Some<Note> {
  return { shown: issues.slice(0, MOST_SHOWN).map(note), count: issues.length };
}

function shownResult(args: string, json: string): Result {
  if (json.length > LONGEST_RESULT) {
    return { text: json.slice(0, LONGEST_RESULT), isCut: true, pieces: undefined };
  }
  const text = layout(json);
  return { text, isCut: false, pieces: difference(args, text) };
}

function issuePlace(input: Places, { code, path, span }: Issue): Place {
  const part: Part = code === "unknown_property" ? "key" : "value";
  return span === undefined ? input.find(path, part) : input.at(path, span.offset, part);
}

/** A pointer into the schema; in the text that may be the schema inside a tool definition. */
function schemaPlace(places: Places, pointer: string | undefined): Place | undefined {
  if (pointer === undefined) {
    return undefined;
  }
  const roots = ["/function/parameters", "/parameters", "/input_schema", "/inputSchema", "/parametersJsonSchema", ""];
  const root = roots.find((root) => places.has(root + pointer) && (root !== "" || places.has(pointer)));
  return root === undefined ? undefined : places.find(root + pointer, "member");
}

function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function digits(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
