/**
 * Host data that is plainly valid, told without a step into the module.
 *
 * It says yes only where reading the data (host.ts) and asking the module would give `unchanged` without a warning.
 * Whatever it does not know it leaves to them. The data is touched as the reader touches it: properties are read by
 * their descriptors, so no getter runs.
 */

import { isPlain, loneSurrogate } from "./host.js";
import type { Limits } from "./types.js";

/** Whether data is plainly valid. */
export type PlainTest = (value: unknown) => boolean;

/** The test that the module's rules describe; no text, no rules. */
export function plainTest(text: string, { bytes, depth }: Limits): PlainTest {
  if (text === "") {
    return () => false;
  }
  const root = linked(JSON.parse(text, bare) as ToldProgram);
  return (value) => {
    // Descriptors inherit from there: the `value` of an accessor must be missing.
    if ("value" in Object.prototype) {
      return false;
    }
    try {
      return check(root, value, bytes, depth) >= 0;
    } catch {
      // A proxy's trap.
      return false;
    }
  };
}

/** The rules as the module tells them (crates/toolmend/src/certain/program/json.rs). A rule's number is its place. */
interface ToldProgram {
  readonly root: number;
  readonly rules: readonly Told[];
}

interface Told {
  /** Its subschema demands more than can be told: it takes nothing, and as a branch it might take anything. */
  readonly unknown?: true;
  readonly types?: readonly Kind[];
  readonly union?: {
    readonly branches: readonly number[];
    readonly one: boolean;
    readonly tag?: readonly [key: string, named: readonly (readonly [value: string, rule: number])[]];
  };
  readonly constants?: ToldConstants;
  readonly strings?: ToldTexts;
  readonly numbers?: ToldNumbers;
  readonly object?: Sizes & {
    readonly properties: readonly (readonly [key: string, rule: number, required: boolean])[];
    readonly others?: number;
  };
  readonly array?: Sizes & { readonly prefix: readonly number[]; readonly rest: number };
}

interface ToldConstants {
  readonly null: boolean;
  readonly true: boolean;
  readonly false: boolean;
  readonly integers: readonly number[];
}

interface ToldTexts {
  readonly members?: readonly string[];
  readonly shortest?: number;
  readonly longest?: number;
  readonly pattern?: string;
  readonly format?: string;
}

interface ToldNumbers {
  readonly least?: number;
  readonly most?: number;
  readonly above?: number;
  readonly below?: number;
  readonly of?: number;
}

interface Sizes {
  readonly fewest?: number;
  readonly most?: number;
}

type Kind = "null" | "boolean" | "integer" | "fraction" | "string" | "array" | "object";

/** What a value must be. All rules have one shape, which keeps the walk fast. */
class Rule {
  null = false;
  true = false;
  false = false;
  /** Any of these: a union has those of its branches. */
  integers: readonly Integers[] = [];
  fractions: Fractions | undefined;
  texts: readonly Texts[] = [];
  members: Members | undefined;
  items: Items | undefined;
  /** The branch of a union that takes objects, and the one that takes arrays. */
  objects: Rule | undefined;
  arrays: Rule | undefined;
  /** The branch for an object is found by the text under a key. */
  tag: { readonly key: string; readonly named: ReadonlyMap<unknown, Rule> } | undefined;
}

interface Integers {
  readonly least: number;
  readonly most: number;
  readonly of: number;
  readonly members: readonly number[] | undefined;
}

interface Fractions {
  readonly above: number;
  readonly below: number;
}

interface Texts {
  readonly isFree: boolean;
  readonly members: ReadonlySet<string> | undefined;
  readonly shortest: number;
  readonly longest: number;
  readonly pattern: RegExp | undefined;
  readonly format: RegExp | undefined;
}

interface Members {
  readonly first: Property | undefined;
  readonly byKey: ReadonlyMap<string, Property>;
  readonly required: number;
  readonly others: Rule | undefined;
  readonly fewest: number;
  readonly most: number;
}

interface Property {
  readonly key: string;
  readonly rule: Rule;
  readonly required: number;
  /** The one that is declared next, which is written next as a rule. */
  next: Property | undefined;
}

interface Items {
  readonly prefix: readonly Rule[];
  readonly rest: Rule;
  readonly fewest: number;
  readonly most: number;
}

