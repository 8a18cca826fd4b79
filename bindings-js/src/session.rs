//! What the module keeps between calls: the input buffer, the contracts and the last answer.
//!
//! A module is single-threaded and no JavaScript runs inside a call, so no cell is ever borrowed twice.

use std::cell::RefCell;

use serde::Serialize;
use toolmend::certain::{Ignored, Program};
use toolmend::{Contract, Finish, Outcome, Status};
use wasm_bindgen::JsValue;

use crate::options::{self, Made, Refusal};
use crate::{host, numbers};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// By number; a number is not used again.
    static CONTRACTS: RefCell<Vec<Option<Entry>>> = const { RefCell::new(Vec::new()) };
    static LAST: RefCell<Option<Outcome<'static>>> = const { RefCell::new(None) };
}

struct Entry {
    contract: Contract,
    exact_numbers: bool,
}

fn with<R>(contract: u32, work: impl FnOnce(&Entry) -> R) -> Option<R> {
    CONTRACTS.with_borrow(|contracts| contracts.get(contract as usize)?.as_ref().map(work))
}

/// What the input is.
enum Source {
    /// The raw argument text, in UTF-8 as JavaScript encodes it.
    Text,
    /// The same with half of a surrogate pair in it, which is no UTF-8.
    Broken,
    /// The raw argument text of a reply that was cut; nothing where there was none.
    Cut,
    /// Host data as canonical JSON text.
    Host,
    /// JSON text of what is wrong with host data.
    Issues,
    /// No argument at all.
    Missing,
    /// Host data as canonical JSON text, to be validated only.
    Checked,
}

impl Source {
    fn read(number: u32) -> Self {
        match number {
            1 => Self::Cut,
            2 => Self::Host,
            3 => Self::Issues,
            4 => Self::Missing,
            5 => Self::Broken,
            6 => Self::Checked,
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
        .with_borrow(|input| options::compile(text(input, length), options))
        .map_err(|refusal| thrown(&refusal))?;
    CONTRACTS.with_borrow_mut(|contracts| {
        let id = u32::try_from(contracts.len()).unwrap_or(u32::MAX);
        let made = Made::new(id, &contract).serialize(&serde_wasm_bindgen::Serializer::json_compatible());
        contracts.push(Some(Entry { contract, exact_numbers }));
        Ok(made?)
    })
}

fn thrown(refusal: &Refusal) -> JsValue {
    JsValue::from_str(&serde_json::to_string(refusal).unwrap_or_default())
}

pub(crate) fn release(contract: u32) {
    CONTRACTS.with_borrow_mut(|contracts| contracts.get_mut(contract as usize).map(Option::take));
}

pub(crate) fn hints(contract: u32, max_bytes: usize) -> String {
    with(contract, |entry| entry.contract.hints(max_bytes)).unwrap_or_default()
}

pub(crate) fn fingerprint(contract: u32) -> String {
    with(contract, |entry| entry.contract.fingerprint()).unwrap_or_default()
}

pub(crate) fn plain(contract: u32, length: usize) -> bool {
    let check = |entry: &Entry| INPUT.with_borrow(|input| entry.contract.is_plain(text(input, length), &mut Ignored));
    with(contract, check).unwrap_or(false)
}

/// The input, which JavaScript's encoder wrote.
#[expect(unsafe_code, reason = "the check of every byte would take as long as all else that is done with them")]
fn text(input: &[u8], length: usize) -> &str {
    let bytes = input.get(..length).unwrap_or_default();
    debug_assert!(std::str::from_utf8(bytes).is_ok());
    // SAFETY: `TextEncoder.encodeInto` writes nothing but UTF-8 (Encoding Standard, section 7.4). The one text that is
    // no UTF-8 is told by its source and does not come here.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

pub(crate) fn rules(contract: u32) -> String {
    let rules = |entry: &Entry| entry.contract.certain().map(Program::to_json);
    with(contract, rules).flatten().unwrap_or_default()
}

pub(crate) fn repair(contract: u32, length: usize, source: u32, keep: bool) -> u32 {
    let repair = |entry: &Entry| {
        INPUT.with_borrow(|input| {
            let outcome = outcome(&entry.contract, input, length, &Source::read(source));
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
        })
    };
    with(contract, repair).unwrap_or(u32::MAX)
}

/// The first `length` bytes of the input.
pub(crate) fn input<R>(length: usize, read: impl FnOnce(&[u8]) -> R) -> R {
    INPUT.with_borrow(|input| read(input.get(..length).unwrap_or_default()))
}

/// Keeps an answer that no contract gave.
pub(crate) fn keep(outcome: Outcome<'static>) {
    LAST.set(Some(outcome));
}

pub(crate) fn with_last<R>(what: impl FnOnce(&Outcome<'static>) -> R) -> Option<R> {
    LAST.with_borrow(|last| last.as_ref().map(what))
}

pub(crate) fn read(what: impl FnOnce(&Outcome<'static>) -> String) -> String {
    with_last(what).unwrap_or_default()
}

fn outcome<'i>(contract: &Contract, input: &'i [u8], length: usize, source: &Source) -> Outcome<'i> {
    let bytes = input.get(..length).unwrap_or_default();
    match source {
        Source::Text => contract.repair_unplain(text(input, length)),
        Source::Broken => contract.repair_bytes(bytes),
        // A cut may go through a character.
        Source::Cut => contract.repair_finished(&String::from_utf8_lossy(bytes), Finish::Length).into_owned(),
        // Longer than the limit: refused as text of that length is.
        Source::Host | Source::Checked if length > contract.limits().bytes => contract.repair_bytes(bytes),
        Source::Host | Source::Checked => match host::document(bytes) {
            Some(document) if matches!(source, Source::Checked) => contract.check(document),
            Some(document) => contract.repair_document(document),
            None => contract.refuse(host::unreadable()),
        },
        Source::Issues => contract.refuse(host::issues(bytes)),
        Source::Missing => contract.repair_missing(),
    }
}
