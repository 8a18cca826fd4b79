//! What JavaScript read for us: JSON texts, host data, and what was wrong with host data.

use serde::Deserialize;
use toolmend::{Code, Document, Issue};

/// Reads the JSON text that the TypeScript made of host data: no issue may name a place in a text that nobody sent.
pub(crate) fn document(text: &[u8]) -> Option<Document<'_>> {
    Document::parse(std::str::from_utf8(text).ok()?).ok().map(Document::into_data)
}

/// What is wrong with host data, as the TypeScript reader found it, or with a call, as the host's guards did.
#[derive(Deserialize)]
struct Found {
    code: String,
    path: String,
    hint: String,
    reason: Option<String>,
}

impl From<Found> for Issue {
    fn from(Found { code, path, hint, reason }: Found) -> Self {
        Issue { reason, ..Issue::new(known(&code), path, hint) }
    }
}

/// Reads the JSON text of such findings.
pub(crate) fn issues(text: &[u8]) -> Vec<Issue> {
    match serde_json::from_slice::<Vec<Found>>(text) {
        Ok(found) => found.into_iter().map(Issue::from).collect(),
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
