//! What `compile` and `repair` are told beside the schema and the arguments.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use serde_json::{Map, Value};
use toolmend::{FeedbackFormat, Finish, Options};

use crate::host::{json, type_name};

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
    Options::from_json(&Value::Object(options)).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn dict(what: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let dict = given.cast_exact::<PyDict>().map_err(|_| wrong_type(what, "dict", given))?;
    json(dict).map_err(|(path, hint)| PyValueError::new_err(format!("{what}{path}: {hint}")))
}

pub(crate) fn finish(given: Option<&Bound<'_, PyAny>>) -> PyResult<Finish> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Finish::Complete) };
    text("finish", given)?.parse().map_err(PyValueError::new_err)
}

pub(crate) fn feedback_format(given: &Bound<'_, PyAny>) -> PyResult<FeedbackFormat> {
    text("format", given)?.parse().map_err(PyValueError::new_err)
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
