// What is measured. Everything is ours and made from a seed, so that each run measures the same bytes.
//
// `node workloads.mjs FOLDER` writes each as a file; every host reads those.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FENCE = "```";
const WORDS = [
  ..."alpha beta gamma delta issue server cache login retry parse token model agent schema branch commit".split(" "),
  ..."deploy report invoice ticket customer order panel widget queue worker thread socket buffer stream".split(" "),
];

/** A linear congruential generator: small, and the same in every version of every engine. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed;
  }

  /** A number from 0 up to, and without, 1. */
  number() {
    this.#state = (Math.imul(this.#state, 1103515245) + 12345) & 0x7fffffff;
    return this.#state / 0x80000000;
  }

  chance(probability) {
    return this.number() < probability;
  }

  integer(least, most) {
    return least + Math.floor(this.number() * (most - least + 1));
  }

  pick(items) {
    return items[Math.floor(this.number() * items.length)];
  }

  words(count) {
    return Array.from({ length: count }, () => this.pick(WORDS)).join(" ");
  }
}

const text = { type: "string" };
const texts = { type: "array", items: text };
const closed = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });

const WEATHER = closed(
  {
    location: { ...text, description: "City and state" },
    unit: { ...text, enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 14 },
  },
  ["location", "unit"],
);

const ISSUE = {
  description: "Create an issue in a repository.",
  ...closed(
    {
      owner: { ...text, minLength: 1, description: "Repository owner" },
      repo: { ...text, minLength: 1, description: "Repository name" },
      title: { ...text, minLength: 1, maxLength: 256, description: "Issue title" },
      body: { ...text, description: "Issue body, markdown" },
      state: { ...text, enum: ["open", "in_progress", "blocked", "closed"], description: "Initial state" },
      priority: { type: "integer", minimum: 1, maximum: 5 },
      estimate: { type: "number", minimum: 0 },
      confidential: { type: "boolean" },
      labels: { ...texts, description: "Labels to apply" },
      assignees: { ...texts, maxItems: 10 },
      milestone: text,
      metadata: closed(
        {
          source: { ...text, enum: ["chat", "email", "api"] },
          url: text,
          tags: texts,
          attempts: { type: "integer", minimum: 0 },
        },
        ["source"],
      ),
    },
    ["owner", "repo", "title", "labels"],
  ),
};

const AN_ISSUE = {
  owner: "acme-industries",
  repo: "platform-services",
  title: "Login fails after session timeout on the new gateway",
  body: [
    "Steps to reproduce:",
    '1. Log in as a "standard" user',
    "2. Wait for 30 minutes",
    "3. Click on any panel",
    "",
    "Expected: redirect to the login page.",
    "Actual: a blank page and a 500 error in the log.",
  ].join("\n"),
  state: "open",
  priority: 2,
  estimate: 3.5,
  confidential: false,
  labels: ["bug", "auth", "regression"],
  assignees: ["mlee", "tanaka"],
  milestone: "v2.14",
  metadata: { source: "chat", url: "https://example.com/threads/48213", tags: ["triage", "customer"], attempts: 1 },
};

const FILE = closed(
  {
    path: { ...text, minLength: 1 },
    content: text,
    encoding: { ...text, enum: ["utf-8", "latin-1"] },
    create_dirs: { type: "boolean" },
  },
  ["path", "content"],
);

/** Something like source code, of a given length. */
function code(random, length, withOtherScripts) {
  const lines = [];
  for (let written = 0; written < length; written += lines.at(-1).length + 1) {
    lines.push("    ".repeat(random.integer(0, 3)) + statement(random, lines.length, withOtherScripts));
  }
  return lines.join("\n");
}

function statement(random, line, withOtherScripts) {
  const word = () => random.words(1);
  switch (random.integer(0, 4)) {
    case 0:
      return `// ${random.words(random.integer(4, 9))}${withOtherScripts ? " – naïve café 日本語" : ""}`;
    case 1:
      return `if (${word()}.${word()} > ${random.integer(1, 999)}) { return ${word()}(${random.integer(1, 99)}); }`;
    case 2:
      return `${word()}.${word()}(${word()}, ${random.number().toFixed(4)});`;
    default:
      return `const ${word()}_${line} = "${random.words(random.integer(1, 4))}";`;
  }
}

const file = (random, withOtherScripts) => ({
  path: "src/server/handlers.ts",
  content: code(random, 96_500, withOtherScripts),
  encoding: "utf-8",
  create_dirs: true,
});

const ROWS = closed(
  {
    dataset: text,
    rows: {
      type: "array",
      items: closed(
        {
          id: { type: "integer", minimum: 0 },
          name: text,
          price: { type: "number" },
          active: { type: "boolean" },
          category: { ...text, enum: ["a", "b", "c", "d"] },
          tags: texts,
        },
        ["id", "name"],
      ),
    },
  },
  ["dataset", "rows"],
);

const row = (random, id) => ({
  id,
  name: random.words(2),
  price: random.integer(0, 100_000) / 100,
  active: random.chance(0.5),
  category: random.pick(["a", "b", "c", "d"]),
  tags: [random.words(1), random.words(1)],
});

const POINT = { $ref: "#/$defs/Point" };
const ACTIONS = {
  click: { x: { type: "integer" }, y: { type: "integer" } },
  type: { text },
  scroll: { dx: { type: "number" }, dy: { type: "number" } },
  navigate: { url: text },
  wait: { ms: { type: "integer" } },
  screenshot: { full: { type: "boolean" } },
  select: { selector: text, value: text },
  drag: { from: POINT, to: POINT },
  hover: { selector: text },
  upload: { files: texts },
  evaluate: { script: text, args: texts },
  assert: { selector: text, text },
};

