//! Text to Python data, while the core checks it.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyList, PyString};
use toolmend::certain::{Program, Rule, RuleId, Sink};

/// The keys of a contract's properties as Python strings, by rule and place. Each is made when it is first read.
#[derive(Default)]
pub(crate) struct Keys(PyOnceLock<Vec<Vec<Key>>>);

type Key = PyOnceLock<Py<PyString>>;

impl Keys {
    fn of(&self, py: Python<'_>, program: &Program) -> &[Vec<Key>] {
        let places = |rule: &Rule| {
            let properties = rule.object.as_ref().map_or(0, |object| object.properties.len());
            (0..properties).map(|_| Key::new()).collect()
        };
        self.0.get_or_init(py, || program.rules().map(places).collect())
    }
}

/// The value of `text`, if it is plainly valid.
pub(crate) fn read<'py>(
    py: Python<'py>,
    contract: &toolmend::Contract,
    keys: &Keys,
    text: &str,
) -> Option<Bound<'py, PyAny>> {
    let keys = keys.of(py, contract.certain()?);
    let mut builder = Builder { py, keys, open: Vec::new(), value: None, scratch: Vec::new(), failed: false };
    let plain = contract.is_plain(text, &mut builder);
    builder.value.filter(|_| plain && !builder.failed)
}

/// Builds the value that a walk tells.
struct Builder<'py, 'k> {
    py: Python<'py>,
    keys: &'k [Vec<Key>],
    open: Vec<Open<'py>>,
    value: Option<Bound<'py, PyAny>>,
    /// Where text with escapes is put together.
    scratch: Vec<u8>,
    /// Whether Python could not make something: the long way tells why.
    failed: bool,
}

enum Open<'py> {
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
    List(Bound<'py, PyList>),
}

impl<'py> Builder<'py, '_> {
    #[inline]
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

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::Dict(dict, _)) => self.put(dict.into_any()),
            Some(Open::List(list)) => self.put(list.into_any()),
            None => self.failed = true,
        }
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
        let text = if escaped {
            unescape(raw.as_bytes(), &mut self.scratch).and_then(|length| self.scratch.get(..length))
        } else {
            Some(raw.as_bytes())
        };
        match text.map(|text| PyString::from_bytes(self.py, text)) {
            Some(Ok(text)) => self.put(text.into_any()),
            _ => self.failed = true,
        }
    }

    fn object(&mut self) {
        self.open.push(Open::Dict(PyDict::new(self.py), None));
    }

    fn key(&mut self, key: &str, declared: Option<(RuleId, usize)>) {
        let py = self.py;
        let known = declared.and_then(|(rule, at)| self.keys.get(rule.index())?.get(at));
        let name = match known {
            Some(known) => known.get_or_init(py, || PyString::intern(py, key).unbind()).bind(py).clone(),
            None => PyString::new(py, key),
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

/// Writes what the text between two quotes stands for to the start of `text`, and tells its length, if every escape is
/// right. What stands between two escapes is short as a rule: it is copied while the next one is looked for.
fn unescape(raw: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    const STEP: usize = 16;
    const ONES: u128 = u128::MAX / 0xff;
    const HIGH: u128 = ONES << 7;
    // What an escape stands for is never longer than it.
    text.resize(raw.len(), 0);
    let (mut at, mut end) = (0, 0);
    while at < raw.len() {
        if let Some(chunk) = raw.get(at..).and_then(<[u8]>::first_chunk::<STEP>) {
            text.get_mut(end..end + STEP)?.copy_from_slice(chunk);
            let word = u128::from_le_bytes(*chunk) ^ (ONES * u128::from(b'\\'));
            // The lowest of these bits is in the first byte that is a backslash.
            let backslashes = word.wrapping_sub(ONES) & !word & HIGH;
            let plain = if backslashes == 0 { STEP } else { backslashes.trailing_zeros() as usize / 8 };
            (at, end) = (at + plain, end + plain);
            if backslashes == 0 {
                continue;
            }
        }
        let byte = *raw.get(at)?;
        if byte != b'\\' {
            *text.get_mut(end)? = byte;
            (at, end) = (at + 1, end + 1);
            continue;
        }
        let stands_for = match raw.get(at + 1)? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x8,
            b'f' => 0xc,
            itself @ (b'"' | b'\\' | b'/') => *itself,
            b'u' => {
                let digits = std::str::from_utf8(raw.get(at + 2..at + 6)?).ok()?;
                let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
                let length = character.len_utf8();
                character.encode_utf8(text.get_mut(end..end + length)?);
                (at, end) = (at + 6, end + length);
                continue;
            }
            _ => return None,
        };
        *text.get_mut(end)? = stands_for;
        (at, end) = (at + 2, end + 1);
    }
    Some(end)
}
