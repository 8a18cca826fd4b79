//! Schemas of the kinds that tools have, values for them, and what models do to values.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// A schema and a call.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    pub schema: Value,
    /// The arguments as JSON.
    pub value: Value,
    /// The arguments as text, which may be anything.
    pub text: String,
}

const KEYS: &[&str] =
    &["file_path", "filePath", "names", "limit", "dry-run", "kind", "items", "q", "query", "name", "id"];
const WORDS: &[&str] = &[
    "",
    "a",
    "b",
    "x y",
    "a, b",
    "null",
    "None",
    "true",
    "False",
    "5",
    "5.0",
    "1e2",
    "-0",
    "007",
    "[1]",
    "[\"a\"]",
    "{}",
    "{\"a\": 1}",
    "[a]",
    "\"a\"",
    "Open",
    "open",
    "OPEN",
    "in-progress",
    "IN_PROGRESS",
    "12345678901234567890",
    "é\n",
    "a|b",
    "a;b",
    "[1,",
    "{'a': 1}",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "5",
    "-1",
    "5.0",
    "5.5",
    "1e2",
    "-0.0",
    "0.1",
    "1.10",
    "100",
    "9007199254740993",
    "12345678901234567890",
];

fn number() -> impl Strategy<Value = Value> {
    select(NUMBERS).prop_map(|text| serde_json::from_str(text).expect("a number"))
}

fn word() -> impl Strategy<Value = Value> {
    select(WORDS).prop_map(Value::from)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), number(), word()]
}

fn any_value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((select(KEYS), inner), 0..4).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    })
}

fn leaf_schema() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(json!({"type": "string"})),
        2 => Just(json!({"type": "integer"})),
        1 => Just(json!({"type": "number"})),
        1 => Just(json!({"type": "boolean"})),
        1 => Just(json!({"type": "integer", "minimum": 1, "maximum": 100})),
        1 => Just(json!({"type": "string", "minLength": 1, "maxLength": 3})),
        1 => Just(json!({"type": "string", "pattern": "^[a-z]+$"})),
        2 => prop::sample::subsequence(vec!["open", "OPEN", "closed", "in_progress", "5", "a"], 1..4)
            .prop_map(|members| json!({"type": "string", "enum": members})),
        1 => Just(json!({"enum": [1, 2, "a", null]})),
        1 => Just(json!({"const": "open"})),
        1 => Just(json!({"type": ["string", "null"]})),
        1 => Just(json!({"type": ["integer", "null"]})),
        1 => Just(json!({"type": ["integer", "string"]})),
        1 => Just(json!({"type": "array"})),
        1 => Just(json!({"type": "object"})),
        1 => Just(json!({})),
        1 => Just(json!({"$ref": "#/$defs/node"})),
    ]
}

fn schema_below() -> impl Strategy<Value = Value> {
    leaf_schema().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            4 => inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            1 => inner.clone().prop_map(|items| json!({"type": ["array", "null"], "items": items, "minItems": 1})),
            1 => prop::collection::vec(inner.clone(), 1..3)
                .prop_map(|items| json!({"type": "array", "prefixItems": items, "items": false})),
            4 => object_schema(inner.clone()),
            2 => (select(vec!["anyOf", "oneOf"]), prop::collection::vec(inner.clone(), 2..4))
                .prop_map(|(keyword, branches)| json!({keyword: branches})),
            1 => tagged(inner.clone()),
            1 => prop::collection::vec(inner.clone(), 2..3).prop_map(|parts| json!({"allOf": parts})),
            1 => inner.clone().prop_map(|values| json!({"type": "object", "additionalProperties": values})),
            1 => inner.prop_map(|values| json!({"type": "object", "patternProperties": {"^[a-f]": values}})),
        ]
    })
}

