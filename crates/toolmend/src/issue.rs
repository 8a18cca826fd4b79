//! What is wrong with a call: one code, one place, what was wanted and what came.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Value, value::RawValue};

use crate::document::Node;

/// Defines [`Code`] and the texts that go with each code in one table.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident $slug:literal,)+) => {
        /// The closed list of issue codes. A code is for programs: it never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])+ $variant,)+ }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)+];

            /// The code as it stands on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $slug,)+ }
            }
        }
    };
}

codes! {
    /// The text is no JSON (RFC 8259).
    JsonSyntax "json_syntax",
    /// The text ends inside a value, or the host says that it was cut.
    Truncated "truncated",
    /// The text holds more than one JSON value.
    MultipleValues "multiple_values",
    /// An object has the same key twice.
    DuplicateKey "duplicate_key",
    /// Text that cannot be written as Unicode: a lone surrogate, bytes that are no UTF-8.
    InvalidUnicode "invalid_unicode",
    /// The value is nested deeper than `Limits::depth`.
    DepthLimit "depth_limit",
    /// The text is longer than `Limits::bytes`.
    SizeLimit "size_limit",
    /// A required property is not there.
    MissingProperty "missing_property",
    /// A property that the schema does not allow.
    UnknownProperty "unknown_property",
    /// A value of the wrong JSON type.
    TypeMismatch "type_mismatch",
    /// A string, array or object that is too short or too long.
    WrongSize "wrong_size",
    /// An array whose items must differ and do not.
    DuplicateItems "duplicate_items",
    /// A value that is none of the allowed ones (`enum`, `const`).
    EnumMismatch "enum_mismatch",
    /// A number out of its bounds (the four bounds, `multipleOf`).
    OutOfRange "out_of_range",
    /// A string that does not match its `pattern`.
    PatternMismatch "pattern_mismatch",
    /// A string that does not have its `format` (or content encoding).
    FormatMismatch "format_mismatch",
    /// A number whose digits would be lost.
    NumberPrecision "number_precision",
    /// Two or more different values could be meant.
    Ambiguous "ambiguous",
    /// No branch of a union fits, or more than one where one is wanted.
    NoVariant "no_variant",
    /// What has no better name: `not`, `if`, `dependent*`, `contains`, `propertyNames`.
    ConstraintMismatch "constraint_mismatch",
    /// Finding the answer would take more work than `Limits::work`.
    WorkLimit "work_limit",
    /// Host data that is no JSON.
    UnsupportedValue "unsupported_value",
    /// No tool of that name.
    UnknownTool "unknown_tool",
    /// A check of the host said no.
    PreconditionFailed "precondition_failed",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One JSON value as canonical text, so that no digit of it is lost on the way.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(String);

impl Json {
    /// The canonical text of a value.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Text that is canonical already.
    pub(crate) fn canonical(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn string(text: &str) -> Self {
        Self(crate::document::quoted(text))
    }
}

impl From<Node<'_>> for Json {
    fn from(node: Node<'_>) -> Self {
        Self(node.to_json())
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        Self(value.to_string())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match RawValue::from_string(self.0.clone()) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

/// What came: its JSON type and, for a scalar, the value itself, cut to [`Received::CAP`] characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Received {
    /// `null`, `boolean`, `integer`, `number`, `string`, `array` or `object`; `text` for text that is no JSON.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The value as JSON text, cut where it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl Received {
    /// Longest preview, in characters.
    pub const CAP: usize = 80;

    /// What came, with as much of `text` as a preview may hold.
    #[must_use]
    pub fn new(kind: &'static str, text: Option<&str>) -> Self {
        Self { kind, preview: text.map(|text| cut(text, Self::CAP)) }
    }
}

/// The first `cap` characters of `text`, with a mark where something is left out.
pub(crate) fn cut(text: &str, cap: usize) -> String {
    match text.char_indices().nth(cap) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A place in the raw text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Byte offset, from 0.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in Unicode code points, from 1.
    pub column: usize,
}

impl Span {
    pub(crate) fn at(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = text.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            offset,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// One reason for a refusal, or one warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// The stable code.
    pub code: Code,
    /// JSON Pointer (RFC 6901) into what was sent; of the property that is not there for `missing_property`.
    pub path: String,
    /// The JSON Schema keyword that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
    /// JSON Pointer into the schema, to that keyword.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// What the schema wants there, in its own terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Received>,
    /// One line that a model can act on.
    pub hint: String,
    /// The host's own code, where the issue is the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Keys, members or readings that may have been meant. Suggestions only: none is applied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Json>,
    /// The place in the raw text, when there was text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

impl Issue {
    /// An issue with nothing but a code, a place (RFC 6901) and a hint.
    #[must_use]
    pub fn new(code: Code, path: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            path: path.into(),
            keyword: None,
            schema: None,
            expected: None,
            received: None,
            hint: hint.into(),
            reason: None,
            candidates: Vec::new(),
            span: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn span_counts_lines_and_code_points() {
        assert_eq!(Span::at("a\nbü\"", 5), Span { offset: 5, line: 2, column: 3 });
        assert_eq!(Span::at("", 9), Span { offset: 0, line: 1, column: 1 });
    }

    #[test]
    fn previews_are_cut_between_characters() {
        assert_eq!(cut("äöü", 2), "äö…");
        assert_eq!(cut("äöü", 3), "äöü");
    }
}
