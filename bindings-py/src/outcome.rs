//! The answer to one call, as Python sees it.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use toolmend::{Document, Feedback, Status};

use crate::host::{from_json, read, write};
use crate::options;
use crate::report;

/// The answer to one call: canonical arguments with every repair, or a refusal with every issue.
///
/// Made by `Contract.repair` only. Two outcomes are equal if their wire shapes are.
///
/// Where `value` is the caller's own object, `json`, `digest` and the wire shape are made when one of them is first asked
/// for, of the object as it is then: `ValueError` if that would not be valid as it came any more.
#[pyclass(frozen, module = "toolmend")]
pub(crate) struct Outcome {
    told: Told,
    /// The caller's own data, where it was valid as it came.
    given: Option<Py<PyAny>>,
    // What follows is made when it is asked for.
    value: PyOnceLock<Py<PyAny>>,
    repairs: PyOnceLock<Py<PyTuple>>,
    issues: PyOnceLock<Py<PyTuple>>,
    warnings: PyOnceLock<Py<PyTuple>>,
}

/// What the core tells of the call.
enum Told {
    Core(Box<toolmend::Outcome<'static>>),
    /// It was plainly valid: there is nothing to tell but the value.
    Plain(Plain),
}

struct Plain {
    contract: toolmend::Contract,
    /// What came: `str`, `bytes`, or the caller's own data.
    source: Py<PyAny>,
    /// Made when it is asked for, the caller's data read as they are then.
    core: PyOnceLock<Box<toolmend::Outcome<'static>>>,
}

impl Plain {
    fn core(&self, py: Python<'_>) -> PyResult<&toolmend::Outcome<'static>> {
        let core = self.core.get_or_try_init(py, || self.tell(self.source.bind(py)).map(Box::new))?;
        Ok(core)
    }

    fn tell(&self, source: &Bound<'_, PyAny>) -> PyResult<toolmend::Outcome<'static>> {
        if let Some(text) = source.cast::<PyString>().ok().and_then(|text| text.to_str().ok()) {
            return Ok(self.contract.repair(text).into_owned());
        }
        if let Ok(bytes) = source.cast::<PyBytes>() {
            return Ok(self.contract.repair_bytes(bytes.as_bytes()).into_owned());
        }
        // The data may have changed since it was found valid.
        let now = read(source, self.contract.limits()).ok().map(|document| self.contract.repair_document(document));
        now.filter(|now| now.status() == Status::Unchanged && now.warnings().is_empty()).ok_or_else(|| {
            PyValueError::new_err(
                "the data of this call has changed since it was found valid: there is no digest, `json` or wire shape of it",
            )
        })
    }

    /// What may be logged of it: nothing of the data is read for that.
    fn log(&self) -> String {
        Document::parse("null").map(|nothing| self.contract.unchanged(nothing).log()).unwrap_or_default()
    }
}

impl Outcome {
    /// The outcome of a call that is plainly valid, and its value.
    pub(crate) fn plain(contract: &toolmend::Contract, source: &Bound<'_, PyAny>, value: Bound<'_, PyAny>) -> Self {
        let plain = Plain { contract: contract.clone(), source: source.clone().unbind(), core: PyOnceLock::new() };
        Self {
            told: Told::Plain(plain),
            given: Some(value.unbind()),
            value: PyOnceLock::new(),
            repairs: PyOnceLock::new(),
            issues: PyOnceLock::new(),
            warnings: PyOnceLock::new(),
        }
    }

    fn core(&self, py: Python<'_>) -> PyResult<&toolmend::Outcome<'static>> {
        match &self.told {
            Told::Core(core) => Ok(core),
            Told::Plain(plain) => plain.core(py),
        }
    }

    /// What the core has to tell beside the value, if there may be anything.
    pub(crate) fn findings(&self) -> Option<&toolmend::Outcome<'static>> {
        match &self.told {
            Told::Core(core) => Some(core),
            Told::Plain(_) => None,
        }
    }

    fn state(&self) -> Status {
        self.findings().map_or(Status::Unchanged, toolmend::Outcome::status)
    }

    pub(crate) fn new(core: toolmend::Outcome<'static>, given: Option<Py<PyAny>>) -> Self {
        Self {
            given: given.filter(|_| core.status() == Status::Unchanged),
            told: Told::Core(Box::new(core)),
            value: PyOnceLock::new(),
            repairs: PyOnceLock::new(),
            issues: PyOnceLock::new(),
            warnings: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl Outcome {
    /// Whether there is a value to run the tool with.
    #[getter]
    fn ok(&self) -> bool {
        self.state() != Status::Refused
    }

    /// `"unchanged"`, `"repaired"` or `"refused"`.
    #[getter]
    fn status(&self) -> &'static str {
        self.state().as_str()
    }

    /// The canonical arguments as Python data; `None` when refused (and when they are `null`: ask `ok`).
    ///
    /// Integers are exact at any size; a number with a fraction or an exponent is a `float`. Data that was valid as it
    /// came is the caller's own object. Made once.
    #[getter]
    fn value<'py>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
        if let Some(given) = &self.given {
            return Ok(given.bind(py));
        }
        let value = self.value.get_or_try_init(py, || match self.core(py)?.value() {
            Some(node) => write(py, node).map(Bound::unbind),
            None => Ok(py.None()),
        })?;
        Ok(value.bind(py))
    }

    /// The canonical arguments as JSON text, every number exactly as it was written; `None` when refused.
    #[getter]
    fn json(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.core(py)?.value().map(toolmend::Node::to_json))
    }

    /// What the call is known by, so that what was approved is what runs; `None` when refused.
    ///
    /// SHA-256 in 64 hexadecimal digits over `{"arguments", "name"}` in the canonical form of RFC 8785. Where no double
    /// holds a number exactly the digested object has a third member, `numbers`: its digits by JSON Pointer.
    #[getter]
    fn digest(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.core(py)?.digest())
    }

    /// Every repair, in the order in which they apply.
    #[getter]
    fn repairs<'py>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyTuple>> {
        let found = self.findings().map_or_else(Default::default, toolmend::Outcome::repairs);
        let make = || report::repairs(py, found).map(Bound::unbind);
        Ok(self.repairs.get_or_try_init(py, make)?.bind(py))
    }

