//! Repairs and issues as the frozen classes of `toolmend._report`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};
use toolmend::{Issue, Json, Repair};

use crate::host::from_json;

pub(crate) fn repairs<'py>(py: Python<'py>, repairs: &[Repair]) -> PyResult<Bound<'py, PyTuple>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    // The classes are not loaded before there is something to tell by them.
    if repairs.is_empty() {
        return Ok(PyTuple::empty(py));
    }
    let class = CLASS.import(py, MODULE, "Repair")?;
    let told = repairs.iter().map(|repair| {
        let before = value(py, repair.before.as_ref())?;
        let after = value(py, repair.after.as_ref())?;
        class.call1((repair.rule.as_str(), &repair.path, before, after, repair.lossy))
    });
    PyTuple::new(py, told.collect::<PyResult<Vec<_>>>()?)
}

pub(crate) fn issues<'py>(py: Python<'py>, issues: &[Issue]) -> PyResult<Bound<'py, PyTuple>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static RECEIVED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static SPAN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if issues.is_empty() {
        return Ok(PyTuple::empty(py));
    }
    let class = CLASS.import(py, MODULE, "Issue")?;
    let received_class = RECEIVED.import(py, MODULE, "Received")?;
    let span_class = SPAN.import(py, MODULE, "Span")?;
    let told = issues.iter().map(|issue| {
        let expected = match &issue.expected {
            Some(expected) => from_json(py, &expected.to_string())?,
            None => absent(py).cloned()?,
        };
        let received = issue.received.as_ref();
        let received = received.map(|it| received_class.call1((it.kind, it.preview.as_deref()))).transpose()?;
        let candidates = issue.candidates.iter().map(|json| from_json(py, json.as_str()));
        let candidates = PyTuple::new(py, candidates.collect::<PyResult<Vec<_>>>()?)?;
        let span = issue.span.map(|span| span_class.call1((span.offset, span.line, span.column))).transpose()?;
        class.call1((
            issue.code.as_str(),
            &issue.path,
            issue.keyword.as_deref(),
            issue.schema.as_deref(),
            expected,
            received,
            &issue.hint,
            candidates,
            span,
            issue.reason.as_deref(),
        ))
    });
    PyTuple::new(py, told.collect::<PyResult<Vec<_>>>()?)
}

const MODULE: &str = "toolmend._report";

fn value<'py>(py: Python<'py>, json: Option<&Json>) -> PyResult<Bound<'py, PyAny>> {
    match json {
        Some(json) => from_json(py, json.as_str()),
        None => absent(py).cloned(),
    }
}

fn absent(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static ABSENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    ABSENT.import(py, MODULE, "ABSENT")
}
