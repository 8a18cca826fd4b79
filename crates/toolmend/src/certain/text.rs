//! Plainly valid text: one pass over the bytes, nothing kept but where the keys of open objects stand.

use super::program::{Array, Object, Others, Program, Rule, RuleId, Union};
use super::{Certain, Unsure, sure};

/// Undeclared keys of the objects that are open; more are too many to be compared with each other.
const MOST_EXTRA_KEYS: usize = 64;

/// How often each byte of a text may be looked at ahead of its turn, on average.
const LOOK_AHEAD: usize = 4;

/// Digits that every double holds.
const SAFE_DIGITS: usize = 15;

/// The powers of ten of so many digits behind the point.
const POWERS: [f64; SAFE_DIGITS + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// What is told of a value that is walked, in document order. It may turn out to be unsure at the end.
pub trait Sink {
    /// `null`.
    fn null(&mut self) {}
    /// `true` or `false`.
    fn boolean(&mut self, _value: bool) {}
    /// A number in plain digits.
    fn integer(&mut self, _value: i64) {}
    /// A number with a fraction.
    fn fraction(&mut self, _value: f64) {}
    /// Text between its quotes, and whether it has escapes.
    fn string(&mut self, _raw: &str, _escaped: bool) {}
    /// An object opens.
    fn object(&mut self) {}
    /// A key, with its place in the rule's properties if it is declared there.
    fn key(&mut self, _key: &str, _declared: Option<(RuleId, usize)>) {}
    /// The object closes.
    fn end_object(&mut self) {}
    /// An array opens.
    fn array(&mut self) {}
    /// The array closes.
    fn end_array(&mut self) {}
}

/// A sink that is told in vain.
#[derive(Debug, Default)]
pub struct Ignored;

impl Sink for Ignored {}

impl Program {
    /// Whether `text` is plainly valid; the sink is told of every value.
    ///
    /// # Errors
    ///
    /// It may not be.
    pub fn check_text<S: Sink>(&self, text: &str, depth: usize, sink: &mut S) -> Certain {
        let mut walk = Walk {
            program: self,
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth,
            ahead: LOOK_AHEAD * text.len(),
            extra: Vec::new(),
            sink,
        };
        walk.skip_space();
        walk.value(self.root())?;
        walk.skip_space();
        sure(walk.at == walk.bytes.len())
    }
}

struct Walk<'w, S> {
    program: &'w Program,
    text: &'w str,
    bytes: &'w [u8],
    at: usize,
    /// Levels that are left.
    depth: usize,
    /// Bytes that may still be looked at ahead of their turn: unions inside each other look at the same ones again.
    ahead: usize,
    /// The undeclared keys of the objects that are open, each with its object's mark below it.
    extra: Vec<&'w str>,
    sink: &'w mut S,
}

