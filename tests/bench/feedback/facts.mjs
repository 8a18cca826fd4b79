// Whether a text tells a fact. Every wording that any peer uses counts, and so does every way to write a place: a fact
// that is not found is one that the text does not hold.

/** How the JSON types are called. */
const TYPES = {
  string: /\bstring/i,
  integer: /\bint(eger|32|64)?\b/i,
  number: /\b(number|float|int(eger)?)\b/i,
  array: /\b(array|list)\b/i,
  null: /\b(null|none)\b/i,
};

/** How a limit is told; the number stands behind it. */
const LIMITS = {
  "at least":
    /at least|>=|greater than or equal to|fewer than|less than the minimum of|shorter than|less than|minimum|min(length|items)</i,
  "at most":
    /at most|<=|less than or equal to|more than|greater than the maximum of|longer than|greater than|maximum|max(length|items)</i,
  "less than": /less than|<|greater than or equal to the maximum of|exclusivemaximum/i,
  "multiple of": /multiple ?of/i,
};

/** What is counted, and what items must be. */
const UNITS = {
  characters: /character|length/i,
  items: /item|array|list/i,
  different: /duplicate|unique|differ|distinct/i,
};

/** What is wrong with a text that is no JSON, or not one. */
const TEXTS = {
  cut: /\bends?\b|\bEOF\b|unterminated|incomplete|\bcut\b|truncated/i,
  several: /several|extra data|trailing|after JSON|more than one|multiple/i,
  twice: /twice|duplicate|more than once/i,
};

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const tokens = (pointer) => pointer.split("/").slice(1);
const word = (text) => new RegExp(`(?<![\\w-])${literal(text)}(?![\\w-])`);

/**
 * Whether a text names a place: as a pointer, with dots or with brackets. Between two keys it may name the branch of a
 * union. A code frame names what its marked line shows: the key, or the item.
 */
function hasPlace(text, path) {
  if (path.length === 0) return true;
  const [first, ...others] = path.map((token) => `["'\`]?${literal(token)}["'\`]?\\]?`);
  const rest = others.map((step) => `(?:\\.[^\\s.]+)?[/.[]+${step}`).join("");
  const written = `(?:^|[/.[])${first}${rest}(?![\\w-])`;
  const said = `(?<![\\w-])${first}${rest} (?:must|should|is)\\b`;
  const last = path.at(-1);
  const marked = `^> *\\d+ \\|.*${/^\d+$/.test(last) ? "" : `"${literal(last)}"`}`;
  return new RegExp(`${written}|${said}|${marked}`, "m").test(text);
}

/** Whether a text names a key of an object, there or not: by its place, or by name beside its parent's. */
function hasKey(text, pointer) {
  const path = tokens(pointer);
  return hasPlace(text, path) || (hasPlace(text, path.slice(0, -1)) && word(path.at(-1)).test(text));
}

const KINDS = {
  place: (text, { place }) => hasPlace(text, tokens(place)),
  absent: (text, { absent }) => hasKey(text, absent),
  unknown: (text, { unknown }) => hasKey(text, unknown),
  tag: (text, { tag }) => hasKey(text, tag),
  type: (text, { type }) => TYPES[type].test(text),
  members: (text, { members }) => members.every((member) => word(member).test(text)),
  // A backslash may be doubled where the text is JSON.
  literally: (text, { literally }) => text.includes(literally) || text.includes(JSON.stringify(literally).slice(1, -1)),
  limit: (text, { limit, of }) => new RegExp(`(?:${LIMITS[limit].source})\\W*${of}(?!\\d|\\.\\d)`, "i").test(text),
  unit: (text, { unit }) => UNITS[unit].test(text),
  format: (text, { format }) => new RegExp(literal(format).replace("-", "[- ]?"), "i").test(text),
  text: (text, { text: fault }) => TEXTS[fault].test(text),
  // A branch is known to be the one that was meant only if what the others want is not told beside it.
  silent: (text, { silent }) => !silent.some((key) => word(key).test(text)),
};

/**
 * A text without what it only repeats of the call: the lines of a code frame or of an annotated echo that are not
 * marked, and what pydantic tells of the input. A key that stands there is not yet named as wrong.
 */
function withoutEcho(text) {
  const unmarked = text.startsWith("```json") ? /^(?!.*❌).*(?:\n|$)/gm : /^ +\d+ \|.*(?:\n|$)/gm;
  return text.replace(unmarked, "").replace(/, input_value=.*$|, unable to parse \w+ as an? \w+/gm, "");
}

/** The facts that a text does not hold; it holds none if there is no text. */
export function missing(text, facts) {
  if (text === null) return facts;
  const told = withoutEcho(text);
  return facts.filter((fact) => !KINDS[Object.keys(fact)[0]](told, fact));
}
