//! `compile`, and the contract that it makes.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMemoryView, PyString};
use serde_json::Value;
use toolmend::Finish;
use toolmend::certain::Ignored;

use crate::agent;
use crate::batch::{self, Arguments, surrogates};
use crate::errors::schema_error;
use crate::host::{from_json, json, read};
use crate::options;
use crate::outcome::Outcome;
use crate::plain::{self, Keys};

/// Compiles a schema. `toolmend.compile` is the public face of this function.
#[pyfunction]
#[pyo3(signature = (schema, options, /))]
pub(crate) fn compile(schema: &Bound<'_, PyAny>, options: &Bound<'_, PyDict>) -> PyResult<Contract> {
    let py = schema.py();
    let options = options::compile(options)?;
    let schema = if let Ok(text) = schema.cast::<PyString>() {
        let text = text.to_str().map_err(|_| schema_error(py, "", "the text holds a lone surrogate"))?;
        Value::String(text.to_owned())
    } else {
        json(schema).map_err(|(path, hint)| schema_error(py, &path, &hint))?
    };
    let core = py.detach(|| options.compile(&schema));
    core.map(|core| Contract { core, keys: Keys::default() })
        .map_err(|error| schema_error(py, error.path(), error.message()))
}

/// How long hints are if nothing else is said.
const HINTS: usize = 1024;

/// Text from this length on is worth letting other threads run.
const LARGE: usize = 16 << 10;

/// Text from this length on is checked before anything is built of it.
const HUGE: usize = 1 << 20;

/// A compiled tool schema; free to be shared between threads. Made by `compile` only.
#[pyclass(frozen, module = "toolmend")]
pub(crate) struct Contract {
    core: toolmend::Contract,
    keys: Keys,
}

#[pymethods]
impl Contract {
    /// Repairs the arguments of one call, or refuses them. Never raises for what a model sent.
    ///
    /// `arguments` is raw JSON text (`str`, or UTF-8 in `bytes` or `bytearray`), or data as `json.loads` gives it
    /// (dict, list, tuple, int, float, bool). `None`, like no argument, means that the model sent no arguments at all.
    /// Data of any other type, a cycle or NaN is refused with `unsupported_value`. Nothing is changed in it.
    ///
    /// `finish` is the reason to stop that the model's service reported: after `"length"` or `"max_tokens"` the call is refused
    /// as `truncated`, whatever it looks like.
    ///
    /// Raises `ValueError` for an unknown `finish`, `TypeError` for one that is no `str`.
    #[pyo3(signature = (arguments = None, *, finish = None))]
    fn repair(&self, arguments: Option<&Bound<'_, PyAny>>, finish: Option<&Bound<'_, PyAny>>) -> PyResult<Outcome> {
        let finish = options::finish(finish)?;
        match arguments.filter(|arguments| !arguments.is_none()) {
            None if finish == Finish::Complete => Ok(Outcome::new(self.core.repair_missing(), None)),
            None => Ok(self.cut("")),
            Some(arguments) => self.given(arguments, finish),
        }
    }

    /// Repairs the arguments of many calls, each as `repair` does: a replay, say.
    ///
    /// The interpreter is free for others meanwhile, and a long list is shared among threads. `finish` holds for all.
    ///
    /// Raises `TypeError` if `calls` is no iterable (or text or bytes, which are the arguments of one call).
    #[pyo3(signature = (calls, *, finish = None))]
    fn repair_many(
        &self,
        py: Python<'_>,
        calls: &Bound<'_, PyAny>,
        finish: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Outcome>> {
        let finish = options::finish(finish)?;
        let is_bytes = calls.is_instance_of::<PyBytes>()
            || calls.is_instance_of::<PyByteArray>()
            || calls.is_instance_of::<PyMemoryView>();
        if is_bytes || calls.is_instance_of::<PyString>() || calls.is_instance_of::<PyDict>() {
            return Err(agent::not_iterable(calls));
        }
        let given = calls.try_iter().map_err(|_| agent::not_iterable(calls))?.collect::<PyResult<Vec<_>>>()?;
        let read: Vec<Arguments<'_>> =
            given.iter().map(|call| Arguments::read(&self.core, call)).collect::<PyResult<_>>()?;
        let is_data: Vec<_> = read.iter().map(|call| matches!(call, Arguments::Data(_))).collect();
        let outcomes = py.detach(|| batch::repair(&self.core, read, finish));
        let kept = given.into_iter().zip(is_data).map(|(call, is_data)| is_data.then(|| call.unbind()));
        Ok(outcomes.into_iter().zip(kept).map(|(outcome, given)| Outcome::new(outcome, given)).collect())
    }

    /// Only validates data, whatever the policy: the results of a tool against the schema of its output, say.
    ///
    /// The outcome is `"unchanged"` or `"refused"`. A `str` is a JSON string here.
    #[pyo3(signature = (value, /))]
    fn check(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> Outcome {
        match read(value, self.core.limits()) {
            Err(issues) => Outcome::new(self.core.refuse(issues), None),
            Ok(document) => {
                let outcome = py.detach(|| self.core.check(document));
                Outcome::new(outcome, Some(value.clone().unbind()))
            }
        }
    }

    /// A refusal for reasons of the host's own, in the shape of all others.
    ///
    /// `issues` is a dict or a list of dicts: `hint` (one line that a model can act on; told as it is, so it must hold
    /// nothing secret), and, where it says something, `path` (JSON Pointer into the arguments), `reason` (the host's own
    /// code) and `code` (`"precondition_failed"` by default, `"unknown_tool"` or `"unsupported_value"`).
    ///
    /// Raises `ValueError` for anything else, and for no issue at all.
    #[pyo3(signature = (issues, /))]
    fn refuse(&self, issues: &Bound<'_, PyAny>) -> PyResult<Outcome> {
        Ok(Outcome::new(self.core.refuse(agent::issues(issues)?), None))
    }

    /// The policy in force.
    #[getter]
    fn policy(&self) -> &'static str {
        self.core.policy().as_str()
    }

    /// The tool's own name, where it is known.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.core.name()
    }