/*
 * The walk. Every step is given the bytes of JSON text that are left to the value and tells what the value leaves at
 * least; less than none means that it is not sure. Each value is counted with the comma behind it.
 */

const UNSURE = -1;

/** Digits and point of the numbers that are taken, a sign and a comma. */
const NUMBER_BYTES = 18;

const { getOwnPropertyDescriptor, getOwnPropertySymbols, keys: ownKeys } = Object;

function check(rule: Rule, value: unknown, room: number, depth: number): number {
  switch (typeof value) {
    case "string":
      return text(rule, value, room);
    case "number":
      return takesNumber(rule, value) ? room - NUMBER_BYTES : UNSURE;
    case "boolean":
      return (value ? rule.true : rule.false) ? room - 6 : UNSURE;
    case "object":
      if (value === null) {
        return rule.null ? room - 5 : UNSURE;
      }
      if (depth === 0) {
        return UNSURE;
      }
      if (Array.isArray(value)) {
        return items(rule, value, room - 3, depth - 1);
      }
      return isPlain(value) ? members(rule, value, room - 3, depth - 1) : UNSURE;
    default:
      return UNSURE;
  }
}

/** The value of an own property; `undefined` where there is none, and for a getter. */
function own(object: object, key: string | number): unknown {
  return getOwnPropertyDescriptor(object, key)?.value;
}

function members(rule: Rule, object: object, room: number, depth: number): number {
  const keys = ownKeys(object);
  const members = branch(rule, object, keys)?.members;
  if (members === undefined || getOwnPropertySymbols(object).length > 0) {
    return UNSURE;
  }
  let left = room;
  let required = 0;
  let expected = members.first;
  for (const key of keys) {
    const property = expected !== undefined && expected.key === key ? expected : members.byKey.get(key);
    let rule = members.others;
    if (property !== undefined) {
      rule = property.rule;
      required += property.required;
      expected = property.next;
    } else if (loneSurrogate(key) >= 0) {
      return UNSURE;
    }
    if (rule === undefined) {
      return UNSURE;
    }
    left = check(rule, own(object, key), left - textBytes(key), depth);
    if (left < 0) {
      return UNSURE;
    }
  }
  const fits = required === members.required && keys.length >= members.fewest && keys.length <= members.most;
  return fits ? left : UNSURE;
}

/** The rule for an object where `rule` is a union. */
function branch(rule: Rule, object: object, keys: readonly string[]): Rule | undefined {
  let at: Rule | undefined = rule;
  while (at !== undefined && at.members === undefined) {
    const tag: Rule["tag"] = at.tag;
    if (tag === undefined) {
      at = at.objects;
    } else {
      at = keys.includes(tag.key) ? tag.named.get(own(object, tag.key)) : undefined;
    }
  }
  return at;
}

function items(rule: Rule, array: readonly unknown[], room: number, depth: number): number {
  let at: Rule | undefined = rule;
  while (at !== undefined && at.items === undefined) {
    at = at.arrays;
  }
  const items = at?.items;
  const length = array.length;
  if (items === undefined || length < items.fewest || length > items.most) {
    return UNSURE;
  }
  let left = room;
  for (let index = 0; index < length; index += 1) {
    const rule = index < items.prefix.length ? (items.prefix[index] ?? items.rest) : items.rest;
    left = check(rule, own(array, index), left, depth);
    if (left < 0) {
      return UNSURE;
    }
  }
  return left;
}

function takesNumber(rule: Rule, value: number): boolean {
  if (!Number.isInteger(value)) {
    return rule.fractions !== undefined && takesFraction(rule.fractions, value);
  }
  // A double knows a negative zero, an integer does not.
  if (Math.abs(value) >= 1e15 || Object.is(value, -0)) {
    return false;
  }
  for (const { least, most, of, members } of rule.integers) {
    if (value >= least && value <= most && value % of === 0 && (members === undefined || members.includes(value))) {
      return true;
    }
  }
  return false;
}

/** Of at most nine digits before the point and six behind it: text of 15 digits reads back as the same number. */
function takesFraction({ above, below }: Fractions, value: number): boolean {
  return Math.abs(value) < 1e9 && Math.round(value * 1e6) / 1e6 === value && value > above && value < below;
}

