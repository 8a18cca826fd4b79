//! A tool's arguments in a few words, before the first call: what models get wrong is the spelling of keys, the members
//! of enums, nested records, and a list of one.

use std::fmt::Write as _;

use serde_json::Value;

use crate::collections::{ByNumber, sorted_by};
use crate::document::quoted;
use crate::schema::plan::{Others, Shape};
use crate::schema::{Plan, SchemaId, Types};

/// The deepest nesting that is spelled out.
const DEEPEST: usize = 6;

pub(crate) fn render(plan: &Plan, max_bytes: usize) -> String {
    let texts = (0..=DEEPEST)
        .rev()
        .map(|depth| Hints { plan, depth, lists: Vec::new(), open: Vec::new(), told: ByNumber::default() }.text());
    let mut shortest = String::new();
    for text in texts {
        if text.len() <= max_bytes {
            return text;
        }
        shortest = text;
    }
    crate::feedback::cap(shortest, max_bytes)
}

struct Hints<'p> {
    plan: &'p Plan,
    depth: usize,
    /// Names of lists that hold plain values.
    lists: Vec<String>,
    /// The subschemas that are being told: one that leads back to itself is told once.
    open: Vec<SchemaId>,
    /// What was told of a subschema at a depth: unions may lead to one by many ways.
    told: ByNumber<(SchemaId, usize), String>,
}

impl Hints<'_> {
    fn text(mut self) -> String {
        let root = self.plan.root();
        let mut text = format!("Arguments, exact keys: {}", self.schema(root, "", 0));
        self.lists.dedup();
        if !self.lists.is_empty() {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "\nLists, also for one item: {}", self.lists.join(", "));
        }
        text
    }

    fn schema(&mut self, schema: SchemaId, name: &str, depth: usize) -> String {
        if self.open.contains(&schema) || self.plan.parts(schema).iter().any(|part| self.is_open(part)) {
            return "...".to_owned();
        }
        if let Some(told) = self.told.get(&(schema, depth)) {
            return told.clone();
        }
        self.open.push(schema);
        let text = self.one(schema, name, depth);
        self.open.pop();
        self.told.insert((schema, depth), text.clone());
        text
    }

    fn is_open(&self, part: &Shape) -> bool {
        self.open.iter().any(|open| std::ptr::eq(self.plan.shape(*open), part))
    }

    fn one(&mut self, schema: SchemaId, name: &str, depth: usize) -> String {
        let parts = self.plan.parts(schema);
        let types = parts.iter().fold(Types::ALL, |types, shape| types.and(shape.types));
        if let Some(members) = parts.iter().find_map(|shape| shape.members.as_ref()) {
            return choices(members);
        }
        if let Some(branches) = parts.iter().find_map(|shape| shape.unions.first()) {
            let branches = branches.clone();
            if types == Types::ALL || parts.iter().all(|shape| shape.properties.is_empty()) {
                let mut texts: Vec<String> = Vec::new();
                for branch in branches {
                    let text = self.schema(branch, name, depth);
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                return texts.join(" | ");
            }
        }
        if types == Types::ALL && parts.iter().all(|shape| shape.properties.is_empty() && shape.rest.is_none()) {
            return "any".to_owned();
        }
        let mut texts = Vec::new();
        for kind in types.names() {
            texts.push(match kind {
                "object" => self.object(schema, depth),
                "array" if depth < self.depth => self.array(schema, name, depth),
                _ if types == Types::ALL => continue,
                other => other.to_owned(),
            });
        }
        texts.join(" | ")
    }

    fn object(&mut self, schema: SchemaId, depth: usize) -> String {
        let parts = self.plan.parts(schema);
        let mut properties: Vec<(String, SchemaId, bool)> = Vec::new();
        for shape in &parts {
            for (key, schema) in shape.properties.iter() {
                if !properties.iter().any(|(known, ..)| known == key) {
                    let required = parts.iter().any(|shape| shape.required.contains(key));
                    properties.push((key.clone(), *schema, required));
                }
            }
        }
        let values = parts.iter().find(|shape| shape.others == Others::Spoken).and_then(|shape| shape.additional);
        if depth >= self.depth || properties.is_empty() && values.is_none() {
            return "object".to_owned();
        }
        // What must be there first.
        let properties = sorted_by(properties, |one, two| two.2.cmp(&one.2));
        let mut texts = Vec::new();
        for (key, schema, required) in properties {
            let mark = if required { "" } else { "?" };
            let plain = key.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
            let name = if plain { key.clone() } else { quoted(&key) };
            let text = self.schema(schema, &key, depth + 1);
            texts.push(format!("{name}{mark}: {text}"));
        }
        if let Some(values) = values {
            let text = self.schema(values, "", depth + 1);
            texts.push(format!("[key]: {text}"));
        }
        format!("{{{}}}", texts.join(", "))
    }

    fn array(&mut self, schema: SchemaId, name: &str, depth: usize) -> String {
        let parts = self.plan.parts(schema);
        let prefix = parts.iter().find(|shape| !shape.prefix.is_empty()).map(|shape| shape.prefix.clone());
        let rest = parts.iter().find_map(|shape| shape.rest);
        if let Some(prefix) = prefix {
            let items: Vec<String> = prefix.into_iter().map(|item| self.schema(item, "", depth + 1)).collect();
            return format!("[{}]", items.join(", "));
        }
        let Some(item) = rest else { return "any[]".to_owned() };
        let item_types = self.plan.parts(item).iter().fold(Types::ALL, |types, shape| types.and(shape.types));
        if !name.is_empty() && !item_types.meets(Types::CONTAINERS) {
            self.lists.push(name.to_owned());
        }
        let text = self.schema(item, "", depth + 1);
        if text.contains(' ') && !text.starts_with('{') { format!("({text})[]") } else { format!("{text}[]") }
    }
}

fn choices(members: &[Value]) -> String {
    const MOST: usize = 16;
    let mut told: Vec<String> = members.iter().take(MOST).map(Value::to_string).collect();
    if members.len() > MOST {
        told.push(format!("({} more)", members.len() - MOST));
    }
    told.join(" | ")
}
