//! Many calls at once: read while the interpreter is held, repaired in threads of our own while others may run.

use std::borrow::Cow;
use std::num::NonZero;
use std::thread;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use toolmend::{Contract, Document, Finish, Issue, Outcome};

use crate::host::read;

/// Text for one thread to make it worth its start, in bytes.
const SHARE: usize = 32 << 10;

/// The arguments of one call, as the core reads them.
pub(crate) enum Arguments<'a> {
    Missing,
    Text(&'a str),
    Bytes(Cow<'a, [u8]>),
    Data(Document<'static>),
    Unreadable(Vec<Issue>),
}

impl<'a> Arguments<'a> {
    /// Reads what `given` holds. Text stays where it is.
    pub(crate) fn read(contract: &Contract, given: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::Missing);
        }
        if let Ok(text) = given.cast::<PyString>() {
            return Ok(match text.to_str() {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Bytes(surrogates(text)?.as_bytes().to_vec().into()),
            });
        }
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().into()));
        }
        if let Ok(bytes) = given.cast::<PyByteArray>() {
            return Ok(Self::Bytes(bytes.to_vec().into()));
        }
        Ok(match read(given, contract.limits()) {
            Ok(document) => Self::Data(document),
            Err(issues) => Self::Unreadable(issues),
        })
    }

    fn size(&self) -> usize {
        match self {
            Self::Missing | Self::Unreadable(_) => 0,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Data(document) => document.root().to_string().len(),
        }
    }

    fn repair(self, contract: &Contract, finish: Finish) -> Outcome<'static> {
        match self {
            Self::Text(text) => contract.repair_finished(text, finish).into_owned(),
            Self::Bytes(bytes) if finish == Finish::Length => {
                contract.repair_finished(&String::from_utf8_lossy(&bytes), finish).into_owned()
            }
            _ if finish == Finish::Length => contract.repair_finished("", finish).into_owned(),
            Self::Missing => contract.repair_missing(),
            Self::Bytes(bytes) => contract.repair_bytes(&bytes).into_owned(),
            Self::Data(document) => contract.repair_document(document),
            Self::Unreadable(issues) => contract.refuse(issues),
        }
    }
}

/// Text with a lone surrogate as bytes, in which the core finds it. Asked of `str` itself: a class may have its own
/// `encode`.
pub(crate) fn surrogates<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    let encoded = text.py().get_type::<PyString>().call_method1("encode", (text, "utf-8", "surrogatepass"))?;
    Ok(encoded.cast_into()?)
}

/// Repairs every call, in as many threads as their text is worth and the machine has.
pub(crate) fn repair(contract: &Contract, calls: Vec<Arguments<'_>>, finish: Finish) -> Vec<Outcome<'static>> {
    let size: usize = calls.iter().map(Arguments::size).sum();
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = most.min(size / SHARE).min(calls.len());
    if threads < 2 {
        return calls.into_iter().map(|call| call.repair(contract, finish)).collect();
    }
    let share = calls.len().div_ceil(threads);
    let mut shares = Vec::with_capacity(threads);
    let mut rest = calls.into_iter().peekable();
    while rest.peek().is_some() {
        shares.push(rest.by_ref().take(share).collect::<Vec<_>>());
    }
    thread::scope(|scope| {
        let work = |share: Vec<Arguments<'_>>| -> Vec<_> {
            share.into_iter().map(|call| call.repair(contract, finish)).collect()
        };
        let running: Vec<_> = shares.into_iter().map(|share| scope.spawn(move || work(share))).collect();
        let done =
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        done.flatten().collect()
    })
}
