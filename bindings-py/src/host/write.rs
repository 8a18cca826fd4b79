//! Values of the core to Python data.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString};
use toolmend::{Document, Kind, Node};

use super::integer::integer;

/// The Python data of `node`: a number is an `int` unless it is written with a fraction or an exponent.
pub(crate) fn write<'py>(py: Python<'py>, node: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match node.kind() {
        Kind::Null => py.None().into_bound(py),
        Kind::Bool(value) => PyBool::new(py, value).to_owned().into_any(),
        Kind::Number(text) if text.contains(['.', 'e', 'E']) => {
            PyFloat::new(py, text.parse().unwrap_or(f64::NAN)).into_any()
        }
        Kind::Number(text) => integer(py, text)?,
        Kind::String(text) => PyString::new(py, text).into_any(),
        Kind::Array(elements) => {
            let items = elements.map(|element| write(py, element)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Kind::Object(members) => {
            let dict = PyDict::new(py);
            for (key, value) in members {
                dict.set_item(key, write(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// The Python data of JSON text that the core wrote.
pub(crate) fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match Document::parse(text) {
        Ok(document) => write(py, document.root()),
        Err(issue) => Err(PyRuntimeError::new_err(issue.hint)),
    }
}