/** A list of items of one of several kinds, told apart by `kind`. */
export function union(kinds) {
  const $defs = { Point: closed({ x: { type: "integer" }, y: { type: "integer" } }, ["x", "y"]) };
  for (const [kind, properties] of Object.entries(kinds)) {
    $defs[kind] = closed({ kind: { ...text, const: kind }, ...properties, note: text }, [
      "kind",
      ...Object.keys(properties),
    ]);
  }
  const anyOf = Object.keys(kinds).map((kind) => ({ $ref: `#/$defs/${kind}` }));
  return {
    ...closed({ session: text, actions: { type: "array", items: { anyOf } } }, ["session", "actions"]),
    $defs,
  };
}

const SOME_ACTIONS = {
  session: "sess_7f21",
  actions: [
    { kind: "navigate", url: "https://example.com/login" },
    { kind: "click", x: 120, y: 340, note: "focus the field" },
    { kind: "type", text: "user@example.com" },
    { kind: "drag", from: { x: 1, y: 2 }, to: { x: 300, y: 400 } },
    { kind: "upload", files: ["a.pdf", "b.pdf"] },
    { kind: "assert", selector: "#welcome", text: "Hello" },
  ],
};

/** One property of a tool, and a value for it. */
function property(random, depth) {
  const description = random.words(4);
  const kind = random.number();
  if (kind < 0.4) return [{ ...text, description }, random.words(random.integer(1, 5))];
  if (kind < 0.52) return [{ type: "integer", minimum: 0, description }, random.integer(0, 100)];
  if (kind < 0.58) return [{ type: "number" }, random.integer(1, 99) + 0.5];
  if (kind < 0.68) return [{ type: "boolean", description }, random.chance(0.5)];
  if (kind < 0.78) {
    const members = ["one", "two", "three", "four"].slice(0, random.integer(2, 4));
    return [{ ...text, enum: members, description }, random.pick(members)];
  }
  if (kind < 0.9 || depth > 1) return [{ ...texts, description }, random.words(random.integer(1, 3)).split(" ")];
  return object(random, random.integer(2, 4), depth + 1);
}

/** A closed object of some properties, half of them required, and a value that has some of the others too. */
function object(random, size, depth) {
  const properties = {};
  const required = [];
  const value = {};
  for (let at = 0; at < size; at += 1) {
    const name = `${random.words(1)}_${at}`;
    const [schema, example] = property(random, depth);
    properties[name] = schema;
    const isRequired = at === 0 || random.chance(0.5);
    if (isRequired) required.push(name);
    if (isRequired || random.chance(0.6)) value[name] = example;
  }
  return [closed(properties, required), value];
}

/** Tools as a host has them: each with its schema, and the arguments of one valid call. */
export function tools(count) {
  const random = new Random(8);
  return Array.from({ length: count }, (_, at) => {
    const [schema, value] = object(random, random.integer(2, 14), 0);
    return {
      schema: { description: `Tool ${at}: ${random.words(10)}`, ...schema },
      arguments: JSON.stringify(value),
      expected: value,
    };
  });
}

const valid = (schema, value) => ({ schema, arguments: JSON.stringify(value), expect: "valid", expected: value });

/** Every workload by its name. `policy` is the narrowest that repairs it, where the default does not. */
export function workloads() {
  const { title: _, ...untitled } = AN_ISSUE;
  const bad = {
    ...untitled,
    state: "reopened",
    estimate: { hours: 3 },
    metadata: { ...AN_ISSUE.metadata, channel: "general" },
  };
  const fenced = JSON.stringify(AN_ISSUE, null, 2).replace('"attempts": 1', '"attempts": 1,');
  const reencoded = { ...AN_ISSUE, priority: "2", metadata: JSON.stringify(AN_ISSUE.metadata) };
  const rows = new Random(4);
  return {
    w1: valid(WEATHER, { location: "San Francisco Bay Area, CA, USA", unit: "celsius", days: 5 }),
    w2: valid(ISSUE, AN_ISSUE),
    w3: valid(FILE, file(new Random(3), false)),
    w3u: valid(FILE, file(new Random(3), true)),
    w4: valid(ROWS, { dataset: "products", rows: Array.from({ length: 1000 }, (_, id) => row(rows, id)) }),
    w5: valid(union(ACTIONS), SOME_ACTIONS),
    w6: {
      schema: ISSUE,
      arguments: JSON.stringify({ ...AN_ISSUE, labels: "bug" }),
      expect: "repaired",
      expected: { ...AN_ISSUE, labels: ["bug"] },
    },
    w7: { schema: ISSUE, arguments: JSON.stringify(bad), expect: "refused", errors: 4 },
    x1: {
      schema: ISSUE,
      arguments: `${FENCE}json\n${fenced}\n${FENCE}`,
      policy: "lenient",
      expect: "repaired",
      expected: AN_ISSUE,
    },
    x2: {
      schema: ISSUE,
      arguments: JSON.stringify(reencoded),
      policy: "lenient",
      expect: "repaired",
      expected: AN_ISSUE,
    },
  };
}

/** Writes each workload, and the tools as `w8`, into a folder. */
export function write(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, workload] of Object.entries({ ...workloads(), w8: { tools: tools(200) } })) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(workload));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) write(process.argv[2]);
