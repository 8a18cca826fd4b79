//! What `compile` and `repair` are told beside the schema and the arguments.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use toolmend::{FeedbackFormat, Finish, Limits, Policy};

use crate::errors::unknown;
use crate::host::type_name;

/// What is known of the end of a reply: in our own words (the first and `length`, the same in every language), or the
/// reasons to stop that model services report.
pub(crate) const FINISHES: &[(&str, Finish)] = &[
    ("complete", Finish::Complete),
    ("stop", Finish::Complete),
    ("tool_calls", Finish::Complete),
    ("function_call", Finish::Complete),
    ("end_turn", Finish::Complete),
    ("tool_use", Finish::Complete),
    ("stop_sequence", Finish::Complete),
    ("length", Finish::Length),
    ("max_tokens", Finish::Length),
];

const LIMITS: [&str; 5] = ["bytes", "depth", "work", "issues", "readings"];

pub(crate) fn policy(given: &Bound<'_, PyAny>) -> PyResult<Policy> {
    let given = text("policy", given)?;
    given.parse().map_err(|_| unknown("policy", &given, Policy::ALL.iter().map(|policy| policy.as_str())))
}

pub(crate) fn name(given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if given.is_none() { Ok(None) } else { text("name", given).map(Some) }
}

/// Whether formats are asserted.
pub(crate) fn formats(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    match text("formats", given)?.as_str() {
        "warn" => Ok(false),
        "assert" => Ok(true),
        other => Err(unknown("formats", other, ["warn", "assert"])),
    }
}

pub(crate) fn finish(given: Option<&Bound<'_, PyAny>>) -> PyResult<Finish> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Finish::Complete) };
    let given = text("finish", given)?;
    let known = FINISHES.iter().find(|(name, _)| *name == given);
    known.map(|(_, finish)| *finish).ok_or_else(|| unknown("finish", &given, FINISHES.iter().map(|(name, _)| *name)))
}

pub(crate) fn feedback_format(given: &Bound<'_, PyAny>) -> PyResult<FeedbackFormat> {
    match text("format", given)?.as_str() {
        "text" => Ok(FeedbackFormat::Text),
        "json" => Ok(FeedbackFormat::Json),
        other => Err(unknown("format", other, ["text", "json"])),
    }
}

pub(crate) fn limits(given: &Bound<'_, PyAny>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    if given.is_none() {
        return Ok(limits);
    }
    for (key, value) in dict("limits", given)?.iter() {
        let key = text("a key of limits", &key)?;
        let slot = match key.as_str() {
            "bytes" => &mut limits.bytes,
            "depth" => &mut limits.depth,
            "work" => &mut limits.work,
            "issues" => &mut limits.issues,
            "readings" => &mut limits.readings,
            other => return Err(unknown("limit", other, LIMITS)),
        };
        *slot = size(&format!("limit `{key}`"), &value)?;
    }
    if limits.depth > Limits::MAX_DEPTH {
        return Err(PyValueError::new_err(format!("limit `depth` must be at most {}", Limits::MAX_DEPTH)));
    }
    Ok(limits)
}

pub(crate) fn size(what: &str, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    if !given.is_instance_of::<PyInt>() || given.is_instance_of::<PyBool>() {
        return Err(wrong_type(what, "int", given));
    }
    given.extract().map_err(|_| PyValueError::new_err(format!("{what} must not be negative or beyond a machine word")))
}

pub(crate) fn dict<'a, 'py>(what: &str, given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    given.cast().map_err(|_| wrong_type(what, "dict", given))
}

pub(crate) fn text(what: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = given.cast::<PyString>().map_err(|_| wrong_type(what, "str", given))?;
    text.to_str().map(str::to_owned).map_err(|_| PyValueError::new_err(format!("{what} holds a lone surrogate")))
}

fn wrong_type(what: &str, wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{what} must be of type `{wanted}`, not `{}`", type_name(given)))
}
