//! What JavaScript read for us: JSON texts, host data, and what was wrong with host data.

use serde::Deserialize;
use toolmend::{Code, Document, Issue, Kind, Node, Writer};

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
        Ok(found) => found.into_iter().map(|Found { code, path, hint }| Issue::new(known(&code), path, hint)).collect(),
        Err(_) => unreadable(),
    }
}

/// The refusal of host data that could not be read at all.
pub(crate) fn unreadable() -> Vec<Issue> {
    vec![Issue::new(Code::UnsupportedValue, "", "the arguments are no plain data")]
}

fn known(code: &str) -> Code {
    Code::ALL.iter().copied().find(|known| known.as_str() == code).unwrap_or(Code::UnsupportedValue)
}
