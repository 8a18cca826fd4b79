/**
 * Host data to JSON text. Only plain data is read: own enumerable properties with string keys, of plain objects of any
 * realm, and the elements of true arrays. No getter and no `toJSON` ever runs, and everything else is an issue.
 */

import type { Code } from "./lists.js";

/** What is wrong with a place in host data. */
export interface HostIssue {
  readonly code: Code;
  readonly path: string;
  readonly hint: string;
}

/** Canonical JSON text, or why there is none. */
export type Reading = { readonly text: string } | { readonly issues: readonly HostIssue[] };

/** How host data is read. */
export interface HostRules {
  readonly depth: number;
  /** Reading ends when the text is longer: the module refuses it for its size. */
  readonly bytes: number;
  readonly issues: number;
  /** Whether symbol keys are passed over. */
  readonly symbols: "refuse" | "ignore";
  /** What to read in place of an object or function, if not itself. What it throws is thrown. */
  readonly convert?: (value: object, place: Place) => object | boolean | undefined;
}

/** Where a value stands: most are never asked. */
export interface Place {
  /** JSON Pointer. */
  pointer(): string;
}

/** Reads `value`, which is not changed and not kept. */
export function readHost(value: unknown, rules: HostRules): Reading {
  const reader = new Reader(rules);
  try {
    reader.read(value);
  } catch (error) {
    if (rules.convert !== undefined && error !== STOP) {
      throw error;
    }
    if (error !== STOP) {
      // A proxy's trap.
      reader.add("unsupported_value", "this object throws when it is read: pass plain data");
    }
  }
  return reader.issues.length > 0 ? { issues: reader.issues } : { text: reader.text };
}

/** Thrown to leave the walk early. */
const STOP = Symbol("stop");

const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Where in `text` a surrogate stands alone; -1 where none does. */
export function loneSurrogate(text: string): number {
  return typeof text.isWellFormed === "function" && text.isWellFormed() ? -1 : text.search(LONE_SURROGATE);
}

/** `text` with every half of a surrogate pair replaced, as an encoder does it. */
export function wellFormed(text: string): string {
  return loneSurrogate(text) < 0 ? text : new TextDecoder().decode(new TextEncoder().encode(text));
}

/** A number as JSON text. Past the safe integers the shortest text that reads back as the number is not its digits. */
function digits(value: number): string {
  if (Object.is(value, -0)) {
    return "-0";
  }
  const exact = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return exact ? String(BigInt(value)) : String(value);
}

const { getOwnPropertyDescriptor, getOwnPropertySymbols, hasOwn, keys: ownKeys } = Object;

class Reader implements Place {
  readonly issues: HostIssue[] = [];
  text = "";
  readonly #rules: HostRules;
  readonly #path: (string | number)[] = [];
  /** The containers around the place, to find cycles. */
  readonly #open = new Set<object>();

  constructor(rules: HostRules) {
    this.#rules = rules;
  }

  read(value: unknown): void {
    switch (typeof value) {
      case "string":
        this.#string(value);
        break;
      case "number":
        this.#number(value);
        break;
      case "boolean":
      case "bigint":
        this.#write(String(value));
        break;
      case "object":
        if (value === null) {
          this.#write("null");
        } else {
          this.#object(value);
        }
        break;
      case "function":
        this.#function(value);
        break;
      default:
        this.report("unsupported_value", `${typeof value === "symbol" ? "a symbol" : "undefined"} is no JSON`);
    }
  }

  add(code: Code, hint: string): void {
    this.issues.push({ code, path: wellFormed(this.pointer()), hint: wellFormed(hint) });
  }

  report(code: Code, hint: string): void {
    this.add(code, hint);
    if (this.issues.length >= this.#rules.issues) {
      throw STOP;
    }
  }

