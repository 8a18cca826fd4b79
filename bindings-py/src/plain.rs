//! Calls that are plainly valid: their value is built while the text is checked, or found to be right where it lies.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use toolmend::certain::{Certain, Object, Others, Program, Rule, RuleId, Sink, Unsure, looks_like_json, sure};

/// The keys of a contract's properties as Python strings, by rule and place. Made once, when a first text is read.
#[derive(Default)]
pub(crate) struct Keys(PyOnceLock<Vec<Vec<Py<PyString>>>>);

impl Keys {
    fn get(&self, py: Python<'_>, program: &Program) -> &Vec<Vec<Py<PyString>>> {
        let keys = |rule: &Rule| {
            let properties = rule.object.iter().flat_map(|object| &object.properties);
            properties.map(|property| PyString::intern(py, &property.key).unbind()).collect()
        };
        self.0.get_or_init(py, || program.rules().map(keys).collect())
    }
}

/// The value of `text`, if it is plainly valid.
pub(crate) fn read<'py>(
    py: Python<'py>,
    contract: &toolmend::Contract,
    keys: &Keys,
    text: &str,
) -> Option<Bound<'py, PyAny>> {
    let program = contract.certain()?;
    let mut builder = Builder { py, keys: keys.get(py, program), open: Vec::new(), value: None, failed: false };
    let plain = contract.is_plain(text, &mut builder);
    builder.value.filter(|_| plain && !builder.failed)
}

/// Builds the value that a walk tells.
struct Builder<'py, 'k> {
    py: Python<'py>,
    keys: &'k [Vec<Py<PyString>>],
    open: Vec<Open<'py>>,
    value: Option<Bound<'py, PyAny>>,
    /// Whether Python could not make something: the long way tells why.
    failed: bool,
}

enum Open<'py> {
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
    List(Bound<'py, PyList>),
}

impl<'py> Builder<'py, '_> {
    fn put(&mut self, value: Bound<'py, PyAny>) {
        let put = match self.open.last_mut() {
            None => {
                self.value = Some(value);
                Ok(())
            }
            Some(Open::List(list)) => list.append(value),
            Some(Open::Dict(dict, key)) => key.take().map_or(Ok(()), |key| dict.set_item(key, value)),
        };
        self.failed |= put.is_err();
    }
}

impl Sink for Builder<'_, '_> {
    fn null(&mut self) {
        self.put(self.py.None().into_bound(self.py));
    }

    fn boolean(&mut self, value: bool) {
        self.put(PyBool::new(self.py, value).to_owned().into_any());
    }

    fn integer(&mut self, value: i64) {
        match value.into_pyobject(self.py) {
            Ok(value) => self.put(value.into_any()),
            Err(never) => match never {},
        }
    }

    fn fraction(&mut self, value: f64) {
        self.put(PyFloat::new(self.py, value).into_any());
    }

    fn string(&mut self, raw: &str, escaped: bool) {
        let text = if escaped { unescaped(raw) } else { None };
        self.failed |= escaped && text.is_none();
        self.put(PyString::new(self.py, text.as_deref().unwrap_or(raw)).into_any());
    }

    fn object(&mut self) {
        self.open.push(Open::Dict(PyDict::new(self.py), None));
    }

    fn key(&mut self, key: &str, declared: Option<(RuleId, usize)>) {
        let known = declared.and_then(|(rule, at)| self.keys.get(rule.index())?.get(at));
        let name = match known {
            Some(known) => known.bind(self.py).clone(),
            None => PyString::new(self.py, key),
        };
        if let Some(Open::Dict(_, key)) = self.open.last_mut() {
            *key = Some(name);
        }
    }

    fn end_object(&mut self) {
        self.end();
    }

    fn array(&mut self) {
        self.open.push(Open::List(PyList::empty(self.py)));
    }

    fn end_array(&mut self) {
        self.end();
    }
}

impl Builder<'_, '_> {
    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Dict(dict, _)) => self.put(dict.into_any()),
            Some(Open::List(list)) => self.put(list.into_any()),
            None => self.failed = true,
        }
    }
}

/// What text between quotes stands for.
fn unescaped(raw: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{raw}\"")).ok()
}

/// Whether Python data is plainly valid where it lies. Only exact built-in types are looked at, and no code is run.
pub(crate) fn is_plain(contract: &toolmend::Contract, value: &Bound<'_, PyAny>) -> bool {
    let Some(program) = contract.certain() else { return false };
    let limits = contract.limits();
    let mut walk = Walk { program, bytes: limits.bytes, depth: limits.depth };
    program.rule(program.root()).and_then(|rule| walk.value(rule, value)).is_ok()
}

struct Walk<'p> {
    program: &'p Program,
    /// Bytes that the text of the rest may have, and levels that it may go down.
    bytes: usize,
    depth: usize,
}

/// Longest text of an integer of 64 bits, or of a double.
const NUMBER: usize = 24;

