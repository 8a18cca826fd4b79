//! What a host says of one property: rules, aliases, and whether text there is always one item.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::options::{OptionsError, boolean, object, string, unknown};
use crate::policy::Rule;

/// What holds for one property (or place) of the arguments only.
#[derive(Debug, Clone, Default)]
pub struct Property {
    pub(crate) rules: BTreeMap<Rule, bool>,
    pub(crate) single_item: bool,
    pub(crate) aliases: BTreeMap<String, Value>,
    pub(crate) other: Option<Value>,
    pub(crate) keys: BTreeMap<String, String>,
}

impl Property {
    /// Nothing special.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Switches one rule on or off here, whatever holds elsewhere.
    #[must_use]
    pub fn rule(mut self, rule: Rule, on: bool) -> Self {
        self.rules.insert(rule, on);
        self
    }

    /// Text that is wrapped here is always one item, whatever separators it holds.
    #[must_use]
    pub fn single_item(mut self, yes: bool) -> Self {
        self.single_item = yes;
        self
    }

    /// The text `value` stands for `canonical` here. Applied before validation.
    #[must_use]
    pub fn alias(mut self, value: impl Into<String>, canonical: Value) -> Self {
        self.aliases.insert(value.into(), canonical);
        self
    }

    /// Any other text that the schema does not allow here stands for `canonical`.
    #[must_use]
    pub fn alias_others(mut self, canonical: Value) -> Self {
        self.other = Some(canonical);
        self
    }

    /// In the object here, the key `alias` stands for the declared key `key`.
    #[must_use]
    pub fn key_alias(mut self, alias: impl Into<String>, key: impl Into<String>) -> Self {
        self.keys.insert(alias.into(), key.into());
        self
    }

    /// Whether it may change a value or key that is valid.
    pub(crate) fn rewrites(&self) -> bool {
        !self.aliases.is_empty() || !self.keys.is_empty()
    }

    pub(crate) fn from_json(pattern: &str, json: &Value) -> Result<Self, OptionsError> {
        const NAMES: [&str; 5] = ["rules", "single_item", "aliases", "other", "keys"];
        let mut property = Self::new();
        for (name, value) in object(json, pattern)? {
            match name.as_str() {
                "rules" => {
                    for (rule, on) in object(value, name)? {
                        property.rules.insert(rule.parse()?, boolean(on, rule)?);
                    }
                }
                "single_item" => property.single_item = boolean(value, name)?,
                "aliases" => {
                    for (alias, canonical) in object(value, name)? {
                        property.aliases.insert(alias.clone(), canonical.clone());
                    }
                }
                "other" => property.other = Some(value.clone()),
                "keys" => {
                    for (alias, key) in object(value, name)? {
                        property.keys.insert(alias.clone(), string(key, alias)?.to_owned());
                    }
                }
                other => return Err(unknown("setting of a property", other, &NAMES)),
            }
        }
        Ok(property)
    }
}

/// Why settings contradict each other, if they do: an alias for what is an alias itself at a place that both patterns
/// match.
pub(crate) fn chain(properties: &[(Vec<String>, Property)]) -> Option<String> {
    for (pattern, property) in properties {
        for (other_pattern, other) in properties.iter().filter(|(other, _)| overlap(pattern, other)) {
            let place = || format!("/{}", other_pattern.join("/"));
            let values = property.aliases.values().chain(&property.other).filter_map(Value::as_str);
            if let Some(value) = values.into_iter().find(|value| other.aliases.contains_key(*value)) {
                return Some(format!(
                    "alias chain at `{}`: `{value}` is the canonical value of an alias and an alias itself; map each alias to its last value",
                    place()
                ));
            }
            if let Some(key) = property.keys.values().find(|key| other.keys.contains_key(*key)) {
                return Some(format!(
                    "alias chain at `{}`: the key `{key}` is an alias and has aliases; map each alias to the declared key",
                    place()
                ));
            }
        }
    }
    None
}

/// Whether two patterns can match one place.
fn overlap(one: &[String], two: &[String]) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one == two || one == "*" || two == "*")
}
