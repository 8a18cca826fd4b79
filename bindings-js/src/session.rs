//! What the module keeps between calls: the input buffer, the contracts and the last answer.
//!
//! A module is single-threaded and no JavaScript runs inside a call, so no cell is ever borrowed twice.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde::Serialize;
use toolmend::{Contract, Finish, Status};
use wasm_bindgen::JsValue;

use crate::answer::Answer;
use crate::host;
use crate::options::{HostOptions, Made, Refusal};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CONTRACTS: RefCell<BTreeMap<u32, Entry>> = const { RefCell::new(BTreeMap::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<Option<Answer<'static>>> = const { RefCell::new(None) };
}

struct Entry {
    contract: Contract,
    exact_numbers: bool,
}

/// What the input is.
enum Source {
    /// The raw argument text.
    Text,
    /// The raw argument text of a reply that was cut.
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

pub(crate) fn compile(length: usize, options: JsValue) -> Result<JsValue, JsValue> {
    let options: HostOptions = serde_wasm_bindgen::from_value(options)
        .map_err(|error| thrown(&Refusal::Option { option: error.to_string() }))?;
    let contract = INPUT
        .with_borrow(|input| options.compile(input.get(..length).unwrap_or_default()))
        .map_err(|refusal| thrown(&refusal))?;
    let id = NEXT.get();
    NEXT.set(id.wrapping_add(1));
    let made = Made::new(id, &contract).serialize(&serde_wasm_bindgen::Serializer::json_compatible());
    let exact_numbers = options.exact_numbers;
    CONTRACTS.with_borrow_mut(|contracts| contracts.insert(id, Entry { contract, exact_numbers }));
    Ok(made?)
}

fn thrown(refusal: &Refusal) -> JsValue {
    JsValue::from_str(&serde_json::to_string(refusal).unwrap_or_default())
}

pub(crate) fn release(contract: u32) {
    CONTRACTS.with_borrow_mut(|contracts| contracts.remove(&contract));
}

pub(crate) fn repair(contract: u32, length: usize, source: u32, keep: bool) -> u32 {
    CONTRACTS.with_borrow(|contracts| match contracts.get(&contract) {
        Some(entry) => INPUT.with_borrow(|input| {
            let input = input.get(..length).unwrap_or_default();
            let (answer, unsafe_integers) = answer(entry, input, &Source::read(source));
            let kept = keep || answer.has_report();
            let status = match answer.status() {
                Status::Unchanged => 0,
                Status::Repaired => 1,
                Status::Refused => 2,
            };
            if kept {
                LAST.set(Some(answer.into_owned()));
            }
            status | u32::from(kept) << 2 | u32::from(unsafe_integers) << 3
        }),
        None => u32::MAX,
    })
}

pub(crate) fn read(what: impl FnOnce(&Answer<'static>) -> String) -> String {
    LAST.with_borrow(|last| last.as_ref().map(what).unwrap_or_default())
}

fn answer<'i>(entry: &Entry, input: &'i [u8], source: &Source) -> (Answer<'i>, bool) {
    let contract = &entry.contract;
    let outcome = match source {
        Source::Text => contract.repair_bytes(input),
        Source::Cut => match std::str::from_utf8(input) {
            Ok(text) => contract.repair_finished(text, Finish::Length),
            Err(_) => contract.repair_bytes(input),
        },
        // Longer than the limit: refused as text of that length is.
        Source::Host if input.len() > contract.limits().bytes => contract.repair_bytes(input),
        Source::Host => match host::document(input) {
            Some(document) => contract.repair_document(document),
            None => return (Answer::Host(host::unreadable()), false),
        },
        Source::Issues => return (Answer::Host(host::issues(input)), false),
        Source::Missing => contract.repair_missing(),
    };
    Answer::new(outcome, contract, entry.exact_numbers)
}
