//! Python data, checked where they lie.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use toolmend::certain::{Certain, Others, Program, Rule, Unsure, looks_like_json, sure};

use super::members;

/// Whether data are plainly valid. Only exact built-in types are looked at, and no code of the caller's is run.
pub(crate) fn is_plain(contract: &toolmend::Contract, value: &Bound<'_, PyAny>) -> bool {
    let Some(program) = contract.certain() else { return false };
    let limits = contract.limits();
    let mut walk = Walk { program, bytes: limits.bytes, depth: limits.depth };
    program.rule(program.root()).and_then(|rule| walk.value(rule, value)).is_ok()
}

struct Walk<'p> {
    program: &'p Program,
    /// Bytes that the text of the rest may have, and levels that it may go down. They end a cycle, too.
    bytes: usize,
    depth: usize,
}

/// No text of an integer of 64 bits, of a double or of a constant is longer.
const SCALAR: usize = 24;

impl Walk<'_> {
    fn spend(&mut self, bytes: usize) -> Certain {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Unsure)?;
        Ok(())
    }

    fn value(&mut self, rule: &Rule, value: &Bound<'_, PyAny>) -> Certain {
        if let Some(text) = exactly::<PyString>(value) {
            let text = text.to_str().map_err(|_| Unsure)?;
            self.spend(text.len() + 3)?;
            sure(!looks_like_json(text))?;
            return if rule.takes_any_text() { Ok(()) } else { rule.string(text, self.program) };
        }
        if let Some(dict) = exactly::<PyDict>(value) {
            return self.nested(|walk| walk.dict(rule, dict));
        }
        if let Some(list) = exactly::<PyList>(value) {
            return self.nested(|walk| walk.list(rule, list));
        }
        self.spend(SCALAR)?;
        if let Some(int) = exactly::<PyInt>(value) {
            return rule.integer(int.extract().map_err(|_| Unsure)?, self.program);
        }
        if let Some(float) = exactly::<PyFloat>(value) {
            let float = float.value();
            sure(float.is_finite())?;
            return rule.fraction(float);
        }
        if let Some(truth) = exactly::<PyBool>(value) {
            return rule.boolean(truth.is_true(), self.program);
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
                Some((key, _)) => union.named(exact_text(&find(dict, key)?)?)?,
            };
            return self.dict(self.program.rule(branch)?, dict);
        }
        let object = rule.object.as_ref().ok_or(Unsure)?;
        let mut seen: u64 = 0;
        let mut count: u64 = 0;
        let mut next = 0;
        members::each(dict, |key, value| {
            let key = exact_text(key)?;
            self.spend(key.len() + 5)?;
            count += 1;
            let rule = if let Some(at) = object.position(key, next) {
                seen |= 1 << at;
                next = at + 1;
                object.properties.get(at).ok_or(Unsure)?.rule
            } else {
                let Others::Rule(rule) = object.others else { return Err(Unsure) };
                rule
            };
            self.value(self.program.rule(rule)?, value)
        })?;
        sure(object.takes(count, seen))
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

/// A value of exactly this type. Unlike with `cast_exact`, no error is made where it is not.
#[inline]
fn exactly<'a, 'py, T: PyTypeInfo>(value: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, T>> {
    if value.is_exact_instance_of::<T>() { value.cast_exact().ok() } else { None }
}

fn exact_text<'a>(value: &'a Bound<'_, PyAny>) -> Result<&'a str, Unsure> {
    exactly::<PyString>(value).ok_or(Unsure)?.to_str().map_err(|_| Unsure)
}

/// The value under a key. Not by Python's own lookup, which may run the `__eq__` of another key.
fn find<'py>(dict: &Bound<'py, PyDict>, wanted: &str) -> Result<Bound<'py, PyAny>, Unsure> {
    // What was found ends the search, as an error would.
    let search = members::each(dict, |key, value| match exact_text(key) {
        Ok(key) if key == wanted => Err(value.clone()),
        _ => Ok(()),
    });
    search.err().ok_or(Unsure)
}
