//! Sets of JSON types.

use serde_json::Value;

use crate::document::{Content, Document, NodeId};
use crate::text::number;

/// A set of JSON types; `INTEGER` and `FRACTION` together are what JSON Schema calls `number`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const CONTAINERS: Self = Self(32 | 64);
    pub(crate) const ALL: Self = Self(127);

    #[inline]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two sets share a type.
    #[inline]
    pub(crate) const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The set that a `type` keyword names.
    pub(crate) fn named(keyword: &Value) -> Self {
        match keyword {
            Value::String(name) => Self::of_name(name),
            Value::Array(names) => {
                names.iter().filter_map(Value::as_str).fold(Self::NONE, |types, name| types.or(Self::of_name(name)))
            }
            _ => Self::ALL,
        }
    }

    fn of_name(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            // `any` of draft 3, and what a custom vocabulary may add.
            _ => Self::ALL,
        }
    }

    /// The type of one member of an `enum`.
    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) => Self::of_number(&number.to_string()),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    /// The type of a node.
    #[inline]
    pub(crate) fn of_node(document: &Document<'_>, id: NodeId) -> Self {
        match document.content(id) {
            Content::Null => Self::NULL,
            Content::Bool(_) => Self::BOOLEAN,
            Content::Number(slice) => Self::of_number(document.slice(slice)),
            Content::String(_) => Self::STRING,
            Content::Array(_) => Self::ARRAY,
            Content::Object(_) => Self::OBJECT,
        }
    }

    #[inline]
    fn of_number(text: &str) -> Self {
        let whole = number::is_plain(text) || number::is_whole(text);
        if whole { Self::INTEGER } else { Self::FRACTION }
    }

    /// The names that JSON Schema has for the set.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for (types, name) in [
            (Self::ARRAY, "array"),
            (Self::BOOLEAN, "boolean"),
            (Self::NULL, "null"),
            (Self::OBJECT, "object"),
            (Self::STRING, "string"),
        ] {
            if self.meets(types) {
                names.push(name);
            }
        }
        match (self.meets(Self::INTEGER), self.meets(Self::FRACTION)) {
            (_, true) => names.push("number"),
            (true, false) => names.push("integer"),
            (false, false) => {}
        }
        names.sort_unstable();
        names
    }
}
