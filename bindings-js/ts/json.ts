/** JSON text to JavaScript data without losing a digit of an integer. */

/** Whether `text` may hold a number that `JSON.parse` would spoil: 16 digits in a row, or an exponent of three. */
export function mayNeedExactness(text: string): boolean {
  return /\d{16}|[eE]\+?\d{3}/.test(text);
}

/**
 * `JSON.parse` for well-formed JSON, with `unsafe` called for every integer that is not safe. A number beyond every
 * double stays as its text.
 */
export function parseExactly(text: string, unsafe: (digits: string) => unknown): unknown {
  return new Parser(text, unsafe).value();
}

/** An integer beyond `Number.MAX_SAFE_INTEGER`, for `JSON.stringify`. */
export const jsonInteger: (digits: string) => unknown =
  (JSON as { rawJSON?: (text: string) => unknown }).rawJSON ?? String;

/** Recursion is bounded: the module has checked the depth of whatever it wrote or let through. */
class Parser {
  readonly #text: string;
  readonly #unsafe: (digits: string) => unknown;
  #at = 0;

  constructor(text: string, unsafe: (digits: string) => unknown) {
    this.#text = text;
    this.#unsafe = unsafe;
  }

  value(): unknown {
    switch (this.#peek()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(): unknown {
    const object: Record<string, unknown> = {};
    this.#at += 1;
    while (this.#peek() !== "}") {
      this.#skip(",");
      const key = this.#string();
      this.#skip(":");
      const value = this.value();
      if (key === "__proto__") {
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      } else {
        object[key] = value;
      }
    }
    this.#at += 1;
    return object;
  }

  #array(): unknown {
    const array: unknown[] = [];
    this.#at += 1;
    while (this.#peek() !== "]") {
      this.#skip(",");
      array.push(this.value());
    }
    this.#at += 1;
    return array;
  }

  #string(): string {
    this.#peek();
    const start = this.#at;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(start, end + 1)) as string;
  }

  #isEscaped(quote: number): boolean {
    let backslashes = 0;
    while (this.#text[quote - 1 - backslashes] === "\\") {
      backslashes += 1;
    }
    return backslashes % 2 === 1;
  }

  #scalar(): unknown {
    const token = /[^\s,\]}]+/y;
    token.lastIndex = this.#at;
    const [text] = token.exec(this.#text) as unknown as [string];
    this.#at += text.length;
    const value: unknown = JSON.parse(text);
    if (typeof value !== "number" || Number.isSafeInteger(value)) {
      return value;
    }
    if (/^-?\d+$/.test(text)) {
      return this.#unsafe(text);
    }
    return Number.isFinite(value) ? value : text;
  }

  /** The next character that is no white space. */
  #peek(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? "")) {
      this.#at += 1;
    }
    return this.#text[this.#at];
  }

  #skip(separator: string): void {
    if (this.#peek() === separator) {
      this.#at += 1;
      this.#peek();
    }
  }
}
