//! How far a repair may go: rules, and the presets that hold them.

use std::collections::BTreeMap;
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
        Self::ALL
            .iter()
            .copied()
            .find(|policy| policy.as_str() == text)
            .ok_or_else(|| format!("unknown policy `{text}`: expected one of `strict`, `narrow`, `adapter`, `lenient`"))
    }
}

/// Defines [`Rule`]: name on the wire and the preset from which the rule is on; `Host` rules are in none.
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

            /// The narrowest preset that has this rule; `None` for a rule that only a host asks for.
            #[must_use]
            pub fn preset(self) -> Option<Policy> {
                match self { $(Rule::$variant => rules!(@preset $tier),)+ }
            }
        }
    };
    (@preset Host) => { None };
    (@preset $tier:ident) => { Some(Policy::$tier) };
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
    /// A value or key that the host has a name of its own for.
    Alias "alias" Host,
    /// The schema's `default` for a property that was left out.
    ApplyDefault "apply_default" Host,
    /// A property that a closed object does not declare is left out. The only rule that loses something.
    DropUnknown "drop_unknown" Host,
    /// `null` for a required property that was left out and may be null.
    NullForMissing "null_for_missing" Host,
}

impl Rule {
    /// Where the rule stands among the tiers that decide between readings. What the host asks for comes first.
    pub(crate) fn tier(self) -> Policy {
        self.preset().unwrap_or(Policy::Strict)
    }
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|rule| rule.as_str() == text).ok_or_else(|| {
            let near = nearest(text, Self::ALL.iter().map(|rule| rule.as_str()));
            format!("unknown rule `{text}`{near}")
        })
    }
}

/// `: did you mean ...?` for the most similar name, nothing where none is similar.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> String {
    let score = |name: &str| strsim::normalized_damerau_levenshtein(text, name);
    names
        .map(|name| (score(name), name))
        .filter(|(score, _)| *score >= 0.5)
        .max_by(|one, two| one.0.total_cmp(&two.0).then(two.1.cmp(one.1)))
        .map(|(_, name)| format!(": did you mean `{name}`?"))
        .unwrap_or_default()
}

/// Which rules are on: a preset, and single rules switched beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    preset: Policy,
    switched: BTreeMap<Rule, bool>,
}

impl Rules {
    pub(crate) fn preset(&self) -> Policy {
        self.preset
    }

    pub(crate) fn set_preset(&mut self, preset: Policy) {
        self.preset = preset;
    }

    pub(crate) fn switch(&mut self, rule: Rule, on: bool) {
        self.switched.insert(rule, on);
    }

    /// No further than `preset`, and no rule switched on beside it.
    pub(crate) fn limit(&mut self, preset: Policy) {
        self.preset = self.preset.min(preset);
        self.switched.retain(|_, on| !*on);
    }

    /// Whether a rule was switched on or off by itself.
    pub(crate) fn switched(&self, rule: Rule) -> Option<bool> {
        self.switched.get(&rule).copied()
    }

    /// Whether a rule is on, where it takes at least the preset `from`.
    pub(crate) fn allow(&self, rule: Rule, from: Policy) -> bool {
        self.switched(rule).unwrap_or_else(|| rule.preset().is_some() && self.preset >= from)
    }

    /// Whether any rule is on that mends values.
    pub(crate) fn any(&self) -> bool {
        self.preset > Policy::Strict || self.switched.values().any(|on| *on)
    }
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