fn object_schema(inner: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Value> {
    (
        prop::collection::btree_map(select(KEYS), inner, 0..4),
        any::<u8>(),
        prop_oneof![3 => Just(Some(json!(false))), 2 => Just(None), 1 => Just(Some(json!({"type": "string"})))],
        any::<bool>(),
    )
        .prop_map(|(properties, required, others, conditional)| {
            let keys: Vec<&str> = properties.keys().copied().collect();
            let required: Vec<&str> =
                keys.iter().enumerate().filter(|(index, _)| required >> index & 1 == 1).map(|(_, key)| *key).collect();
            let mut schema = json!({"type": "object", "properties": properties, "required": required});
            if let Some(others) = others {
                schema["additionalProperties"] = others;
            }
            if let (true, [first, second, ..]) = (conditional, keys.as_slice()) {
                schema["if"] = json!({"properties": {*first: {"const": "open"}}, "required": [first]});
                schema["then"] = json!({"required": [second]});
            }
            schema
        })
}

fn tagged(inner: impl Strategy<Value = Value> + Clone + 'static) -> impl Strategy<Value = Value> {
    (inner.clone(), inner).prop_map(|(one, two)| {
        let branch = |tag: &str, schema: Value| {
            json!({"type": "object", "properties": {"kind": {"const": tag}, "value": schema}, "required": ["kind", "value"], "additionalProperties": false})
        };
        json!({"oneOf": [branch("open", one), branch("closed", two)]})
    })
}

/// The schema of a whole call.
fn schema() -> impl Strategy<Value = Value> {
    let root = prop_oneof![6 => object_schema(schema_below().boxed()), 1 => schema_below()];
    (root, leaf_schema()).prop_map(|(mut root, leaf)| {
        let leaf = if leaf.get("$ref").is_some() { json!({"type": "string"}) } else { leaf };
        root["$defs"] = json!({"node": {
            "type": "object",
            "properties": {"name": leaf, "items": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["name"],
            "additionalProperties": false
        }});
        root
    })
}

/// A source of choices.
struct Dice<'d> {
    rolls: &'d [Index],
    at: usize,
}

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        let index = self.rolls[self.at % self.rolls.len()].index(sides.max(1) + self.at % 3) % sides.max(1);
        self.at += 1;
        index
    }
}

fn dice() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 24)
}

/// A value that the schema likely accepts.
fn fitting(schema: &Value, root: &Value, dice: &mut Dice<'_>, depth: usize) -> Value {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return fitting(root.pointer(&reference[1..]).expect("a definition"), root, dice, depth + 1);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
            return fitting(&branches[dice.roll(branches.len())], root, dice, depth + 1);
        }
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        return fitting(&parts[0], root, dice, depth + 1);
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(members) = schema.get("enum").and_then(Value::as_array) {
        return members[dice.roll(members.len())].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[dice.roll(kinds.len())].as_str().unwrap_or("null").to_owned(),
        Value::String(kind) => kind.clone(),
        _ => ["string", "integer", "object", "array"][dice.roll(4)].to_owned(),
    };
    match kind.as_str() {
        "string" if schema.get("pattern").is_some() => json!("abc"),
        "string" if schema.get("maxLength").is_some() => json!("5"),
        "string" => json!(WORDS[dice.roll(WORDS.len())]),
        "integer" => json!([5, 1, 100][dice.roll(3)]),
        "number" => serde_json::from_str(NUMBERS[dice.roll(NUMBERS.len())]).expect("a number"),
        "boolean" => json!(dice.roll(2) == 0),
        "array" => {
            let prefix = schema.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
            let mut items: Vec<Value> = prefix.iter().map(|item| fitting(item, root, dice, depth + 1)).collect();
            if let Some(item) = schema.get("items").filter(|item| item.is_object()) {
                let least = usize::from(schema.get("minItems").is_some());
                let count = if depth > 5 { least } else { least + dice.roll(3) };
                items.extend((0..count).map(|_| fitting(item, root, dice, depth + 1)));
            }
            Value::from(items)
        }
        "object" => {
            let mut object = Map::new();
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if required.contains(&json!(key)) || depth < 5 && dice.roll(2) == 0 {
                    object.insert(key.clone(), fitting(property, root, dice, depth + 1));
                }
            }
            for keyword in ["additionalProperties"] {
                if let Some(values) = schema.get(keyword).filter(|values| values.is_object())
                    && depth < 5
                    && dice.roll(2) == 0
                {
                    object.insert("extra".to_owned(), fitting(values, root, dice, depth + 1));
                }
            }
            Value::Object(object)
        }
        _ => Value::Null,
    }
}

