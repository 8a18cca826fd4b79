//! Regular expressions whose meaning is the same in ECMA-262, which JSON Schema asks for, and in every engine: literal
//! text and classes in ASCII, groups, alternation, anchors and counted repetition. Matching takes linear time.
//!
//! Everything else (Unicode classes, `\s`, `\b`, look-around, back references) is the `jsonschema` crate's to match.

use std::fmt::Write as _;

/// Times that counted repetitions may multiply what they repeat, all together.
const MOST_REPEATED: usize = 512;

/// A pattern of the plain kind, compiled.
#[derive(Debug)]
pub(crate) struct Plain(regex_lite::Regex);

impl Plain {
    /// Compiles `pattern`; `None` where it is of another kind, or wrong.
    pub(crate) fn compile(pattern: &str) -> Option<Self> {
        let mut reader = Reader { rest: pattern.as_bytes(), out: String::new(), open: 0, repeated: 1 };
        reader.read()?;
        regex_lite::Regex::new(&reader.out).ok().map(Self)
    }

    /// Whether it matches anywhere in `text`.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The pattern with every literal as an escape of the form `\x{2D}`.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Reads a pattern and writes it with every literal as an escape, so that no engine can read it otherwise.
struct Reader<'p> {
    rest: &'p [u8],
    out: String,
    /// Groups that are open.
    open: usize,
    repeated: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip(&mut self, wanted: u8) -> bool {
        let found = self.rest.first() == Some(&wanted);
        if found {
            self.next();
        }
        found
    }

    fn read(&mut self) -> Option<()> {
        // Whether a quantifier may follow.
        let mut atom = false;
        while let Some(byte) = self.next() {
            atom = match byte {
                b'^' | b'$' | b'|' => {
                    self.out.push(char::from(byte));
                    false
                }
                b'(' => {
                    if self.skip(b'?') && !self.skip(b':') {
                        return None;
                    }
                    self.open += 1;
                    self.out.push_str("(?:");
                    false
                }
                b')' => {
                    self.open = self.open.checked_sub(1)?;
                    self.out.push(')');
                    true
                }
                b'*' | b'+' | b'?' | b'{' if atom => {
                    self.quantifier(byte)?;
                    false
                }
                b'*' | b'+' | b'?' | b'{' | b'}' | b']' => return None,
                b'.' => {
                    self.out.push('.');
                    true
                }
                b'[' => {
                    self.class()?;
                    true
                }
                b'\\' => {
                    match self.escape()? {
                        Atom::Literal(byte) => self.literal(byte),
                        Atom::Class(class) => {
                            let _ = write!(self.out, "[{class}]");
                        }
                    }
                    true
                }
                b' '..=b'~' => {
                    self.literal(byte);
                    true
                }
                _ => return None,
            };
        }
        (self.open == 0).then_some(())
    }

    fn literal(&mut self, byte: u8) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.out, "\\x{{{byte:02X}}}");
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<Atom> {
        match self.next()? {
            b'd' => Some(Atom::Class("0-9")),
            b'w' => Some(Atom::Class("0-9A-Za-z_")),
            byte if byte.is_ascii_punctuation() && !matches!(byte, b'<' | b'>') => Some(Atom::Literal(byte)),
            _ => None,
        }
    }

    fn quantifier(&mut self, first: u8) -> Option<()> {
        if first == b'{' {
            let end = self.rest.iter().position(|byte| *byte == b'}')?;
            let (inside, rest) = self.rest.split_at_checked(end)?;
            let inside = std::str::from_utf8(inside).ok()?;
            let (low, high) = inside.split_once(',').map_or((inside, None), |(low, high)| (low, Some(high)));
            let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
            let low: usize = number(low)?;
            let high: usize = match high {
                None | Some("") => low,
                Some(high) => number(high)?,
            };
            if low > high {
                return None;
            }
            self.repeated = self.repeated.saturating_mul(high.max(1));
            if self.repeated > MOST_REPEATED {
                return None;
            }
            let _ = write!(self.out, "{{{inside}}}");
            self.rest = rest.get(1..)?;
        } else {
            self.out.push(char::from(first));
        }
        if self.skip(b'?') {
            self.out.push('?');
        }
        Some(())
    }

    /// A class in brackets: single characters, ranges, `\d` and `\w`.
    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if self.skip(b'^') {
            self.out.push('^');
        }
        if self.rest.first() == Some(&b']') {
            return None;
        }
        loop {
            let from = match self.next()? {
                b']' => break,
                b'[' => return None,
                b'\\' => self.escape()?,
                byte @ b' '..=b'~' => Atom::Literal(byte),
                _ => return None,
            };
            // `&&`, `--` and `~~` are operators to some.
            if let Atom::Literal(byte @ (b'&' | b'-' | b'~')) = from
                && self.rest.first() == Some(&byte)
            {
                return None;
            }
            let ranges = self.rest.first() == Some(&b'-') && self.rest.get(1) != Some(&b']');
            match from {
                Atom::Class(_) if ranges => return None,
                Atom::Class(class) => self.out.push_str(class),
                Atom::Literal(from) if ranges => {
                    self.next();
                    let to = match self.next()? {
                        b'[' => return None,
                        b'\\' => self.escape()?,
                        byte @ b' '..=b'~' => Atom::Literal(byte),
                        _ => return None,
                    };
                    let Atom::Literal(to) = to else { return None };
                    if from > to {
                        return None;
                    }
                    self.literal(from);
                    self.out.push('-');
                    self.literal(to);
                }
                Atom::Literal(byte) => self.literal(byte),
            }
        }
        self.out.push(']');
        Some(())
    }
}

enum Atom {
    Literal(u8),
    Class(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_match() {
        for (pattern, text, matches) in [
            ("^[a-z]+$", "abc", true),
            ("^[a-z]+$", "abc\n", false),
            (r"^\d{4}-\d{2}-\d{2}$", "2026-12-02", true),
            (r"^\d{4}-\d{2}-\d{2}$", "٢٠٢٦-12-02", false),
            ("^(?:a|b)*?c$", "ababc", true),
            (r"^[\w.-]+@x\.y$", "a.b-c@x.y", true),
            (r"^[^,]+$", "é", true),
            ("", "anything", true),
        ] {
            let pattern = Plain::compile(pattern).unwrap_or_else(|| panic!("{pattern} is plain"));
            assert_eq!(pattern.matches(text), matches, "{text}");
        }
    }

    #[test]
    fn others_are_left() {
        for pattern in [
            r"\s",
            r"\p{L}",
            "(?=a)",
            r"(a)\1",
            "[",
            "a**",
            "*",
            "(",
            ")",
            "é",
            "[a--b]",
            "[[:alpha:]]",
            "a{2,1}",
            "(?i)a",
            r"\b",
            "[z-a]",
            "a{,3}",
            "[]a]",
            "{",
            "a{1000}",
            r"[\d-z]",
            r"\-\<",
            "]",
        ] {
            assert!(Plain::compile(pattern).is_none(), "{pattern}");
        }
    }
}
