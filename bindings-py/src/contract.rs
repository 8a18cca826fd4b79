//! `compile`, and the contract that it makes.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use toolmend::{Finish, Limits, Options};

use crate::errors::schema_error;
use crate::host::read;
use crate::options;
use crate::outcome::Outcome;
use crate::refusal::Answer;

/// Compiles a schema. `toolmend.compile` is the public face of this function.
#[pyfunction]
#[pyo3(signature = (schema, *, policy, name, formats, schemas, limits))]
pub(crate) fn compile(
    schema: &Bound<'_, PyAny>,
    policy: &Bound<'_, PyAny>,
    name: &Bound<'_, PyAny>,
    formats: &Bound<'_, PyAny>,
    schemas: &Bound<'_, PyAny>,
    limits: &Bound<'_, PyAny>,
) -> PyResult<Contract> {
    let py = schema.py();
    let mut given = Options::new()
        .policy(options::policy(policy)?)
        .assert_formats(options::formats(formats)?)
        .limits(options::limits(limits)?);
    if let Some(name) = options::name(name)? {
        given = given.name(name);
    }
    if !schemas.is_none() {
        for (uri, document) in options::dict("schemas", schemas)?.iter() {
            let uri = options::text("a key of schemas", &uri)?;
            let document = schema_value(&document, &format!("in the document `{uri}`: "))?;
            given = given.document(uri, document);
        }
    }
    let schema = schema_value(schema, "")?;
    let core = py.detach(|| given.compile(&schema));
    core.map(|core| Contract { core }).map_err(|error| schema_error(py, error.path(), error.message()))
}

/// The schema that Python data or JSON text holds, every digit kept.
fn schema_value(given: &Bound<'_, PyAny>, whose: &str) -> PyResult<serde_json::Value> {
    let py = given.py();
    let text;
    let text: &str = if let Ok(given) = given.cast::<PyString>() {
        given.to_str().map_err(|_| schema_error(py, "", &format!("{whose}the text holds a lone surrogate")))?
    } else {
        let limits = Limits { bytes: SCHEMA_BYTES, depth: SCHEMA_DEPTH, issues: 1, ..Limits::default() };
        text = match read(given, limits) {
            Ok(document) => document.root().to_string(),
            Err(issues) => {
                let (path, hint) = issues.first().map_or(("", ""), |issue| (&issue.path, &issue.hint));
                return Err(schema_error(py, path, &format!("{whose}{hint}")));
            }
        };
        &text
    };
    serde_json::from_str(text).map_err(|error| schema_error(py, "", &format!("{whose}no JSON: {error}")))
}

/// What the parser of schemas takes.
const SCHEMA_DEPTH: usize = 127;
const SCHEMA_BYTES: usize = 64 << 20;

/// Text from this length on is worth letting other threads run.
const LARGE: usize = 16 << 10;

/// A compiled tool schema; free to be shared between threads. Made by `compile` only.
#[pyclass(frozen, module = "toolmend")]
pub(crate) struct Contract {
    core: toolmend::Contract,
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
            None if finish == Finish::Complete => Ok(Outcome::new(Answer::Core(self.core.repair_missing()), None)),
            None => Ok(self.cut("")),
            Some(arguments) => self.given(arguments, finish),
        }
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
        let limits = self.core.limits();
        let dict = PyDict::new(py);
        dict.set_item("bytes", limits.bytes)?;
        dict.set_item("depth", limits.depth)?;
        dict.set_item("work", limits.work)?;
        dict.set_item("issues", limits.issues)?;
        dict.set_item("readings", limits.readings)?;
        Ok(dict)
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
                return Ok(self.text(py, text, finish));
            }
            // The core finds the lone surrogate in the bytes. Asked of `str` itself: a class may have its own `encode`.
            let bytes = py.get_type::<PyString>().call_method1("encode", (text, "utf-8", "surrogatepass"))?;
            return Ok(self.bytes(py, bytes.cast::<PyBytes>()?.as_bytes(), finish));
        }
        if let Ok(bytes) = arguments.cast::<PyBytes>() {
            return Ok(self.bytes(py, bytes.as_bytes(), finish));
        }
        if let Ok(bytes) = arguments.cast::<PyByteArray>() {
            return Ok(self.bytes(py, &bytes.to_vec(), finish));
        }
        if finish == Finish::Length {
            return Ok(self.cut(""));
        }
        Ok(match read(arguments, self.core.limits()) {
            Err(issues) => Outcome::new(Answer::Unreadable(issues), None),
            Ok(document) => {
                let answer = py.detach(|| self.core.repair_document(document));
                Outcome::new(Answer::Core(answer), Some(arguments.clone().unbind()))
            }
        })
    }

    fn text(&self, py: Python<'_>, text: &str, finish: Finish) -> Outcome {
        if finish == Finish::Length {
            return self.cut(text);
        }
        let repair = || self.core.repair(text).into_owned();
        let answer = if text.len() < LARGE { repair() } else { py.detach(repair) };
        Outcome::new(Answer::Core(answer), None)
    }

    fn bytes(&self, py: Python<'_>, bytes: &[u8], finish: Finish) -> Outcome {
        if finish == Finish::Length {
            // A cut may go through a character.
            return self.cut(&String::from_utf8_lossy(bytes));
        }
        let repair = || self.core.repair_bytes(bytes).into_owned();
        let answer = if bytes.len() < LARGE { repair() } else { py.detach(repair) };
        Outcome::new(Answer::Core(answer), None)
    }

    fn cut(&self, text: &str) -> Outcome {
        Outcome::new(Answer::Core(self.core.repair_finished(text, Finish::Length).into_owned()), None)
    }
}