impl Walk<'_> {
    fn spend(&mut self, bytes: usize) -> Certain {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Unsure)?;
        Ok(())
    }

    fn value(&mut self, rule: &Rule, value: &Bound<'_, PyAny>) -> Certain {
        if let Ok(text) = value.cast_exact::<PyString>() {
            let text = text.to_str().map_err(|_| Unsure)?;
            // As long as with every character escaped.
            self.spend(text.len().saturating_mul(6).saturating_add(3)).or_else(|_| self.spend(text.len() + 3))?;
            sure(!looks_like_json(text))?;
            return if rule.takes_any_text() { Ok(()) } else { rule.string(text, self.program) };
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return self.nested(|walk| walk.dict(rule, dict));
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return self.nested(|walk| walk.list(rule, list));
        }
        self.spend(NUMBER)?;
        if let Ok(truth) = value.cast_exact::<PyBool>() {
            return rule.boolean(truth.is_true(), self.program);
        }
        if let Ok(int) = value.cast_exact::<PyInt>() {
            return rule.integer(int.extract().map_err(|_| Unsure)?, self.program);
        }
        if let Ok(float) = value.cast_exact::<PyFloat>() {
            let float = float.value();
            sure(float.is_finite())?;
            return rule.fraction(float);
        }
        sure(value.is_none())?;
        rule.null(self.program)
    }

    fn nested(&mut self, walk: impl FnOnce(&mut Self) -> Certain) -> Certain {
        self.spend(2)?;
        self.depth = self.depth.checked_sub(1).ok_or(Unsure)?;
        walk(self)?;
        self.depth += 1;
        Ok(())
    }

    fn dict(&mut self, rule: &Rule, dict: &Bound<'_, PyDict>) -> Certain {
        sure(rule.takes_objects())?;
        if let Some(union) = &rule.union {
            let branch = match &union.tag {
                None => self.program.branch(union, Rule::takes_objects)?,
                Some((key, _)) => union.named(text(&find(dict, key)?)?)?,
            };
            return self.dict(self.program.rule(branch)?, dict);
        }
        let object = rule.object.as_ref().ok_or(Unsure)?;
        let members = RefCell::new(Members { seen: 0, count: 0, next: 0, found: Ok(()) });
        let walk = RefCell::new(self);
        // The closure never fails: an error of Python's would be made for nothing.
        let _ = dict.locked_for_each(|key, value| {
            let mut members = members.borrow_mut();
            if members.found.is_ok() {
                members.found = walk.borrow_mut().member(object, &key, &value, &mut members);
            }
            Ok(())
        });
        let members = members.into_inner();
        members.found?;
        sure(object.takes(members.count, members.seen))
    }

    fn member(
        &mut self,
        object: &Object,
        key: &Bound<'_, PyAny>,
        value: &Bound<'_, PyAny>,
        members: &mut Members,
    ) -> Certain {
        let key = text(key)?;
        self.spend(key.len().saturating_mul(6).saturating_add(4))?;
        members.count += 1;
        let rule = match (object.position(key, members.next), object.others) {
            (Some(at), _) => {
                members.seen |= 1 << at;
                members.next = at + 1;
                object.properties.get(at).ok_or(Unsure)?.rule
            }
            (None, Others::Rule(rule)) => rule,
            (None, Others::Told) => return Err(Unsure),
        };
        self.value(self.program.rule(rule)?, value)
    }

    fn list(&mut self, rule: &Rule, list: &Bound<'_, PyList>) -> Certain {
        sure(rule.takes_arrays())?;
        if let Some(union) = &rule.union {
            let branch = self.program.branch(union, Rule::takes_arrays)?;
            return self.list(self.program.rule(branch)?, list);
        }
        let array = rule.array.as_ref().ok_or(Unsure)?;
        let mut count = 0;
        for item in list.iter() {
            self.spend(1)?;
            self.value(self.program.rule(array.item(count))?, &item)?;
            count += 1;
        }
        sure(array.takes(count))
    }
}

/// How far the walk over the members of a dict has come.
struct Members {
    /// A bit for each declared property that was there.
    seen: u64,
    count: u64,
    /// Where the next key is looked for first.
    next: usize,
    found: Certain,
}

fn text<'a>(value: &'a Bound<'_, PyAny>) -> Result<&'a str, Unsure> {
    value.cast_exact::<PyString>().map_err(|_| Unsure)?.to_str().map_err(|_| Unsure)
}

/// The value under a key. Not by Python's own lookup, which may run the `__eq__` of another key.
fn find<'py>(dict: &Bound<'py, PyDict>, wanted: &str) -> Result<Bound<'py, PyAny>, Unsure> {
    let found = RefCell::new(None);
    let _ = dict.locked_for_each(|key, value| {
        if text(&key).is_ok_and(|key| key == wanted) {
            found.replace(Some(value));
        }
        Ok(())
    });
    found.into_inner().ok_or(Unsure)
}