/// What models do to a value, at one place.
fn corrupt(value: &mut Value, dice: &mut Dice<'_>, depth: usize) {
    let deeper = depth < 4 && dice.roll(3) > 0;
    match value {
        Value::Object(object) if deeper && !object.is_empty() => {
            let at = dice.roll(object.len());
            if let Some((_, member)) = object.iter_mut().nth(at) {
                return corrupt(member, dice, depth + 1);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = dice.roll(items.len());
            return corrupt(&mut items[at], dice, depth + 1);
        }
        _ => {}
    }
    let old = value.take();
    *value = match (dice.roll(9), old) {
        (0, old) => json!(old.to_string()),
        (1, Value::Array(mut items)) if items.len() == 1 => items.remove(0),
        (1, old) => json!([old]),
        (2, Value::Object(object)) => {
            Value::Object(object.into_iter().map(|(key, value)| (respelled(&key, dice), value)).collect())
        }
        (3, old) => json!({["value", "arguments", "items", "query", "max"][dice.roll(5)]: old}),
        (4, _) => Value::Null,
        (5, _) => json!(WORDS[dice.roll(WORDS.len())]),
        (6, Value::String(text)) => json!(text.to_uppercase()),
        (7, Value::Object(mut object)) => {
            object.insert("surprise".to_owned(), json!(1));
            Value::Object(object)
        }
        (_, Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        (_, old @ (Value::Number(_) | Value::Bool(_))) => json!(old.to_string()),
        (_, old) => old,
    };
}

fn respelled(key: &str, dice: &mut Dice<'_>) -> String {
    match dice.roll(4) {
        0 => key.to_uppercase(),
        1 => key.replace(['_', '-'], ""),
        2 => key.replace('_', "-"),
        _ => key.to_owned(),
    }
}

/// What models do to the text.
fn wrapped(text: String, dice: &mut Dice<'_>) -> String {
    match dice.roll(14) {
        0 => format!("```json\n{text}\n```"),
        1 => json!(text).to_string(),
        2 => format!("Here you are:\n```\n{text}\n```\nDone."),
        3 => format!("Result: {text} as asked"),
        4 => text.replacen('}', ",}", 1),
        5 => text.replace('"', "'"),
        6 => text.chars().take(text.chars().count() * 3 / 4).collect(),
        7 => format!("{{\"arguments\": {text}}}"),
        _ => text,
    }
}

/// A schema and a call that is likely wrong in one to three ways.
pub(crate) fn example() -> impl Strategy<Value = Example> {
    (schema(), dice(), any_value(), 0..5usize).prop_map(|(schema, rolls, other, corruptions)| {
        let mut dice = Dice { rolls: &rolls, at: 0 };
        let mut value = fitting(&schema, &schema, &mut dice, 0);
        if corruptions == 4 {
            value = other;
        }
        for _ in 0..corruptions.min(3) {
            corrupt(&mut value, &mut dice, 0);
        }
        let text = wrapped(value.to_string(), &mut dice);
        Example { schema, value, text }
    })
}

/// A schema and a value that it accepts.
pub(crate) fn valid_example() -> impl Strategy<Value = Example> {
    (schema(), dice()).prop_filter_map("the value is not valid", |(schema, rolls)| {
        let mut dice = Dice { rolls: &rolls, at: 0 };
        let value = fitting(&schema, &schema, &mut dice, 0);
        let valid = jsonschema::options().offline().build(&schema).ok()?.is_valid(&value);
        valid.then(|| Example { text: value.to_string(), schema, value })
    })
}

/// Text of the kinds that break parsers.
pub(crate) fn hostile_text() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        ":",
        ",",
        "\\",
        "\\u",
        "\\ud83d",
        "\\ude00",
        "```",
        "```json\n",
        "\n",
        " ",
        "null",
        "tru",
        "1",
        "-",
        "1e999",
        "//",
        "/*",
        "*/",
        "a",
        "é",
        "\u{feff}",
        "\u{0}",
        "__proto__",
        "{\"a\":",
        "\"names\"",
    ]);
    prop_oneof![prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat()), any::<String>(),]
}

/// The schema with the branches of every union in another order.
pub(crate) fn permuted(schema: &Value, seed: u64) -> Value {
    match schema {
        Value::Object(object) => Value::Object(
            object
                .iter()
                .map(|(key, value)| {
                    let mut value = permuted(value, seed.rotate_left(7));
                    if let (true, Some(branches)) = (key == "anyOf" || key == "oneOf", value.as_array_mut()) {
                        let by = usize::try_from(seed % 7).unwrap_or(0) % branches.len().max(1);
                        branches.rotate_left(by);
                        if seed.is_multiple_of(2) {
                            branches.reverse();
                        }
                    }
                    (key.clone(), value)
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(|item| permuted(item, seed.rotate_left(3))).collect()),
        other => other.clone(),
    }
}

/// The value with numbers by what they are rather than how they are written: `5.0` and `1e2` are integers.
pub(crate) fn canonical(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.to_string().as_str() {
            "5.0" => json!(5),
            "1e2" | "1e+2" => json!(100),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), canonical(value))).collect(),
        other => other.clone(),
    }
}
