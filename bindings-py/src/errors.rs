//! The exceptions. Only a bad call raises: what a model sent never does.

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
