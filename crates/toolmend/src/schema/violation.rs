//! What a value has against a schema, in one form whoever found it: the check of the plan or the `jsonschema` crate.

use serde_json::Value;

/// One keyword that a value fails.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Violation {
    pub(crate) kind: Kind,
    /// JSON Pointer to the value.
    pub(crate) instance: String,
    /// JSON Pointer to the keyword in the schema.
    pub(crate) schema: String,
}

/// Which keyword it is, and what it wants.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "authority"), allow(dead_code, reason = "what only the `jsonschema` crate tells"))]
pub(crate) enum Kind {
    /// `type`, by the names of the types.
    Type(Vec<String>),
    /// `enum`.
    Enum(Vec<Value>),
    Const(Value),
    /// The schema `false`.
    False,
    /// `minimum`, `maximum`, their exclusive forms, and `multipleOf`.
    Bound {
        keyword: &'static str,
        limit: Value,
    },
    /// The bounds of the length of text, arrays and objects.
    Size {
        keyword: &'static str,
        limit: u64,
    },
    /// `additionalItems: false`; the number of items that are allowed.
    AdditionalItems(u64),
    UnevaluatedItems,
    UniqueItems,
    Contains,
    Pattern(String),
    Format(String),
    ContentEncoding(String),
    ContentMediaType(String),
    /// Content that does not decode to text.
    NotUtf8,
    Required(String),
    /// The keys that are too many.
    AdditionalProperties(Vec<String>),
    UnevaluatedProperties(Vec<String>),
    PropertyNames(Box<Violation>),
    Not(Value),
    /// No branch of `anyOf` or `oneOf` fits; what each has against the value.
    NoBranch {
        keyword: &'static str,
        branches: Vec<Vec<Violation>>,
    },
    /// More than one branch of `oneOf` fits.
    SeveralBranches,
    /// Matching a `pattern` takes too much work.
    PatternWork,
    Other(String),
}

impl Kind {
    /// The keyword as an issue names it.
    pub(crate) fn keyword(&self) -> &str {
        match self {
            Self::Type(_) => "type",
            Self::Enum(_) => "enum",
            Self::Const(_) => "const",
            Self::False => "falseSchema",
            Self::Bound { keyword, .. } | Self::Size { keyword, .. } | Self::NoBranch { keyword, .. } => keyword,
            Self::AdditionalItems(_) => "additionalItems",
            Self::UnevaluatedItems => "unevaluatedItems",
            Self::UniqueItems => "uniqueItems",
            Self::Contains => "contains",
            Self::Pattern(_) | Self::PatternWork => "pattern",
            Self::Format(_) => "format",
            Self::ContentEncoding(_) | Self::NotUtf8 => "contentEncoding",
            Self::ContentMediaType(_) => "contentMediaType",
            Self::Required(_) => "required",
            Self::AdditionalProperties(_) => "additionalProperties",
            Self::UnevaluatedProperties(_) => "unevaluatedProperties",
            Self::PropertyNames(_) => "propertyNames",
            Self::Not(_) => "not",
            Self::SeveralBranches => "oneOf",
            Self::Other(keyword) => keyword,
        }
    }
}
