//! What `compile` and `repair` are told beside the schema and the arguments.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use serde_json::{Map, Value};
use toolmend::{FeedbackFormat, Finish, Options};

use crate::errors::{schema_error, unknown};
use crate::host::{json, json_text, type_name};

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

/// Reads the keyword arguments of `compile`; what they hold is the core's to judge.
pub(crate) fn compile(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Map::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        let name = name.to_string();
        let value = match name.as_str() {
            "policy" | "undeclared" | "name" | "formats" => Value::String(text(&name, &value)?),
            _ => dict(&name, &value)?,
        };
        options.insert(name, value);
    }
    if let Some(Value::Object(documents)) = options.get_mut("schemas") {
        read_documents(given.py(), documents)?;
    }
    Options::from_json(&Value::Object(options)).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn dict(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let dict = given.cast_exact::<PyDict>().map_err(|_| wrong_type(what, "dict", given))?;
    json(dict).map_err(|(path, hint)| PyValueError::new_err(format!("{what}{path}: {hint}")))
}

/// A document that a `$ref` may reach can come as JSON text, like the schema.
fn read_documents(py: Python<'_>, documents: &mut Map<String, Value>) -> PyResult<()> {
    for (uri, document) in documents {
        if let Value::String(text) = document {
            let fail = |error| schema_error(py, "", &format!("in the document `{uri}`: {error}"));
            *document = json_text(text).map_err(fail)?;
        }
    }
    Ok(())
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

pub(crate) fn size(what: &str, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    if !given.is_instance_of::<PyInt>() || given.is_instance_of::<PyBool>() {
        return Err(wrong_type(what, "int", given));
    }
    given.extract().map_err(|_| PyValueError::new_err(format!("{what} must not be negative or beyond a machine word")))
}

fn text(what: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = given.cast::<PyString>().map_err(|_| wrong_type(what, "str", given))?;
    text.to_str().map(str::to_owned).map_err(|_| PyValueError::new_err(format!("{what} holds a lone surrogate")))
}

fn wrong_type(what: &str, wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{what} must be of type `{wanted}`, not `{}`", type_name(given)))
}
