//! The exceptions. Only a bad call raises: what a model sent never does.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// `toolmend.SchemaError`, which is defined in Python: the stable ABI of 3.10 cannot derive from `ValueError`.
pub(crate) fn schema_error(py: Python<'_>, path: &str, message: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match CLASS.import(py, "toolmend._errors", "SchemaError").and_then(|class| class.call1((path, message))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// A `ValueError` that lists what would have been right.
pub(crate) fn unknown<'a>(what: &str, given: &str, known: impl IntoIterator<Item = &'a str>) -> PyErr {
    let known: Vec<_> = known.into_iter().map(|name| format!("`{name}`")).collect();
    PyValueError::new_err(format!("unknown {what} `{given}`: expected one of {}", known.join(", ")))
}
