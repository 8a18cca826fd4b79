//! What an agent needs beside single contracts: its list of tools, and its attempts.
//!
//! What cannot be read is told in the answer: anything thrown out of the module counts as a trap.

use std::fmt::Display;

use serde_json::{Value, json};
use toolmend::{Attempts, Decision, Outcome};

use crate::session;

pub(crate) fn definitions(length: usize) -> String {
    match session::input(length, |bytes| serde_json::from_slice::<Value>(bytes)) {
        Err(error) => failed(error),
        Ok(tools) => match toolmend::definitions(&tools) {
            Err(error) => failed(error.message()),
            Ok(definitions) => json!({"definitions": definitions}).to_string(),
        },
    }
}

pub(crate) fn unknown(name: &str, names: &str) {
    let names: Vec<String> = serde_json::from_str(names).unwrap_or_default();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    session::keep(Outcome::unknown_tool(name, &names));
}

pub(crate) fn attempts(budget: usize, state: Option<&str>) -> String {
    match state.map_or_else(|| Ok(Attempts::new(budget)), Attempts::from_json) {
        Err(message) => failed(message),
        Ok(attempts) => json!({"state": attempts.to_json()}).to_string(),
    }
}

pub(crate) fn decide(state: &str, decide: impl FnOnce(&mut Attempts) -> Option<Decision>) -> String {
    match Attempts::from_json(state) {
        Err(message) => failed(message),
        Ok(mut attempts) => {
            let decision = decide(&mut attempts);
            json!({"state": attempts.to_json(), "decision": decision}).to_string()
        }
    }
}

fn failed(message: impl Display) -> String {
    json!({"error": message.to_string()}).to_string()
}
