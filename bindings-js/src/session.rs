//! What the module keeps between calls: the input buffer, the contracts and the last answer.
//!
//! A module is single-threaded and no JavaScript runs inside a call, so no cell is ever borrowed twice.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde::Serialize;
use toolmend::certain::Program;
use toolmend::{Contract, Finish, Outcome, Status};
use wasm_bindgen::JsValue;

use crate::options::{self, Made, Refusal};
use crate::{host, numbers};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CONTRACTS: RefCell<BTreeMap<u32, Entry>> = const { RefCell::new(BTreeMap::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<Option<Outcome<'static>>> = const { RefCell::new(None) };
}

struct Entry {
    contract: Contract,
    exact_numbers: bool,
}

/// What the input is.
enum Source {
    /// The raw argument text.
    Text,
    /// The raw argument text of a reply that was cut; nothing where there was none.
    Cut,
    /// Host data as canonical JSON text.
    Host,
    /// JSON text of what is wrong with host data.
    Issues,
    /// No argument at all.
    Missing,
}

impl Source {
    fn read(number: u32) -> Self {
        match number {
            1 => Self::Cut,
            2 => Self::Host,
            3 => Self::Issues,
            4 => Self::Missing,
            _ => Self::Text,
        }
    }
}

pub(crate) fn reserve(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        if length == 0 {
            *input = Vec::new();
        } else if length > input.len() {
            input.resize(length, 0);
        }
        input.as_mut_ptr()
    })
}

pub(crate) fn compile(length: usize, options: &str) -> Result<JsValue, JsValue> {
    let (contract, exact_numbers) = INPUT
        .with_borrow(|input| options::compile(input.get(..length).unwrap_or_default(), options))
        .map_err(|refusal| thrown(&refusal))?;
    let id = NEXT.get();
    NEXT.set(id.wrapping_add(1));
    let made = Made::new(id, &contract).serialize(&serde_wasm_bindgen::Serializer::json_compatible());
    CONTRACTS.with_borrow_mut(|contracts| contracts.insert(id, Entry { contract, exact_numbers }));
    Ok(made?)
}

fn thrown(refusal: &Refusal) -> JsValue {
    JsValue::from_str(&serde_json::to_string(refusal).unwrap_or_default())
}

pub(crate) fn release(contract: u32) {
    CONTRACTS.with_borrow_mut(|contracts| contracts.remove(&contract));
}

pub(crate) fn hints(contract: u32, max_bytes: usize) -> String {
    let hints = |entry: &Entry| entry.contract.hints(max_bytes);
    CONTRACTS.with_borrow(|contracts| contracts.get(&contract).map(hints).unwrap_or_default())
}

pub(crate) fn rules(contract: u32) -> String {
    let rules = |entry: &Entry| entry.contract.certain().map(Program::to_json);
    CONTRACTS.with_borrow(|contracts| contracts.get(&contract).and_then(rules).unwrap_or_default())
}

pub(crate) fn repair(contract: u32, length: usize, source: u32, keep: bool) -> u32 {
    CONTRACTS.with_borrow(|contracts| match contracts.get(&contract) {
        Some(entry) => INPUT.with_borrow(|input| {
            let input = input.get(..length).unwrap_or_default();
            let outcome = outcome(&entry.contract, input, &Source::read(source));
            let (outcome, unsafe_integers) = numbers::judged(&entry.contract, outcome, entry.exact_numbers);
            let status = match outcome.status() {
                Status::Unchanged => 0,
                Status::Repaired => 1,
                Status::Refused => 2,
            };
            let kept = keep || status > 0 || !outcome.warnings().is_empty();
            if kept {
                LAST.set(Some(outcome.into_owned()));
            }
            status | u32::from(kept) << 2 | u32::from(unsafe_integers) << 3
        }),
        None => u32::MAX,
    })
}

pub(crate) fn read(what: impl FnOnce(&Outcome<'static>) -> String) -> String {
    LAST.with_borrow(|last| last.as_ref().map(what).unwrap_or_default())
}

fn outcome<'i>(contract: &Contract, input: &'i [u8], source: &Source) -> Outcome<'i> {
    match source {
        Source::Text => contract.repair_bytes(input),
        // A cut may go through a character.
        Source::Cut => contract.repair_finished(&String::from_utf8_lossy(input), Finish::Length).into_owned(),
        // Longer than the limit: refused as text of that length is.
        Source::Host if input.len() > contract.limits().bytes => contract.repair_bytes(input),
        Source::Host => match host::document(input) {
            Some(document) => contract.repair_document(document),
            None => contract.refuse(host::unreadable()),
        },
        Source::Issues => contract.refuse(host::issues(input)),
        Source::Missing => contract.repair_missing(),
    }
}