function text(rule: Rule, value: string, room: number): number {
  const left = room - textBytes(value);
  if (left < 0 || mayBeJson(value) || loneSurrogate(value) >= 0) {
    return UNSURE;
  }
  for (const texts of rule.texts) {
    if (texts.isFree || takesText(texts, value)) {
      return left;
    }
  }
  return UNSURE;
}

/** A unit is six bytes at most, as an escape. */
function textBytes(text: string): number {
  return 6 * text.length + 3;
}

function takesText({ members, shortest, longest, pattern, format }: Texts, text: string): boolean {
  return (
    (members === undefined || members.has(text)) &&
    hasLength(text, shortest, longest) &&
    (pattern === undefined || (text.length <= LONGEST_MATCHED && pattern.test(text))) &&
    (format === undefined || (text.length < LONGEST_FORMATTED && format.test(text)))
  );
}

/** Lengths are told in characters, which have one unit or two. */
function hasLength(text: string, shortest: number, longest: number): boolean {
  if (text.length <= longest && text.length >= 2 * shortest) {
    return true;
  }
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) {
      length += 1;
    }
  }
  return length >= shortest && length <= longest;
}

/** Whether text might be JSON itself, which is worth a warning. Whatever is no visible ASCII may be white space. */
function mayBeJson(text: string): boolean {
  const first = text.charCodeAt(0);
  const isVisible = first > 0x20 && first < 0x7f;
  return (isVisible ? first === 0x7b || first === 0x5b : /^[^!-~]+[[{]/.test(text)) && !/[!-\\^-|~]$/.test(text);
}

/*
 * Making the rules.
 */

function linked({ root, rules: told }: ToldProgram): Rule {
  const rules = told.map(scalars);
  const at = (id: number) => rules[id] ?? NOTHING;
  told.forEach((it, id) => {
    const rule = at(id);
    if (it.union !== undefined) {
      link(rule, it.types ?? [], it.union, (branch) => ({ told: told[branch] ?? { unknown: true }, rule: at(branch) }));
    } else {
      rule.members = it.object && has(it, "object") ? declared(it.object, at) : undefined;
      rule.items = it.array && has(it, "array") ? listed(it.array, at) : undefined;
    }
  });
  return at(root);
}

const NOTHING = new Rule();

function has({ types }: Told, kind: Kind): boolean {
  return types?.includes(kind) === true;
}

function scalars(told: Told): Rule {
  const rule = new Rule();
  if (told.unknown || told.union) {
    return rule;
  }
  const { constants, numbers, strings } = told;
  rule.null = has(told, "null") && constants?.null !== false;
  rule.true = has(told, "boolean") && constants?.true !== false;
  rule.false = has(told, "boolean") && constants?.false !== false;
  if (numbers !== undefined && has(told, "integer")) {
    const { least = -Infinity, most = Infinity, above = -Infinity, below = Infinity, of = 1 } = numbers;
    rule.integers = [{ least, most, of, members: constants?.integers }];
    if (has(told, "fraction") && constants === undefined && numbers.of === undefined) {
      rule.fractions = { above, below };
    }
  }
  const texts = strings !== undefined && has(told, "string") ? textRule(strings) : undefined;
  rule.texts = texts === undefined ? [] : [texts];
  return rule;
}

/** `undefined` where it would need an engine that takes linear time, or knows more. */
function textRule({ members, shortest = 0, longest = Infinity, pattern, format }: ToldTexts): Texts | undefined {
  const expression = pattern === undefined ? undefined : quick(pattern);
  const form = format === undefined ? undefined : FORMATS.get(format);
  if ((pattern !== undefined && expression === undefined) || (format !== undefined && form === undefined)) {
    return undefined;
  }
  return {
    isFree:
      members === undefined &&
      shortest === 0 &&
      longest === Infinity &&
      expression === undefined &&
      format === undefined,
    members: members && new Set(members),
    shortest,
    longest,
    pattern: expression,
    format: form,
  };
}

/** A union takes a scalar that one of its branches takes and, where exactly one must, no other could. */
function link(
  rule: Rule,
  types: readonly Kind[],
  { branches, one, tag }: NonNullable<Told["union"]>,
  at: (id: number) => { readonly told: Told; readonly rule: Rule },
): void {
  const all = branches.map(at);
  const taking = (kind: Kind) => {
    const possible = all.filter(({ told }) => told.unknown || told.union || has(told, kind));
    return types.includes(kind) && !(one && possible.length > 1) ? possible.map(({ rule }) => rule) : [];
  };
  rule.null = taking("null").some((branch) => branch.null);
  rule.true = taking("boolean").some((branch) => branch.true);
  rule.false = taking("boolean").some((branch) => branch.false);
  rule.integers = taking("integer").flatMap(({ integers }) => integers);
  rule.texts = taking("string").flatMap(({ texts }) => texts);
  const only = (kind: Kind) => {
    const [first, ...more] = all.filter(({ told }) => told.unknown || has(told, kind));
    return types.includes(kind) && more.length === 0 ? first?.rule : undefined;
  };
  rule.arrays = only("array");
  if (tag === undefined) {
    rule.objects = only("object");
  } else if (types.includes("object")) {
    const [key, named] = tag;
    rule.tag = { key, named: new Map(named.map(([value, id]) => [value, at(id).rule])) };
  }
}

function declared(told: NonNullable<Told["object"]>, at: (id: number) => Rule): Members {
  const { properties, others, fewest = 0, most = Infinity } = told;
  const all = properties.map(
    ([key, id, isRequired]): Property => ({ key, rule: at(id), required: isRequired ? 1 : 0, next: undefined }),
  );
  all.forEach((property, index) => {
    property.next = index + 1 < all.length ? all[index + 1] : undefined;
  });
  return {
    first: all.length > 0 ? all[0] : undefined,
    byKey: new Map(all.map((property) => [property.key, property])),
    required: all.reduce((sum, { required }) => sum + required, 0),
    others: others === undefined ? undefined : at(others),
    fewest,
    most,
  };
}

function listed(told: NonNullable<Told["array"]>, at: (id: number) => Rule): Items {
  const { prefix, rest, fewest = 0, most = Infinity } = told;
  return { prefix: prefix.map(at), rest: at(rest), fewest, most };
}

/** What `JSON.parse` reads, without a prototype: a member that is left out must not be found there. */
function bare(_key: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.setPrototypeOf(value, null)
    : value;
}

/** Engines go back and try again: with two repetitions from a fixed start, that is a few thousand steps. */
const LONGEST_MATCHED = 256;
const MOST_REPETITIONS = 2;

const ATOM = String.raw`(?:\\x[0-9A-F]{2}|\.|\[[^\]]*\])`;
const SIMPLE = new RegExp(String.raw`^\^(?:${ATOM}(?:[*+?]|\{\d+(?:,\d*)?\})?)*\$?$`);
const REPETITION = new RegExp(String.raw`${ATOM}(?:[*+?]|\{\d+,\d*\})`, "g");

/** The expression for a pattern, which has its literals as escapes, if it can be matched quickly. */
function quick(pattern: string): RegExp | undefined {
  const source = pattern.replace(/\\x\{(..)\}/g, "\\x$1");
  const isQuick = SIMPLE.test(source) && (source.match(REPETITION) ?? []).length <= MOST_REPETITIONS;
  return isQuick ? new RegExp(source, "u") : undefined;
}

const DATE = String.raw`\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`;
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const HOST = String.raw`(?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*\.)+[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*`;
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ADDRESS = new RegExp(String.raw`^https?:\/\/${HOST}(?:\/[\w.~\/=&?-]*)?$`);

/** No part of a name is too long in a text that is shorter. */
const LONGEST_FORMATTED = 60;

/** Texts that have a format beyond all doubt. */
const FORMATS: ReadonlyMap<string, RegExp> = new Map([
  ["date", new RegExp(`^${DATE}$`)],
  ["date-time", new RegExp(`^${DATE}T${TIME}$`)],
  ["time", new RegExp(`^${TIME}$`)],
  ["uuid", /^[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}$/],
  ["ipv4", new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`)],
  ["email", new RegExp(String.raw`^[\w+-]+(?:\.[\w+-]+)*@${HOST}$`)],
  ["uri", ADDRESS],
  ["uri-reference", ADDRESS],
]);