impl<'w, S: Sink> Walk<'w, S> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn expect(&mut self, text: &[u8]) -> Certain {
        let end = self.at + text.len();
        sure(self.bytes.get(self.at..end) == Some(text))?;
        self.at = end;
        Ok(())
    }

    fn value(&mut self, id: RuleId) -> Certain {
        let rule = self.program.rule(id)?;
        match self.peek() {
            Some(b'"') => self.string(rule),
            Some(b'{') => self.nested(|walk| walk.object(id, rule)),
            Some(b'[') => self.nested(|walk| walk.array(rule)),
            Some(b'-' | b'0'..=b'9') => self.number(rule),
            Some(b't') => {
                self.expect(b"true")?;
                self.sink.boolean(true);
                rule.boolean(true, self.program)
            }
            Some(b'f') => {
                self.expect(b"false")?;
                self.sink.boolean(false);
                rule.boolean(false, self.program)
            }
            Some(b'n') => {
                self.expect(b"null")?;
                self.sink.null();
                rule.null(self.program)
            }
            _ => Err(Unsure),
        }
    }

    fn nested(&mut self, walk: impl FnOnce(&mut Self) -> Certain) -> Certain {
        self.depth = self.depth.checked_sub(1).ok_or(Unsure)?;
        walk(self)?;
        self.depth += 1;
        Ok(())
    }

    fn object(&mut self, id: RuleId, rule: &'w Rule) -> Certain {
        if let Some(union) = &rule.union {
            sure(rule.takes_objects())?;
            let id = self.branch(union)?;
            return self.object(id, self.program.rule(id)?);
        }
        sure(rule.takes_objects())?;
        let object = rule.object.as_ref().ok_or(Unsure)?;
        self.members(id, object)
    }

    fn branch(&mut self, union: &'w Union) -> Result<RuleId, Unsure> {
        let Some((key, _)) = &union.tag else { return self.program.branch(union, Rule::takes_objects) };
        let start = self.at;
        let value = self.find(key)?;
        self.ahead = self.ahead.checked_sub(self.at - start).ok_or(Unsure)?;
        self.at = start;
        union.named(value)
    }

    fn members(&mut self, id: RuleId, object: &'w Object) -> Certain {
        let mark = self.extra.len();
        let mut seen: u64 = 0;
        let mut count: u64 = 0;
        let mut next = 0;
        self.sink.object();
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let (key, declared) = self.member_key(object, next)?;
                count += 1;
                self.sink.key(key, declared.map(|at| (id, at)));
                self.skip_space();
                let rule = if let Some(at) = declared {
                    let bit = 1 << at;
                    sure(seen & bit == 0)?;
                    seen |= bit;
                    next = at + 1;
                    object.properties.get(at).ok_or(Unsure)?.rule
                } else {
                    self.undeclared(key, mark)?;
                    let Others::Rule(rule) = object.others else { return Err(Unsure) };
                    rule
                };
                self.value(rule)?;
                if self.closes(b'}')? {
                    break;
                }
            }
        }
        self.extra.truncate(mark);
        self.sink.end_object();
        sure(object.takes(count, seen))
    }

    /// The key of a member, and its place in the object's properties if it is declared there. A model writes the keys in
    /// the order in which they are declared, as a rule: the one at `next` is looked for first.
    #[inline]
    fn member_key(&mut self, object: &'w Object, next: usize) -> Result<(&'w str, Option<usize>), Unsure> {
        if let Some(property) = object.properties.get(next)
            && let Some(quoted) = &property.quoted
            && quoted.starts(self.bytes.get(self.at..).unwrap_or_default())
        {
            self.at += quoted.len();
            self.colon()?;
            return Ok((&property.key, Some(next)));
        }
        let key = self.key()?;
        Ok((key, object.position(key, next)))
    }

    /// Notes an undeclared key, which must not stand in its object twice.
    fn undeclared(&mut self, key: &'w str, mark: usize) -> Certain {
        let others = self.extra.get(mark..).unwrap_or_default();
        sure(others.len() < MOST_EXTRA_KEYS && !others.contains(&key))?;
        self.extra.push(key);
        Ok(())
    }

    fn array(&mut self, rule: &'w Rule) -> Certain {
        sure(rule.takes_arrays())?;
        if let Some(union) = &rule.union {
            let id = self.program.branch(union, Rule::takes_arrays)?;
            return self.array(self.program.rule(id)?);
        }
        self.items(rule.array.as_ref().ok_or(Unsure)?)
    }

    fn items(&mut self, array: &'w Array) -> Certain {
        let mut count: usize = 0;
        self.sink.array();
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                self.value(array.item(count))?;
                count += 1;
                if self.closes(b']')? {
                    break;
                }
            }
        }
        self.sink.end_array();
        sure(array.takes(count))
    }

    /// After an item or member: whether the container ends here. Otherwise the next one follows.
    #[inline]
    fn closes(&mut self, closer: u8) -> Result<bool, Unsure> {
        self.skip_space();
        let byte = self.peek().ok_or(Unsure)?;
        self.at += 1;
        if byte == closer {
            return Ok(true);
        }
        sure(byte == b',')?;
        self.skip_space();
        Ok(false)
    }

    /// A key without escapes, and the colon behind it.
    #[inline]
    fn key(&mut self) -> Result<&'w str, Unsure> {
        sure(self.peek() == Some(b'"'))?;
        let (key, escaped) = self.raw_string()?;
        sure(!escaped)?;
        self.colon()?;
        Ok(key)
    }

    #[inline]
    fn colon(&mut self) -> Certain {
        self.skip_space();
        sure(self.peek() == Some(b':'))?;
        self.at += 1;
        Ok(())
    }

    fn string(&mut self, rule: &Rule) -> Certain {
        let (raw, escaped) = self.raw_string()?;
        if rule.takes_any_text() {
            sure(!looks_like_json(raw))?;
        } else {
            // What escapes stand for would have to be known.
            sure(!escaped && !looks_like_json(raw))?;
            rule.string(raw, self.program)?;
        }
        self.sink.string(raw, escaped);
        Ok(())
    }

    /// The text between two quotes, whose escapes are right, and whether it has any.
    #[inline]
    fn raw_string(&mut self) -> Result<(&'w str, bool), Unsure> {
        let start = self.at + 1;
        self.at = start;
        let mut escaped = false;
        loop {
            self.at = plain_end(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => {
                    let raw = self.text.get(start..self.at).ok_or(Unsure)?;
                    self.at += 1;
                    return Ok((raw, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Unsure),
            }
        }
    }

    fn escape(&mut self) -> Certain {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6).ok_or(Unsure)?;
                sure(digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
                // Halves of a pair are looked at more closely.
                sure(!digits.starts_with(['d', 'D']))?;
                self.at += 6;
            }
            _ => return Err(Unsure),
        }
        Ok(())
    }

    fn number(&mut self, rule: &Rule) -> Certain {
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let mut value: i64 = 0;
        let digits = self.at;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
            self.at += 1;
        }
        let count = self.at - digits;
        sure(count > 0 && count <= SAFE_DIGITS && (count == 1 || self.bytes.get(digits) != Some(&b'0')))?;
        match self.peek() {
            Some(b'.') => {
                self.at += 1;
                let fraction = self.at;
                while let Some(byte @ b'0'..=b'9') = self.peek() {
                    value = value.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
                    self.at += 1;
                }
                let more = self.at - fraction;
                sure(more > 0 && count + more <= SAFE_DIGITS && !matches!(self.peek(), Some(b'e' | b'E')))?;
                let power = POWERS.get(more).ok_or(Unsure)?;
                // Both are exact, so that the quotient is the double nearest to the number.
                #[expect(clippy::cast_precision_loss, reason = "15 digits are exact")]
                let value = if negative { -(value as f64) } else { value as f64 } / power;
                rule.fraction(value)?;
                self.sink.fraction(value);
                Ok(())
            }
            Some(b'e' | b'E') => Err(Unsure),
            _ => {
                let value = if negative { -value } else { value };
                // A double knows a negative zero, an integer does not.
                sure(!negative || value != 0)?;
                rule.integer(value, self.program)?;
                self.sink.integer(value);
                Ok(())
            }
        }
    }

    /// The text under `key` in the object that starts here, without escapes; nothing else of the object is looked at.
    fn find(&mut self, key: &str) -> Result<&'w str, Unsure> {
        self.at += 1;
        self.skip_space();
        loop {
            let found = self.key()?;
            self.skip_space();
            if found == key {
                sure(self.peek() == Some(b'"'))?;
                let (value, escaped) = self.raw_string()?;
                sure(!escaped)?;
                return Ok(value);
            }
            self.skip_value()?;
            self.skip_space();
            sure(self.peek() == Some(b','))?;
            self.at += 1;
            self.skip_space();
        }
    }

    /// Goes behind a value that is looked at later.
    fn skip_value(&mut self) -> Certain {
        let mut open: usize = 0;
        loop {
            match self.peek().ok_or(Unsure)? {
                b'"' => {
                    self.raw_string()?;
                }
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1).ok_or(Unsure)?;
                    self.at += 1;
                }
                b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if open > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    while self
                        .peek()
                        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
                    {
                        self.at += 1;
                    }
                    sure(matches!(self.peek(), Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')))?;
                }
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

/// Where the next quote, backslash or control character stands: the end if there is none.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Whether a byte of a word is zero (the usual trick), less than a space, or one of the two.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let found = zero(word ^ (ONES * u64::from(b'"')))
            | zero(word ^ (ONES * u64::from(b'\\')))
            | word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            break;
        }
        at += 1;
    }
    at
}