  #write(text: string): void {
    this.text += text;
    if (this.text.length > this.#rules.bytes) {
      throw STOP;
    }
  }

  #string(value: string): void {
    if (loneSurrogate(value) >= 0) {
      this.report("invalid_unicode", "this text holds half of a surrogate pair");
    } else {
      this.#write(JSON.stringify(value));
    }
  }

  #number(value: number): void {
    if (Number.isFinite(value)) {
      this.#write(digits(value));
    } else {
      this.report("unsupported_value", `${value} is no JSON number`);
    }
  }

  #function(value: object): void {
    const converted = this.#rules.convert?.(value, this);
    if (converted === undefined) {
      this.report("unsupported_value", "a function is no JSON");
    } else {
      this.#converted(converted);
    }
  }

  #object(value: object): void {
    const converted = this.#rules.convert?.(value, this);
    if (converted !== undefined) {
      this.#converted(converted);
    } else {
      this.#container(value);
    }
  }

  #converted(value: object | boolean): void {
    if (typeof value === "boolean") {
      this.#write(String(value));
    } else {
      this.#container(value);
    }
  }

  #container(value: object): void {
    const isArray = Array.isArray(value);
    if (!isArray && !isPlain(value)) {
      this.report("unsupported_value", `${article(className(value))} is no plain data`);
    } else if (this.#open.has(value)) {
      this.report("unsupported_value", "this object holds itself");
    } else if (this.#open.size >= this.#rules.depth) {
      this.#path.length = 0;
      this.report("depth_limit", `nested deeper than ${this.#rules.depth} levels`);
      throw STOP;
    } else {
      this.#open.add(value);
      if (isArray) {
        this.#array(value);
      } else {
        this.#members(value);
      }
      this.#open.delete(value);
    }
  }

  #array(array: readonly unknown[]): void {
    this.#write("[");
    const length = array.length;
    for (let index = 0; index < length; index += 1) {
      if (index > 0) {
        this.#write(",");
      }
      this.#path.push(index);
      const property = getOwnPropertyDescriptor(array, index);
      if (property === undefined) {
        this.report("unsupported_value", "this element is not there");
      } else {
        this.#value(property);
      }
      this.#path.pop();
    }
    this.#write("]");
  }

  #members(object: object): void {
    this.#write("{");
    let first = true;
    for (const key of ownKeys(object)) {
      const property = getOwnPropertyDescriptor(object, key);
      // A member that is `undefined` is not there.
      if (property === undefined || (property.value === undefined && hasOwn(property, "value"))) {
        continue;
      }
      if (!first) {
        this.#write(",");
      }
      first = false;
      this.#path.push(key);
      this.#string(key);
      this.#write(":");
      this.#value(property);
      this.#path.pop();
    }
    if (this.#rules.symbols === "refuse") {
      this.#symbols(object);
    }
    this.#write("}");
  }

  #symbols(object: object): void {
    for (const key of getOwnPropertySymbols(object)) {
      if (getOwnPropertyDescriptor(object, key)?.enumerable === true) {
        this.report("unsupported_value", "a key is text, not a symbol");
      }
    }
  }

  #value(property: PropertyDescriptor): void {
    if (hasOwn(property, "value")) {
      this.read(property.value);
    } else {
      this.report("unsupported_value", "a getter is not run: pass plain data");
    }
  }

  pointer(): string {
    return this.#path
      .map((step) => `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join("");
  }
}

/** Whether `object` is a plain one: of no class, or of `Object` of any realm. */
export function isPlain(object: object): boolean {
  const prototype: object | null = Reflect.getPrototypeOf(object);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    (Reflect.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"))
  );
}

function className(object: object): string {
  const prototype = Reflect.getPrototypeOf(object);
  const owner: unknown = prototype && Reflect.getOwnPropertyDescriptor(prototype, "constructor")?.value;
  const name: unknown = typeof owner === "function" && Reflect.getOwnPropertyDescriptor(owner, "name")?.value;
  return typeof name === "string" && name !== "" ? `\`${name}\`` : "class instance";
}

function article(noun: string): string {
  return `${/^`?[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
}
