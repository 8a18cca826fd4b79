//! How far a repair may go: rules, and the presets that hold them.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A preset of rules. Each holds the one before: what a narrower policy accepts, a wider one accepts with the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Policy {
    /// Validate only.
    Strict,
    /// Lossless changes of representation that no careful reader would dispute.
    #[default]
    Narrow,
    /// `Narrow`, and the spelling of declared keys and neutral wrappers.
    Adapter,
    /// `Adapter`, and exact scalar conversions and relaxed JSON syntax.
    Lenient,
}

impl Policy {
    /// Every preset, from the narrowest to the widest.
    pub const ALL: &'static [Policy] = &[Policy::Strict, Policy::Narrow, Policy::Adapter, Policy::Lenient];

    /// The name of the preset.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Policy::Strict => "strict",
            Policy::Narrow => "narrow",
            Policy::Adapter => "adapter",
            Policy::Lenient => "lenient",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|policy| policy.as_str() == text).ok_or_else(|| {
            format!("unknown policy `{text}`: expected one of `strict`, `narrow`, `adapter`, `lenient`")
        })
    }
}

/// Defines [`Rule`]: name on the wire and the preset from which the rule is on.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $slug:literal $tier:ident,)+) => {
        /// What a repair did. The list is closed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule { $($(#[doc = $doc])+ $variant,)+ }

        impl Rule {
            /// Every rule, from the narrowest preset to the widest.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant,)+];

            /// The rule as it stands on the wire.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Rule::$variant => $slug,)+ }
            }

            /// The narrowest preset that has this rule.
            #[must_use]
            pub fn policy(self) -> Policy {
                match self { $(Rule::$variant => Policy::$tier,)+ }
            }
        }
    };
}

rules! {
    /// One value where only a list is wanted becomes a list of one.
    WrapInArray "wrap_in_array" Narrow,
    /// Text that is one complete JSON array or object is that value.
    ParseJsonString "parse_json_string" Narrow,
    /// One code fence around one JSON text.
    StripCodeFence "strip_code_fence" Narrow,
    /// No argument text, where no arguments are needed.
    EmptyToObject "empty_to_object" Narrow,
    /// `5.0` where only an integer is wanted is written as `5`.
    CanonicalInteger "canonical_integer" Narrow,
    /// A key that differs from one declared key in case, `-` and `_` only.
    RenameKey "rename_key" Adapter,
    /// A neutral envelope around the value.
    UnwrapObject "unwrap_object" Adapter,
    /// Words around the one JSON text.
    StripProse "strip_prose" Adapter,
    /// Trailing commas, comments, single quotes, unquoted keys, Python and JavaScript literals, raw control characters.
    RelaxedSyntax "relaxed_syntax" Lenient,
    /// Exact number text where a number is wanted.
    ParseNumber "parse_number" Lenient,
    /// `true` or `false` as text where a boolean is wanted.
    ParseBoolean "parse_boolean" Lenient,
    /// `null` as text where a string is impossible.
    ParseNull "parse_null" Lenient,
    /// A number in its shortest form where text is wanted.
    NumberToString "number_to_string" Lenient,
    /// `null` for a property that may be left out and may not be null.
    DropNull "drop_null" Lenient,
    /// `null` in place of arguments, where none is required.
    NullToObject "null_to_object" Lenient,
    /// A string that differs from one member in case, padding and separators only.
    FoldEnum "fold_enum" Lenient,
    /// A list of one where one value is wanted.
    UnwrapArray "unwrap_array" Lenient,
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
