//! What an agent needs beside single contracts: its list of tools, and its attempts. `toolmend._toolbox` is the face of it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};
use serde_json::{Map, Value};
use toolmend::{Attempts, Code, Issue, Limits};

use crate::errors::schema_error;
use crate::host::{from_json, json, read, type_name};
use crate::outcome::Outcome;

/// Reads a list of tools in any of its shapes: a new list of dicts with `name`, `index`, `definition` (JSON text),
/// `effect`, `output` (JSON text) and `message`, those that are not known left out.
#[pyfunction]
#[pyo3(signature = (tools, /))]
pub(crate) fn definitions<'py>(tools: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = tools.py();
    let read = match tools.cast::<PyString>().ok().and_then(|text| text.to_str().ok()) {
        Some(text) => serde_json::from_str(text).map_err(|error| (String::new(), error.to_string())),
        None => json(tools),
    };
    let tools: Value = read.map_err(|(path, message)| schema_error(py, &path, &message))?;
    let definitions = toolmend::definitions(&tools).map_err(|error| schema_error(py, error.path(), error.message()))?;
    from_json(py, &serde_json::to_string(&definitions).unwrap_or_default())
}

/// The refusal of a call of a tool that is none of `names`.
#[pyfunction]
#[pyo3(signature = (name, names, /))]
#[expect(clippy::needless_pass_by_value, reason = "a list is extracted to a vector")]
pub(crate) fn unknown_tool(name: &Bound<'_, PyString>, names: Vec<PyBackedStr>) -> Outcome {
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    Outcome::new(toolmend::Outcome::unknown_tool(&name.to_string_lossy(), &names), None)
}

/// The log of attempts as JSON text, new or checked.
#[pyfunction]
#[pyo3(signature = (budget, state, /))]
pub(crate) fn attempts(budget: usize, state: Option<&str>) -> PyResult<String> {
    let attempts = state.map_or_else(|| Ok(Attempts::new(budget)), Attempts::from_json);
    Ok(attempts.map_err(PyValueError::new_err)?.to_json())
}

/// What follows from `outcome`, the answer to a call of `tool` with `arguments`: the log after it, and the decision as a
/// new dict.
#[pyfunction]
#[pyo3(signature = (state, tool, arguments, turn, outcome, /))]
pub(crate) fn decide<'py>(
    py: Python<'py>,
    state: &str,
    tool: &Bound<'py, PyString>,
    arguments: &Bound<'py, PyAny>,
    turn: Option<&str>,
    outcome: &Outcome,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let mut attempts = Attempts::from_json(state).map_err(PyValueError::new_err)?;
    let tool = tool.to_string_lossy();
    let decision = match outcome.findings().filter(|core| !core.is_ok()) {
        None => attempts.accept(&tool, turn),
        Some(core) => attempts.decide(&tool, &sent(arguments), turn, core),
    };
    let decision = from_json(py, &serde_json::to_string(&decision).unwrap_or_default())?;
    Ok((attempts.to_json(), decision))
}

/// What was sent as text, the same for the same data.
fn sent(arguments: &Bound<'_, PyAny>) -> String {
    if let Ok(text) = arguments.cast::<PyString>() {
        return text.to_string_lossy().into_owned();
    }
    if let Ok(bytes) = arguments.cast::<PyBytes>() {
        return String::from_utf8_lossy(bytes.as_bytes()).into_owned();
    }
    if arguments.is_none() {
        return String::new();
    }
    match read(arguments, Limits::default()) {
        Ok(document) => document.root().to_string(),
        Err(issues) => {
            let told = issues.into_iter().map(|issue| format!("{}: {}", issue.path, issue.hint));
            told.collect::<Vec<_>>().join("\n")
        }
    }
}

const HOST_CODES: [Code; 3] = [Code::PreconditionFailed, Code::UnknownTool, Code::UnsupportedValue];

/// The issues of a host: dicts of `hint`, and `code`, `path` and `reason` where they say something.
pub(crate) fn issues(given: &Bound<'_, PyAny>) -> PyResult<Vec<Issue>> {
    let wrong = |what: String| PyValueError::new_err(what);
    let given = json(given).map_err(|(path, hint)| wrong(format!("issues{path}: {hint}")))?;
    let list = match given {
        Value::Array(list) if list.is_empty() => return Err(wrong("a refusal needs an issue".to_owned())),
        Value::Array(list) => list,
        one => vec![one],
    };
    list.iter()
        .map(|given| match given {
            Value::Object(given) => issue(given).map_err(wrong),
            _ => Err(wrong("an issue must be a dict".to_owned())),
        })
        .collect()
}

fn issue(given: &Map<String, Value>) -> Result<Issue, String> {
    if let Some(other) = given.keys().find(|key| !["code", "path", "hint", "reason"].contains(&key.as_str())) {
        return Err(format!("unknown part of an issue `{other}`: there are `code`, `path`, `hint`, `reason`"));
    }
    let text = |name: &str| match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` of an issue must be a str")),
    };
    let code = text("code")?.map_or(Ok(Code::PreconditionFailed), |code| {
        let known = HOST_CODES.iter().copied().find(|known| known.as_str() == code);
        let names = HOST_CODES.map(Code::as_str).join("`, `");
        known.ok_or_else(|| format!("unknown code of a host `{code}`: expected one of `{names}`"))
    })?;
    let path = text("path")?.unwrap_or_default();
    if !path.is_empty() && !path.starts_with('/') {
        return Err("`path` of an issue must be a JSON Pointer (RFC 6901)".to_owned());
    }
    let hint = text("hint")?.ok_or_else(|| "an issue needs a `hint`".to_owned())?;
    Ok(Issue { reason: text("reason")?, ..Issue::new(code, path, hint) })
}

/// The type of a value that should have been something else.
pub(crate) fn not_iterable(value: &Bound<'_, PyAny>) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(format!("calls must be a list of arguments, not `{}`", type_name(value)))
}
