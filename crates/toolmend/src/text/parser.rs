//! JSON text to document (RFC 8259), strict or relaxed.
//!
//! One parser for both: relaxed syntax is what the strict grammar leaves out and has one reading. Everything with two
//! readings is a syntax error in both. Text that ends inside a value is `truncated`, whatever else is wrong with it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::number;
use crate::certain::plain_end;
use crate::document::{Buffer, Content, Document, Member, NodeId, Slice};
use crate::issue::Code;

/// How much of the text must be the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it, but for white space.
    Whole,
    /// What follows the value is the caller's business.
    Prefix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// RFC 8259.
    Strict,
    /// Trailing commas, `//` and `/* */` comments, single quotes, unquoted keys, `True` `False` `None`, raw control
    /// characters inside strings, and a byte order mark.
    Relaxed,
}

/// Why a text is no document.
#[derive(Debug, Clone)]
pub(crate) struct TextError {
    pub(crate) code: Code,
    pub(crate) offset: usize,
    pub(crate) hint: Cow<'static, str>,
}

/// What is wrong with a text that has a structure all the same: a node, and why it cannot be trusted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    pub(crate) node: NodeId,
}

impl Fault {
    /// What the model should do about it.
    pub(crate) fn hint(self) -> &'static str {
        match self.code {
            Code::DuplicateKey => "key stands twice: send it once",
            Code::InvalidUnicode => "half of a surrogate pair is no character",
            Code::NumberPrecision => "this number is beyond what a double can hold",
            _ => "this cannot be read",
        }
    }
}

/// What the parser found: the value and where it ends.
pub(crate) struct Parsed {
    pub(crate) root: NodeId,
    pub(crate) end: usize,
    pub(crate) faults: Vec<Fault>,
}

/// Parses the raw text of `document` from byte `start`.
pub(crate) fn parse(
    document: &mut Document<'_>,
    text: &str,
    start: usize,
    extent: Extent,
    syntax: Syntax,
    depth: usize,
) -> std::result::Result<Parsed, TextError> {
    document.reserve(text.len());
    Parser {
        source: text,
        bytes: text.as_bytes(),
        at: start,
        document,
        buffer: Buffer::Text,
        base: 0,
        place: None,
        syntax,
        depth,
        items: Vec::new(),
        members: Vec::new(),
        faults: Vec::new(),
    }
    .document(extent)
    .map_err(|error| *error)
}

/// Parses `text`, which the string `host` of the document holds, as one JSON text.
pub(crate) fn parse_inside(
    document: &mut Document<'_>,
    text: &str,
    host: NodeId,
    syntax: Syntax,
    depth: usize,
) -> std::result::Result<Parsed, TextError> {
    let base = document.keep(text).start();
    let place = document.offset(host);
    Parser {
        source: text,
        bytes: text.as_bytes(),
        at: 0,
        document,
        buffer: Buffer::Own,
        base,
        place: Some(place),
        syntax,
        depth,
        items: Vec::new(),
        members: Vec::new(),
        faults: Vec::new(),
    }
    .document(Extent::Whole)
    .map_err(|error| *error)
}

struct Parser<'s, 'd, 'a> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    document: &'d mut Document<'a>,
    buffer: Buffer,
    /// Where `source` starts in `buffer`.
    base: usize,
    /// The offset that all nodes get, for text inside a string.
    place: Option<usize>,
    syntax: Syntax,
    depth: usize,
    /// Items and members of the containers that are open.
    items: Vec<NodeId>,
    members: Vec<Member>,
    faults: Vec<Fault>,
}

/// The error is behind a pointer, so that what each step gives back is small.
type Result<T> = std::result::Result<T, Box<TextError>>;

