//! What JavaScript read for us: schemas, host data and what was wrong with host data.

use serde::Deserialize;
use serde_json::Value;
use toolmend::{Code, Document, Issue, Kind, Node, Writer};

use crate::options::Refusal;

/// Which of the texts that `compile` takes.
pub(crate) enum SchemaText<'a> {
    Definition,
    Document(&'a str),
}

/// Reads the JSON text of a schema.
pub(crate) fn schema(which: &SchemaText<'_>, text: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(text).map_err(|error| {
        let message = match which {
            SchemaText::Definition => format!("no JSON: {error}"),
            SchemaText::Document(uri) => format!("the document `{uri}` is no JSON: {error}"),
        };
        Refusal::Schema { path: String::new(), message }
    })
}

/// Reads the JSON text that the TypeScript made of host data. The document keeps no text: no issue may name a place
/// in one that nobody sent.
pub(crate) fn document(text: &[u8]) -> Option<Document<'static>> {
    let document = Document::parse(std::str::from_utf8(text).ok()?).ok()?;
    let mut writer = Writer::new();
    copy(document.root(), &mut writer);
    Some(writer.finish())
}

fn copy(value: Node<'_>, writer: &mut Writer) {
    match value.kind() {
        Kind::Null => writer.null(),
        Kind::Bool(value) => writer.boolean(value),
        Kind::Number(text) => writer.number(text),
        Kind::String(text) => writer.string(text),
        Kind::Array(elements) => {
            writer.begin_array();
            elements.for_each(|element| copy(element, writer));
            writer.end_array();
        }
        Kind::Object(members) => {
            writer.begin_object();
            for (key, value) in members {
                writer.key(key);
                copy(value, writer);
            }
            writer.end_object();
        }
    }
}

/// What is wrong with host data, as the TypeScript reader found it.
#[derive(Deserialize)]
struct Found {
    code: String,
    path: String,
    hint: String,
}

/// Reads the JSON text of the reader's findings.
pub(crate) fn issues(text: &[u8]) -> Vec<Issue> {
    match serde_json::from_slice::<Vec<Found>>(text) {
        Ok(found) => found.into_iter().map(|Found { code, path, hint }| issue(&code, path, hint)).collect(),
        Err(_) => unreadable(),
    }
}

/// The refusal of host data that could not be read at all.
pub(crate) fn unreadable() -> Vec<Issue> {
    vec![issue("unsupported_value", String::new(), "the arguments are no plain data".to_owned())]
}

fn issue(code: &str, path: String, hint: String) -> Issue {
    Issue {
        code: Code::ALL.iter().copied().find(|known| known.as_str() == code).unwrap_or(Code::UnsupportedValue),
        path,
        keyword: None,
        schema: None,
        expected: None,
        received: None,
        hint,
        candidates: Vec::new(),
        span: None,
    }
}