    /// Why the call was refused, in document order; empty when it was not.
    #[getter]
    fn issues<'py>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyTuple>> {
        let found = self.findings().map_or_else(Default::default, toolmend::Outcome::issues);
        let make = || report::issues(py, found).map(Bound::unbind);
        Ok(self.issues.get_or_try_init(py, make)?.bind(py))
    }

    /// What is valid but looks wrong, in the shape of issues.
    #[getter]
    fn warnings<'py>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyTuple>> {
        let found = self.findings().map_or_else(Default::default, toolmend::Outcome::warnings);
        let make = || report::issues(py, found).map(Bound::unbind);
        Ok(self.warnings.get_or_try_init(py, make)?.bind(py))
    }

    /// The refusal in words for the model, at most `max_bytes` long in UTF-8; the empty string when not refused.
    ///
    /// `format` is `"text"` for plain lines, or `"json"` for `{"error", "issues": [{"code", "path", "hint"}], "more"?}`.
    #[pyo3(signature = (format = None, max_bytes = None), text_signature = "($self, format='text', max_bytes=1024)")]
    fn feedback(&self, format: Option<&Bound<'_, PyAny>>, max_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let Feedback { format: usual, max_bytes: most } = Feedback::default();
        let format = format.map_or(Ok(usual), options::feedback_format)?;
        let max_bytes = max_bytes.map_or(Ok(most), |most| options::size("max_bytes", most))?;
        Ok(self.findings().map_or_else(String::new, |core| core.feedback_as(format, max_bytes)))
    }

    /// The repairs as a new RFC 6902 JSON Patch, which gives the value when it is applied to the parsed input.
    ///
    /// Where a rule changed the raw text the first operation replaces the whole document.
    fn patch<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let patch = self.findings().map_or_else(|| "[]".to_owned(), toolmend::Outcome::patch);
        Ok(from_json(py, &patch)?.cast_into()?)
    }

    /// What may stand in a log, as a new dict of plain data: `schema` (the contract's fingerprint), `tool`, `policy`,
    /// `status`, `repairs` (each with `rule` and `path`), `issues` and `warnings` (each with `code` and `path`).
    ///
    /// It holds nothing of what was sent: in a path `*` stands for every key that the schema does not declare.
    fn log<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let log = match &self.told {
            Told::Core(core) => core.log(),
            Told::Plain(plain) => plain.log(),
        };
        Ok(from_json(py, &log)?.cast_into()?)
    }

    /// The wire shape as a new dict: `status`, `value` (not when refused), `repairs`, `issues`, `warnings`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(from_json(py, &self.core(py)?.to_json())?.cast_into()?)
    }

    /// The wire shape as JSON text, the same bytes in every language.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.core(py)?.to_json())
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.core(py)?.to_json() == other.core(py)?.to_json())
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        self.core(py)?.to_json().hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// Tells what was done and where, and nothing of what was sent: a representation ends up in logs.
    fn __repr__(&self) -> String {
        let found = self.findings();
        let repairs =
            found.into_iter().flat_map(toolmend::Outcome::repairs).map(|it| (it.rule.as_str(), it.path.as_str()));
        let issues =
            found.into_iter().flat_map(toolmend::Outcome::issues).map(|it| (it.code.as_str(), it.path.as_str()));
        let told: Vec<_> = repairs.chain(issues).map(|(what, path)| place(what, path)).collect();
        let status = self.state().as_str();
        if told.is_empty() { format!("<Outcome {status}>") } else { format!("<Outcome {status}: {}>", told.join(", ")) }
    }
}

fn place(what: &str, path: &str) -> String {
    if path.is_empty() { what.to_owned() } else { format!("{what} at {path}") }
}