impl Parser<'_, '_, '_> {
    fn document(mut self, extent: Extent) -> Result<Parsed> {
        if self.relaxed() && self.at == 0 && self.source.starts_with('\u{feff}') {
            self.at = '\u{feff}'.len_utf8();
        }
        self.skip_space()?;
        let root = self.value(0)?;
        let end = self.at;
        if extent == Extent::Whole {
            self.skip_space()?;
            if let Some(byte) = self.peek() {
                let container = matches!(self.document.content(root), Content::Array(_) | Content::Object(_));
                let another = matches!(byte, b'{' | b'[')
                    || !container && matches!(byte, b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n');
                return if another {
                    self.error(Code::MultipleValues, "send one JSON object, not several")
                } else {
                    self.syntax_error("nothing may follow the JSON value")
                };
            }
        }
        Ok(Parsed { root, end, faults: self.faults })
    }

    #[inline]
    fn relaxed(&self) -> bool {
        self.syntax == Syntax::Relaxed
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    #[cold]
    fn error<T>(&self, code: Code, hint: impl Into<Cow<'static, str>>) -> Result<T> {
        Err(Box::new(TextError { code, offset: self.at, hint: hint.into() }))
    }

    #[cold]
    fn syntax_error<T>(&self, hint: &'static str) -> Result<T> {
        self.error(Code::JsonSyntax, hint)
    }

    #[cold]
    fn truncated<T>(&self) -> Result<T> {
        let hint = "the JSON ends too early".into();
        Err(Box::new(TextError { code: Code::Truncated, offset: self.bytes.len(), hint }))
    }

    #[inline]
    fn offset(&self, at: usize) -> usize {
        self.place.unwrap_or(at)
    }

    #[inline]
    fn slice(&self, start: usize, end: usize) -> Slice {
        Slice::new(self.base + start, end - start, self.buffer)
    }

    /// White space (RFC 8259 section 2), and comments in relaxed syntax.
    #[inline]
    fn skip_space(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') if self.relaxed() => match self.peek_at(1) {
                    Some(b'/') => {
                        let rest = self.source.get(self.at..).unwrap_or_default();
                        let comment = rest.split('\n').next().unwrap_or_default();
                        // JavaScript ends the comment there, others do not: two readings.
                        if comment.trim_end_matches('\r').contains(['\r', '\u{2028}', '\u{2029}']) {
                            return self.syntax_error("a comment ends with a line feed");
                        }
                        self.at += comment.len();
                    }
                    Some(b'*') => {
                        let body = self.source.get(self.at + 2..).unwrap_or_default();
                        match body.find("*/") {
                            Some(end) => self.at += end + 4,
                            None => return self.truncated(),
                        }
                    }
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<NodeId> {
        let start = self.at;
        match self.peek() {
            None => self.truncated(),
            Some(b'{' | b'[') if depth >= self.depth => {
                self.error(Code::DepthLimit, format!("nested deeper than {} levels", self.depth))
            }
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(quote @ (b'"' | b'\'')) if quote == b'"' || self.relaxed() => {
                let (slice, whole) = self.string(quote)?;
                let node = self.document.push_input(Content::String(slice), self.offset(start));
                if !whole {
                    self.faults.push(Fault { code: Code::InvalidUnicode, node });
                }
                Ok(node)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.literal(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<NodeId> {
        let start = self.at;
        let mark = self.members.len();
        self.at += 1;
        self.skip_space()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let (key, whole) = self.key()?;
                self.skip_space()?;
                match self.peek() {
                    Some(b':') => self.at += 1,
                    None => return self.truncated(),
                    Some(_) => return self.syntax_error("`:` is wanted after a key"),
                }
                self.skip_space()?;
                let value = self.value(depth + 1)?;
                self.members.push(Member::new(key, value));
                if !whole {
                    self.faults.push(Fault { code: Code::InvalidUnicode, node: value });
                }
                if self.closes(b'}')? {
                    break;
                }
            }
        }
        let offset = self.offset(start);
        let members = self.members.get(mark..).unwrap_or_default();
        note_duplicates(self.document, members, &mut self.faults);
        let node = self.document.push_object(members, offset);
        self.members.truncate(mark);
        Ok(node)
    }

    fn array(&mut self, depth: usize) -> Result<NodeId> {
        let start = self.at;
        let mark = self.items.len();
        self.at += 1;
        self.skip_space()?;
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                let item = self.value(depth + 1)?;
                self.items.push(item);
                if self.closes(b']')? {
                    break;
                }
            }
        }
        let offset = self.offset(start);
        let node = self.document.push_array(self.items.get(mark..).unwrap_or_default(), offset);
        self.items.truncate(mark);
        Ok(node)
    }

    /// After an item or member: whether the container ends here. Otherwise the next one follows.
    fn closes(&mut self, closer: u8) -> Result<bool> {
        self.skip_space()?;
        match self.peek() {
            None => self.truncated(),
            Some(byte) if byte == closer => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                self.skip_space()?;
                match self.peek() {
                    None => self.truncated(),
                    Some(byte) if byte == closer && self.relaxed() => {
                        self.at += 1;
                        Ok(true)
                    }
                    Some(byte) if byte == closer => self.syntax_error("no comma before a closing bracket"),
                    Some(_) => Ok(false),
                }
            }
            Some(_) => self.syntax_error(if closer == b'}' {
                "`,` or `}` is wanted here; a quote inside a string is written `\\\"`"
            } else {
                "`,` or `]` is wanted here; a quote inside a string is written `\\\"`"
            }),
        }
    }

    /// A member's name, and whether all of it is Unicode.
    fn key(&mut self) -> Result<(Slice, bool)> {
        match self.peek() {
            None => self.truncated(),
            Some(b'"') => self.string(b'"'),
            Some(b'\'') if self.relaxed() => self.string(b'\''),
            Some(byte) if self.relaxed() && (byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$')) => {
                let start = self.at;
                let word = self.word();
                // In Python these three are keys that are no strings.
                if matches!(word, "True" | "False" | "None") {
                    return self.syntax_error("a key is a string in double quotes");
                }
                let end = start + word.len();
                self.at = end;
                Ok((self.slice(start, end), true))
            }
            Some(_) => self.syntax_error("a key is a string in double quotes"),
        }
    }

    /// The identifier at the current place.
    fn word(&self) -> &str {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let end = rest.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    fn literal(&mut self) -> Result<NodeId> {
        let start = self.at;
        let word = self.word();
        let content = match word {
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            "null" => Content::Null,
            "True" if self.relaxed() => Content::Bool(true),
            "False" if self.relaxed() => Content::Bool(false),
            "None" if self.relaxed() => Content::Null,
            _ => {
                let cut = !word.is_empty()
                    && start + word.len() == self.bytes.len()
                    && ["true", "false", "null", "True", "False", "None"].iter().any(|full| full.starts_with(word))
                    && (start > 0 || word.len() > 1);
                return if cut { self.truncated() } else { self.syntax_error("a JSON value is wanted here") };
            }
        };
        self.at += word.len();
        let node = self.document.push_input(content, self.offset(start));
        Ok(node)
    }

    fn number(&mut self) -> Result<NodeId> {
        let start = self.at;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let end = start + length;
        let text = self.source.get(start..end).unwrap_or_default();
        if number::parts(text).is_none() {
            let cut = end == self.bytes.len() && number::parts(&format!("{text}0")).is_some();
            return if cut {
                self.truncated()
            } else {
                self.syntax_error("this is no JSON number (RFC 8259 section 6)")
            };
        }
        let delimited = match self.bytes.get(end) {
            None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'`') => true,
            Some(_) => false,
        };
        if !delimited {
            return self.syntax_error("this is no JSON number (RFC 8259 section 6)");
        }
        self.at = end;
        let node = self.document.push_input(Content::Number(self.slice(start, end)), self.offset(start));
        if number::leaves_doubles(text) {
            self.faults.push(Fault { code: Code::NumberPrecision, node });
        }
        Ok(node)
    }

    /// A string's content, and whether all of it is Unicode. A string without escapes is a range of the text.
    fn string(&mut self, quote: u8) -> Result<(Slice, bool)> {
        self.at += 1;
        let start = self.at;
        let plain = self.plain(quote)?;
        if self.peek() == Some(quote) {
            self.at += 1;
            return Ok((self.slice(start, plain), true));
        }
        let mut decoded = self.document.keep("");
        let mut whole = true;
        let mut run = start;
        loop {
            let end = self.plain(quote)?;
            self.document.extend(&mut decoded, self.source.get(run..end).unwrap_or_default());
            if self.peek() == Some(quote) {
                self.at += 1;
                return Ok((decoded, whole));
            }
            let character = self.escape(quote)?;
            whole &= character.is_some();
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.document.extend(&mut decoded, character.encode_utf8(&mut [0; 4]));
            run = self.at;
        }
    }

    /// Goes on to the next quote or backslash, whose place is returned.
    #[inline]
    fn plain(&mut self, quote: u8) -> Result<usize> {
        loop {
            if quote == b'"' {
                self.at = plain_end(self.bytes, self.at);
            }
            match self.peek() {
                None => return self.truncated(),
                Some(byte) if byte == quote || byte == b'\\' => return Ok(self.at),
                Some(0..=0x1f) if !self.relaxed() => {
                    return self.syntax_error(
                        "a line break or control character inside a string is written `\\n`, `\\t` or `\\u00XX`",
                    );
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// One escape sequence; `None` for half a surrogate pair.
    fn escape(&mut self, quote: u8) -> Result<Option<char>> {
        let character = match self.peek_at(1) {
            None => return self.truncated(),
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(b'\'') if quote == b'\'' => '\'',
            Some(_) => return self.syntax_error("a backslash inside a string is written `\\\\`"),
        };
        self.at += 2;
        Ok(Some(character))
    }

    fn unicode_escape(&mut self) -> Result<Option<char>> {
        let high = self.code_unit()?;
        if !(0xd800..0xe000).contains(&high) {
            return Ok(char::from_u32(high));
        }
        if high < 0xdc00 && self.peek() == Some(b'\\') && matches!(self.peek_at(1), None | Some(b'u')) {
            let mark = self.at;
            let low = self.code_unit()?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
            }
            self.at = mark;
        }
        Ok(None)
    }

    /// The four hex digits behind `\u`.
    fn code_unit(&mut self) -> Result<u32> {
        let mut unit = 0;
        for ahead in 2..6 {
            let Some(byte) = self.peek_at(ahead) else { return self.truncated() };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return self.syntax_error("`\\u` takes four hexadecimal digits; a backslash is written `\\\\`");
            };
            unit = unit * 16 + digit;
        }
        self.at += 6;
        Ok(unit)
    }
}

/// Notes the keys that stand in an object twice.
fn note_duplicates(document: &Document<'_>, members: &[Member], faults: &mut Vec<Fault>) {
    // Comparing each with each is faster than hashing for the sizes that tools have.
    const HASHED_FROM: usize = 16;
    let mut note = |member: &Member| faults.push(Fault { code: Code::DuplicateKey, node: member.value() });
    if members.len() < HASHED_FROM {
        for (index, member) in members.iter().enumerate() {
            let key = document.key(*member);
            if members.iter().take(index).any(|earlier| document.key(*earlier) == key) {
                note(member);
            }
        }
    } else {
        let mut seen = HashSet::with_capacity(members.len());
        members.iter().filter(|member| !seen.insert(document.key(**member))).for_each(note);
    }
}
