//! Python data to a document: exactly the types that `json.loads` gives, and tuples.
//!
//! No code of a class is run: only exact built-in types are read, and these from their own storage. Whatever else is
//! found gives an issue that says where and what it is.

use std::ops::ControlFlow::{self, Break, Continue};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolmend::{Code, Document, Issue, Limits, Pointer, Received, Writer};

use super::{integer, type_name};

/// Reads `value`, or tells every place that is no JSON, in document order.
pub(crate) fn read(value: &Bound<'_, PyAny>, limits: Limits) -> Result<Document<'static>, Vec<Issue>> {
    let mut reader =
        Reader { writer: Writer::new(), limits, bytes: 0, path: Vec::new(), open: Vec::new(), issues: Vec::new() };
    // Whether the end was reached shows in the issues.
    let _ = reader.value(value);
    if reader.issues.is_empty() { Ok(reader.writer.finish()) } else { Err(reader.issues) }
}

struct Reader<'py> {
    writer: Writer,
    limits: Limits,
    /// About as many as the text of what was read so far would have. Lists that share their items can hold more than
    /// memory does.
    bytes: usize,
    path: Vec<Step<'py>>,
    /// The containers around the place, to tell a cycle.
    open: Vec<*mut pyo3::ffi::PyObject>,
    issues: Vec<Issue>,
}

enum Step<'py> {
    Key(Bound<'py, PyString>),
    Index(usize),
}

/// `Break` where there is no use in reading on.
type Flow = ControlFlow<()>;

impl<'py> Reader<'py> {
    fn value(&mut self, value: &Bound<'py, PyAny>) -> Flow {
        if let Ok(text) = value.cast_exact::<PyString>() {
            return self.string(text);
        }
        if let Ok(int) = value.cast_exact::<PyInt>() {
            return self.integer(int);
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return self.nested(value, |reader| reader.object(dict));
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return self.nested(value, |reader| reader.array(list.iter()));
        }
        if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            return self.nested(value, |reader| reader.array(tuple.iter()));
        }
        if let Ok(truth) = value.cast_exact::<PyBool>() {
            self.count(4)?;
            self.writer.boolean(truth.is_true());
            return Continue(());
        }
        if let Ok(float) = value.cast_exact::<PyFloat>() {
            return self.float(float);
        }
        if value.is_none() {
            self.count(4)?;
            self.writer.null();
            return Continue(());
        }
        let name = type_name(value);
        self.unsupported(format!("a Python `{name}` is no JSON value: give dict, list, str, int, float, bool or None"))
    }

    fn string(&mut self, text: &Bound<'py, PyString>) -> Flow {
        match text.to_str() {
            Ok(text) => {
                self.count(text.len() + 2)?;
                self.writer.string(text);
                Continue(())
            }
            Err(_) => self.issue(Code::InvalidUnicode, "the string holds a lone surrogate"),
        }
    }

    fn integer(&mut self, int: &Bound<'py, PyInt>) -> Flow {
        match integer::digits(int, self.limits.bytes) {
            Ok(Some(digits)) => {
                self.count(digits.len())?;
                self.writer.number(&digits);
                Continue(())
            }
            Ok(None) => self.too_long(),
            Err(_) => self.unsupported("the integer cannot be read"),
        }
    }

    fn float(&mut self, float: &Bound<'py, PyFloat>) -> Flow {
        let value = float.value();
        if !value.is_finite() {
            let name = match (value.is_nan(), value > 0.0) {
                (true, _) => "NaN",
                (false, true) => "Infinity",
                (false, false) => "-Infinity",
            };
            let mut issue = self.told(Code::UnsupportedValue, format!("`{name}` is no JSON number"));
            issue.received = Some(Received::new("number", Some(name)));
            return self.report(issue);
        }
        // The shortest digits that read back as this float, as `json.dumps` writes them.
        match float.repr().and_then(|text| text.to_str().map(str::to_owned)) {
            Ok(digits) => {
                self.count(digits.len())?;
                self.writer.number(&digits);
                Continue(())
            }
            Err(_) => self.unsupported("the float cannot be read"),
        }
    }

    /// Reads a list or dict, if it is not within itself or too deep.
    fn nested(&mut self, value: &Bound<'py, PyAny>, read: impl FnOnce(&mut Self) -> Flow) -> Flow {
        let container = value.as_ptr();
        if self.open.contains(&container) {
            let name = type_name(value);
            return self.unsupported(format!("the `{name}` holds itself"));
        }
        if self.open.len() >= self.limits.depth {
            let hint = format!("nested deeper than {} levels", self.limits.depth);
            self.issue(Code::DepthLimit, hint)?;
            return Break(());
        }
        self.count(2)?;
        self.open.push(container);
        read(self)?;
        self.open.pop();
        Continue(())
    }

    fn array(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>) -> Flow {
        self.writer.begin_array();
        for (index, item) in items.enumerate() {
            self.count(1)?;
            self.path.push(Step::Index(index));
            self.value(&item)?;
            self.path.pop();
        }
        self.writer.end_array();
        Continue(())
    }

    fn object(&mut self, dict: &Bound<'py, PyDict>) -> Flow {
        self.writer.begin_object();
        for (key, value) in members(dict) {
            let Ok(key) = key.cast_into_exact::<PyString>() else {
                self.unsupported("a key is no str")?;
                continue;
            };
            let Ok(text) = key.to_str() else {
                self.issue(Code::InvalidUnicode, "a key holds a lone surrogate")?;
                continue;
            };
            self.count(text.len() + 4)?;
            self.writer.key(text);
            self.path.push(Step::Key(key));
            self.value(&value)?;
            self.path.pop();
        }
        self.writer.end_object();
        Continue(())
    }

    fn count(&mut self, bytes: usize) -> Flow {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limits.bytes { self.too_long() } else { Continue(()) }
    }

    fn too_long(&mut self) -> Flow {
        self.path.clear();
        let hint = format!("the arguments are longer than {} bytes", self.limits.bytes);
        self.issue(Code::SizeLimit, hint)?;
        Break(())
    }

    fn unsupported(&mut self, hint: impl Into<String>) -> Flow {
        self.issue(Code::UnsupportedValue, hint)
    }

    fn issue(&mut self, code: Code, hint: impl Into<String>) -> Flow {
        let issue = self.told(code, hint);
        self.report(issue)
    }

    fn report(&mut self, issue: Issue) -> Flow {
        self.issues.push(issue);
        // Something must stand in the place of what is not read.
        self.writer.null();
        if self.issues.len() >= self.limits.issues { Break(()) } else { Continue(()) }
    }

    fn told(&self, code: Code, hint: impl Into<String>) -> Issue {
        Issue::new(code, self.pointer(), hint)
    }

    fn pointer(&self) -> Pointer {
        self.path.iter().fold(Pointer::root(), |pointer, step| match step {
            Step::Key(key) => pointer.key(key.to_str().unwrap_or_default()),
            Step::Index(index) => pointer.index(*index),
        })
    }
}

/// The members as they are now: another thread may change the dict while its values are read.
fn members<'py>(dict: &Bound<'py, PyDict>) -> Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let members = std::cell::RefCell::new(Vec::with_capacity(dict.len()));
    // The closure never fails.
    let _ = dict.locked_for_each(|key, value| {
        members.borrow_mut().push((key, value));
        Ok(())
    });
    members.into_inner()
}
