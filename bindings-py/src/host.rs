//! Python data to documents, and documents to Python data.

mod integer;
mod read;
mod write;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};
use serde_json::Value;
use toolmend::Limits;

use crate::batch::surrogates;

pub(crate) use read::read;
pub(crate) use write::{from_json, write};

/// The JSON of Python data that is no argument (a schema, an option), every digit kept; or where and why there is none.
pub(crate) fn json(value: &Bound<'_, PyAny>) -> Result<Value, (String, String)> {
    // As deep as `serde_json` reads, and long enough for any schema.
    let limits = Limits { bytes: 64 << 20, depth: 127, issues: 1, ..Limits::default() };
    let document = read(value, limits).map_err(|issues| {
        let first = issues.into_iter().next();
        first.map_or_else(Default::default, |issue| (issue.path, issue.hint))
    })?;
    serde_json::from_str(&document.root().to_string()).map_err(|error| (String::new(), error.to_string()))
}

/// Text with every half of a surrogate pair replaced, each by one character as an encoder of JavaScript does it.
pub(crate) fn well_formed(text: &Bound<'_, PyString>) -> String {
    if let Ok(text) = text.to_str() {
        return text.to_owned();
    }
    let Ok(bytes) = surrogates(text) else { return String::new() };
    bytes.as_bytes().utf8_chunks().fold(String::new(), |mut whole, chunk| {
        whole.push_str(chunk.valid());
        // Three bytes, and a chunk for each of them.
        if chunk.invalid().first() == Some(&0xed) {
            whole.push(char::REPLACEMENT_CHARACTER);
        }
        whole
    })
}

/// The name of a value's type, read without running anything that a class or its metaclass may define.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    static DESCRIPTOR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let name = DESCRIPTOR
        .get_or_try_init(py, || {
            let names = py.get_type::<PyType>().getattr("__dict__")?;
            names.get_item("__name__").map(Bound::unbind)
        })
        .and_then(|descriptor| descriptor.bind(py).call_method1("__get__", (value.get_type(),)))
        .and_then(|name| name.extract::<String>());
    name.unwrap_or_else(|_| "object".to_owned())
}
