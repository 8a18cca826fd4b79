//! What an agent needs beside single contracts: its list of tools, and its attempts. `toolmend._toolbox` is the face of it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString, PyTuple};
use serde_json::Value;
use toolmend::{Attempts, Code, Issue, Limits};

use crate::errors::schema_error;
use crate::host::{from_json, json, read, type_name, well_formed};
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
    Outcome::new(toolmend::Outcome::unknown_tool(&well_formed(name), &names), None)
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
    let name = well_formed(tool);
    let decision = match outcome.findings().filter(|core| !core.is_ok()) {
        None => attempts.accept(&name, turn),
        Some(core) => {
            // No log holds the digest of itself, so this text was not sent before. The npm package has the same one.
            let known = tool.to_str().ok().and_then(|_| sent(arguments));
            let sent = known.unwrap_or_else(|| format!("unreadable after {state}"));
            attempts.decide(&name, &sent, turn, core)
        }
    };
    let decision = from_json(py, &serde_json::to_string(&decision).unwrap_or_default())?;
    Ok((attempts.to_json(), decision))
}

/// What was sent as text, the same for the same data; none where that cannot be known.
fn sent(arguments: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(text) = arguments.cast::<PyString>() {
        return text.to_str().ok().map(str::to_owned);
    }
    if let Ok(bytes) = arguments.cast::<PyBytes>() {
        return str::from_utf8(bytes.as_bytes()).ok().map(str::to_owned);
    }
    if let Ok(bytes) = arguments.cast::<PyByteArray>() {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    if arguments.is_none() {
        return Some(String::new());
    }
    read(arguments, Limits::default()).ok().map(|document| document.root().to_string())
}

const HOST_CODES: [Code; 3] = [Code::PreconditionFailed, Code::UnknownTool, Code::UnsupportedValue];

/// The issues of a host: dicts of `hint`, and `code`, `path` and `reason` where they say something.
pub(crate) fn issues(given: &Bound<'_, PyAny>) -> PyResult<Vec<Issue>> {
    let list: Vec<_> = if let Ok(list) = given.cast_exact::<PyList>() {
        list.iter().collect()
    } else if let Ok(list) = given.cast_exact::<PyTuple>() {
        list.iter().collect()
    } else {
        vec![given.clone()]
    };
    if list.is_empty() {
        return Err(PyValueError::new_err("a refusal needs an issue"));
    }
    let read = |given: &Bound<'_, PyAny>| match given.cast_exact::<PyDict>() {
        Ok(given) => issue(given).map_err(PyValueError::new_err),
        Err(_) => Err(PyValueError::new_err("an issue must be a dict")),
    };
    list.iter().map(read).collect()
}

fn issue(given: &Bound<'_, PyDict>) -> Result<Issue, String> {
    let [mut code, mut path, mut hint, mut reason] = [const { None }; 4];
    for (key, value) in given.iter() {
        let key = key.cast_exact::<PyString>().map(well_formed).map_err(|_| "the parts of an issue have names")?;
        let part = match key.as_str() {
            "code" => &mut code,
            "path" => &mut path,
            "hint" => &mut hint,
            "reason" => &mut reason,
            other => {
                return Err(format!("unknown part of an issue `{other}`: there are `code`, `path`, `hint`, `reason`"));
            }
        };
        if !value.is_none() {
            let text = value.cast_exact::<PyString>().map_err(|_| format!("`{key}` of an issue must be a str"))?;
            *part = Some(well_formed(text));
        }
    }
    let code = code.map_or(Ok(Code::PreconditionFailed), |code: String| {
        let known = HOST_CODES.iter().copied().find(|known| known.as_str() == code);
        let names = HOST_CODES.map(Code::as_str).join("`, `");
        known.ok_or_else(|| format!("unknown code of a host `{code}`: expected one of `{names}`"))
    })?;
    let path = path.unwrap_or_default();
    if !is_pointer(&path) {
        return Err("`path` of an issue must be a JSON Pointer (RFC 6901)".to_owned());
    }
    let hint = hint.ok_or_else(|| "an issue needs a `hint`".to_owned())?;
    Ok(Issue { reason, ..Issue::new(code, path, hint) })
}

/// Whether `text` is a JSON Pointer: every token begins with `/`, and `~` stands in `~0` and `~1` alone.
fn is_pointer(text: &str) -> bool {
    let is_escaped = || text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
    text.is_empty() || (text.starts_with('/') && is_escaped())
}

/// The type of a value that should have been something else.
pub(crate) fn not_iterable(value: &Bound<'_, PyAny>) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(format!("calls must be a list of arguments, not `{}`", type_name(value)))
}
