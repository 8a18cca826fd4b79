//! The WebAssembly module behind the npm package `toolmend`.
//!
//! Only numbers cross on the fast path: JavaScript writes the arguments into one reused buffer ([`reserve`]),
//! [`repair`] answers with one integer, and for a call that is valid as it came that is all. Everything else is read
//! afterwards from the last answer ([`wire`], [`json`], [`feedback`]), which the module keeps until the next one.
//! JavaScript holds contracts by number; there are no exported classes, so an instance that trapped can be thrown away.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

mod agent;
mod host;
mod numbers;
mod options;
mod session;

use toolmend::{Code, FeedbackFormat, Finish, Outcome, Policy, Rule, Status};
use wasm_bindgen::prelude::*;

/// Makes room for `length` bytes of input, keeping what was written, and tells where; `0` gives the memory back.
#[wasm_bindgen]
#[must_use]
pub fn reserve(length: usize) -> *mut u8 {
    session::reserve(length)
}

/// Compiles the schema whose JSON text is the first `length` bytes of the input, with the options in JSON text. Answers
/// with the contract's number, name, policy and limits.
///
/// # Errors
///
/// JSON text: `{"option": message}` for a bad option, `{"path", "message"}` for a bad schema, and `beyond` beside these
/// where it takes the full module to tell whether the schema is bad.
#[wasm_bindgen]
pub fn compile(length: usize, options: &str) -> Result<JsValue, JsValue> {
    session::compile(length, options)
}

/// Forgets a contract.
#[wasm_bindgen]
pub fn release(contract: u32) {
    session::release(contract);
}

/// What the schema of a contract wants, for a model; empty if there is no such contract.
#[wasm_bindgen]
#[must_use]
pub fn hints(contract: u32, max_bytes: usize) -> String {
    session::hints(contract, max_bytes)
}

/// The fingerprint of a contract's schema; empty if there is no such contract.
#[wasm_bindgen]
#[must_use]
pub fn fingerprint(contract: u32) -> String {
    session::fingerprint(contract)
}

/// Whether the first `length` bytes of the input, well-formed text, are plainly valid: the outcome is `unchanged`,
/// there are no warnings, and every number is exact in JavaScript. If not, [`repair`] tells.
#[wasm_bindgen]
#[must_use]
pub fn plain(contract: u32, length: usize) -> bool {
    session::plain(contract, length)
}

/// What is plainly valid for a contract, as the JSON text of its rules (`certain::Program`); empty where that cannot be
/// told, and where there is no such contract.
#[wasm_bindgen]
#[must_use]
pub fn rules(contract: u32) -> String {
    session::rules(contract)
}

/// Repairs the first `length` bytes of the input, which are what `source` says (see `session::Source`). The answer is
/// kept unless the call is valid as it came and without warnings; `keep` keeps it then too.
///
/// The integer: bits 0 and 1 the status (0 unchanged, 1 repaired, 2 refused), bit 2 whether the answer is kept, bit 3
/// whether the value holds an integer that is not safe in JavaScript. All bits set: no such contract.
#[wasm_bindgen]
#[must_use]
pub fn repair(contract: u32, length: usize, source: u32, keep: bool) -> u32 {
    session::repair(contract, length, source, keep)
}

/// The wire shape of the kept answer.
#[wasm_bindgen]
#[must_use]
pub fn wire() -> String {
    session::read(Outcome::to_json)
}

/// The canonical arguments of the kept answer as JSON text; empty when it was refused.
#[wasm_bindgen]
#[must_use]
pub fn json() -> String {
    session::read(|outcome| outcome.value().map(toolmend::Node::to_json).unwrap_or_default())
}

/// The repairs of the kept answer as the text of a JSON Patch.
#[wasm_bindgen]
#[must_use]
pub fn patch() -> String {
    session::read(Outcome::patch)
}

/// What may be logged of the kept answer, as JSON text.
#[wasm_bindgen]
#[must_use]
pub fn log() -> String {
    session::read(Outcome::log)
}

/// The digest of the kept answer's call; empty when it was refused.
#[wasm_bindgen]
#[must_use]
pub fn digest() -> String {
    session::read(|outcome| outcome.digest().unwrap_or_default())
}

/// Reads the list of tools whose JSON text is the first `length` bytes of the input: `{"definitions"}` as JSON text, or
/// `{"error"}` for a value that is no list of tools.
#[wasm_bindgen]
#[must_use]
pub fn definitions(length: usize) -> String {
    agent::definitions(length)
}

/// Refuses a call of a tool that is none of `names`, a list in JSON text, and keeps the answer.
#[wasm_bindgen]
pub fn unknown(name: &str, names: &str) {
    agent::unknown(name, names);
}

/// A log of attempts, new or from its JSON text: `{"state"}` as JSON text, or `{"error"}`.
#[wasm_bindgen]
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "the bindings take no optional text by reference")]
pub fn attempts(budget: usize, state: Option<String>) -> String {
    agent::attempts(budget, state.as_deref())
}

/// What follows from the kept answer, a refusal of a call of `tool` with the text `sent`: `{"state", "decision"}` as JSON
/// text. `state` is the log of attempts in JSON text.
#[wasm_bindgen]
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "the bindings take no optional text by reference")]
pub fn decide(state: &str, tool: &str, sent: &str, turn: Option<String>) -> String {
    agent::decide(state, |attempts| session::with_last(|outcome| attempts.decide(tool, sent, turn.as_deref(), outcome)))
}

/// What follows from an accepted call of `tool`, like [`decide`].
#[wasm_bindgen]
#[must_use]
#[expect(clippy::needless_pass_by_value, reason = "the bindings take no optional text by reference")]
pub fn accept(state: &str, tool: &str, turn: Option<String>) -> String {
    agent::decide(state, |attempts| Some(attempts.accept(tool, turn.as_deref())))
}

/// The refusal of the kept answer for the model, in a format whose name the TypeScript has checked.
#[wasm_bindgen]
#[must_use]
pub fn feedback(format: &str, max_bytes: usize) -> String {
    let format: FeedbackFormat = format.parse().unwrap_or_default();
    session::read(|outcome| outcome.feedback_as(format, max_bytes))
}

/// The core's closed lists as JSON text, for the test that holds the TypeScript types to them.
#[wasm_bindgen]
#[must_use]
pub fn lists() -> String {
    let finishes = Finish::NAMES.iter().map(|(name, finish)| ((*name).to_owned(), (*finish == Finish::Length).into()));
    serde_json::json!({
        "codes": Code::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>(),
        "rules": Rule::ALL.iter().map(|rule| rule.as_str()).collect::<Vec<_>>(),
        "policies": Policy::ALL.iter().map(|policy| policy.as_str()).collect::<Vec<_>>(),
        "statuses": Status::ALL.iter().map(|status| status.as_str()).collect::<Vec<_>>(),
        "finishes": finishes.collect::<serde_json::Map<_, _>>(),
        "feedbackFormats": FeedbackFormat::NAMES,
    })
    .to_string()
}
