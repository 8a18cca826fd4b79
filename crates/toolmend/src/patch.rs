//! Repairs as an RFC 6902 JSON Patch.

use serde::Serialize;

use crate::issue::Json;
use crate::outcome::Repair;
use crate::pointer::{Pointer, tokens};
use crate::policy::Rule;

/// One operation (RFC 6902 section 4).
#[derive(Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Operation {
    Add { path: String, value: Json },
    Remove { path: String },
    Replace { path: String, value: Json },
    Move { from: String, path: String },
}

/// The patch that makes the value from the parsed input, as JSON text.
pub(crate) fn render(repairs: &[Repair]) -> String {
    // Paths keep the keys that were sent; once a key is renamed the patch must use the new one.
    let mut renamed: Vec<(String, String)> = Vec::new();
    let operations: Vec<Operation> = repairs
        .iter()
        .map(|repair| {
            let path = current(&repair.path, &renamed);
            match (&repair.after, repair.new_key()) {
                (_, Some(key)) => {
                    let to = String::from(sibling(&path, &key));
                    renamed.push((repair.path.clone(), key));
                    Operation::Move { from: path, path: to }
                }
                (None, None) => Operation::Remove { path },
                (Some(value), None) if repair.before.is_none() => Operation::Add { path, value: value.clone() },
                (Some(value), None) => Operation::Replace { path, value: value.clone() },
            }
        })
        .collect();
    serde_json::to_string(&operations).unwrap_or_default()
}

/// The path of a place of the input after the renames so far.
fn current(path: &str, renamed: &[(String, String)]) -> String {
    let mut sent = Pointer::root();
    let mut now = Pointer::root();
    for token in tokens(path) {
        sent = sent.key(&token);
        let key = renamed.iter().find(|(from, _)| from == sent.as_str()).map_or(token.as_str(), |(_, to)| to.as_str());
        now = now.key(key);
    }
    now.into()
}

fn sibling(path: &str, key: &str) -> Pointer {
    let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
    tokens(parent).fold(Pointer::root(), |pointer, token| pointer.key(&token)).key(key)
}

impl Repair {
    /// The new name, where the repair renamed a key.
    pub(crate) fn new_key(&self) -> Option<String> {
        let after = self.after.as_ref().filter(|_| self.rule == Rule::RenameKey)?;
        serde_json::from_str(after.as_str()).ok()
    }
}