/// Whether text might be JSON itself, which is worth a warning: in doubt it is. Takes the text, or what stands between
/// its quotes.
#[must_use]
#[inline]
pub fn looks_like_json(text: &str) -> bool {
    let opens = match text.bytes().next() {
        Some(b'{' | b'[') => true,
        // White space, as it is or escaped, and whatever Unicode has of it.
        Some(0..=b' ' | b'\\' | 0x80..) => text.trim_start().starts_with(['{', '[', '\\']),
        _ => false,
    };
    opens
        && match text.bytes().next_back() {
            Some(b'}' | b']' | 0..=b' ' | 0x80..) => true,
            // The end of an escape.
            Some(byte) => byte.is_ascii_hexdigit() || matches!(byte, b'n' | b't' | b'r'),
            None => false,
        }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Options;

    /// Notes the fractions that it is told of.
    #[derive(Default)]
    struct Fractions(Vec<f64>);

    impl Sink for Fractions {
        fn fraction(&mut self, value: f64) {
            self.0.push(value);
        }
    }

    proptest! {
        #[test]
        fn a_fraction_is_the_nearest_double(text in "-?(0|[1-9][0-9]{0,13})\\.[0-9]{1,14}") {
            let contract = Options::new().compile(&serde_json::json!({"type": "number"})).unwrap();
            let mut told = Fractions::default();
            if contract.is_plain(&text, &mut told) {
                prop_assert_eq!(told.0[0].to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            prop_assert!(digits > SAFE_DIGITS || !told.0.is_empty());
        }
    }
}