    /// The limits in force, as a new dict.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let limits = serde_json::to_string(&self.core.limits()).unwrap_or_default();
        Ok(from_json(py, &limits)?.cast_into()?)
    }

    /// The first 64 bits of SHA-256 over the schema, as 16 hexadecimal digits: the same for equal schemas, whatever the
    /// order of their members, and in every language.
    #[getter]
    fn fingerprint(&self) -> String {
        self.core.fingerprint()
    }

    /// What the schema wants, in a few lines for a system or tool message: the exact keys in the notation of TypeScript,
    /// and which lists hold plain values. At most `max_bytes` long in UTF-8; what is nested deeply is left out first.
    #[pyo3(signature = (max_bytes = None), text_signature = "($self, max_bytes=1024)")]
    fn hints(&self, max_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        Ok(self.core.hints(max_bytes.map_or(Ok(HINTS), |most| options::size("max_bytes", most))?))
    }

    fn __repr__(&self) -> String {
        let name = self.core.name().map_or_else(String::new, |name| format!(" `{name}`"));
        format!("<Contract{name}, policy {}>", self.core.policy())
    }
}

impl Contract {
    fn given(&self, arguments: &Bound<'_, PyAny>, finish: Finish) -> PyResult<Outcome> {
        let py = arguments.py();
        if let Ok(text) = arguments.cast::<PyString>() {
            if let Ok(text) = text.to_str() {
                return Ok(self.plain(arguments, text, finish).unwrap_or_else(|| self.text(py, text, finish)));
            }
            return Ok(self.bytes(py, surrogates(text)?.as_bytes(), finish));
        }
        if let Ok(bytes) = arguments.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            let plain = std::str::from_utf8(bytes).ok().and_then(|text| self.plain(arguments, text, finish));
            return Ok(plain.unwrap_or_else(|| self.bytes(py, bytes, finish)));
        }
        if let Ok(bytes) = arguments.cast::<PyByteArray>() {
            return Ok(self.bytes(py, &bytes.to_vec(), finish));
        }
        if finish == Finish::Length {
            return Ok(self.cut(""));
        }
        if plain::is_plain(&self.core, arguments) {
            return Ok(Outcome::plain(&self.core, arguments, arguments.clone()));
        }
        Ok(match read(arguments, self.core.limits()) {
            Err(issues) => Outcome::new(self.core.refuse(issues), None),
            Ok(document) => {
                let outcome = py.detach(|| self.core.repair_document(document));
                Outcome::new(outcome, Some(arguments.clone().unbind()))
            }
        })
    }

    /// The outcome of text that is plainly valid.
    fn plain(&self, source: &Bound<'_, PyAny>, text: &str, finish: Finish) -> Option<Outcome> {
        if finish == Finish::Length {
            return None;
        }
        let py = source.py();
        // Others may run while a text is looked at that takes long; its value is built afterwards, if it is worth it.
        if text.len() >= HUGE && !py.detach(|| self.core.is_plain(text, &mut Ignored)) {
            return None;
        }
        let value = plain::read(py, &self.core, &self.keys, text)?;
        Some(Outcome::plain(&self.core, source, value))
    }

    /// The outcome of text that is not plainly valid.
    fn text(&self, py: Python<'_>, text: &str, finish: Finish) -> Outcome {
        if finish == Finish::Length {
            return self.cut(text);
        }
        let repair = || self.core.repair_unplain(text).into_owned();
        let outcome = if text.len() < LARGE { repair() } else { py.detach(repair) };
        Outcome::new(outcome, None)
    }

    fn bytes(&self, py: Python<'_>, bytes: &[u8], finish: Finish) -> Outcome {
        if finish == Finish::Length {
            // A cut may go through a character.
            return self.cut(&String::from_utf8_lossy(bytes));
        }
        let repair = || self.core.repair_bytes(bytes).into_owned();
        let outcome = if bytes.len() < LARGE { repair() } else { py.detach(repair) };
        Outcome::new(outcome, None)
    }

    fn cut(&self, text: &str) -> Outcome {
        Outcome::new(self.core.repair_finished(text, Finish::Length).into_owned(), None)
    }
}
