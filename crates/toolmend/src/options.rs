//! What `compile` is told beside the schema, by method or as one JSON object that every host passes on.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use crate::contract::{Contract, Limits};
use crate::policy::{Policy, Rule, Rules, nearest};
use crate::property::Property;
use crate::redact::Redact;
use crate::schema::SchemaError;
use crate::tools::Effect;

/// What becomes of keys that an object with declared properties does not speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undeclared {
    /// They are valid, as JSON Schema has it, and each gives a warning.
    #[default]
    Warn,
    /// The object is read as closed: such a key is renamed or refused.
    Refuse,
}

/// What [`compile`](Options::compile) is told beside the schema.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub(crate) rules: Rules,
    pub(crate) name: Option<String>,
    pub(crate) undeclared: Undeclared,
    pub(crate) assert_formats: bool,
    pub(crate) documents: BTreeMap<String, Value>,
    pub(crate) limits: Limits,
    pub(crate) properties: BTreeMap<String, Property>,
    pub(crate) redact: Redact,
    pub(crate) judge: Judge,
}

/// Who judges a value where both can: they agree, and tests hold them to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Judge {
    #[default]
    Plan,
    #[cfg(feature = "authority")]
    Authority,
}

/// An option that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionsError(String);

impl fmt::Display for OptionsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for OptionsError {}

impl From<String> for OptionsError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl Options {
    /// The defaults: policy `narrow`, undeclared keys and formats as warnings, no further documents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How far a repair may go.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.rules.set_preset(policy);
        self
    }

    /// What is said of all tools, so that it widens no repair of a tool with that effect: what may destroy is never
    /// repaired beyond [`Policy::Narrow`], nor by a rule that is switched on by itself.
    #[must_use]
    pub fn within(mut self, effect: Option<Effect>) -> Self {
        if effect == Some(Effect::Destructive) {
            self.rules.limit(Policy::Narrow);
        }
        self
    }

    /// Switches one rule on or off, whatever the policy has.
    #[must_use]
    pub fn rule(mut self, rule: Rule, on: bool) -> Self {
        self.rules.switch(rule, on);
        self
    }

    /// What holds for the property at `pattern` only: a JSON Pointer into the arguments, with declared names, and `*`
    /// for any index or any key of a map.
    #[must_use]
    pub fn property(mut self, pattern: impl Into<String>, property: Property) -> Self {
        self.properties.insert(pattern.into(), property);
        self
    }

    /// The tool's own name, if the schema does not come with it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What becomes of keys that an object with declared properties does not speak of.
    #[must_use]
    pub fn undeclared(mut self, undeclared: Undeclared) -> Self {
        self.undeclared = undeclared;
        self
    }

    /// Whether a string without its `format` is refused; by default it is a warning.
    #[must_use]
    pub fn assert_formats(mut self, yes: bool) -> Self {
        self.assert_formats = yes;
        self
    }

    /// A document that a `$ref` may reach under `uri`. Nothing is ever fetched.
    #[must_use]
    pub fn document(mut self, uri: impl Into<String>, schema: Value) -> Self {
        self.documents.insert(uri.into(), schema);
        self
    }

    /// Other limits than the default ones.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits.within_bounds();
        self
    }

    /// What of the input is kept out of everything that is told about a call: issues, feedback, repairs. Properties that
    /// the schema marks (`x-sensitive: true`, `writeOnly: true`, `format: password`) always are.
    #[must_use]
    pub fn redact(mut self, redact: Redact) -> Self {
        self.redact = redact;
        self
    }

    /// Lets the `jsonschema` crate judge every value, for tests that compare: the outcomes are the same.
    #[cfg(feature = "authority")]
    #[doc(hidden)]
    #[must_use]
    pub fn judged_by_jsonschema(mut self) -> Self {
        self.judge = Judge::Authority;
        self
    }

    /// Compiles a JSON Schema (drafts 4 to 2020-12), or a tool definition in the shape of `OpenAI`, Anthropic, Gemini or
    /// MCP.
    ///
    /// # Errors
    ///
    /// A [`SchemaError`] that says where and why: what is no schema, a `pattern` that is no regular expression, a
    /// `$ref` that leads nowhere or to a document that was not handed in; or options that cannot be meant for this
    /// schema: a pointer that no place matches, an alias chain, an alias for a value that the schema does not allow.
    pub fn compile(&self, definition: &Value) -> Result<Contract, SchemaError> {
        Contract::compile(self, definition)
    }

    /// Reads options from JSON, in the one shape that the hosts share:
    ///
    /// ```text
    /// {"policy": "narrow", "rules": {rule: bool}, "name": "...", "undeclared": "warn" | "refuse",
    ///  "formats": "warn" | "assert", "schemas": {uri: schema}, "limits": {"bytes", "depth", "work", "issues", "readings"},
    ///  "redact": {"values": bool, "keys": bool, "properties": [pattern]},
    ///  "overrides": {pattern: {"rules": {rule: bool}, "single_item": bool, "aliases": {value: canonical},
    ///                          "other": canonical, "keys": {alias: key}}}}
    /// ```
    ///
    /// A member that is `null` counts as left out.
    ///
    /// ```
    /// let options = toolmend::Options::from_json(&serde_json::json!({"policy": "lenient", "rules": {"drop_null": false}}))?;
    /// assert!(toolmend::Options::from_json(&serde_json::json!({"polcy": "lenient"})).is_err());
    /// # Ok::<(), toolmend::OptionsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An [`OptionsError`] for an unknown option, rule or policy, with a suggestion, and for a value of the wrong type.
    pub fn from_json(json: &Value) -> Result<Self, OptionsError> {
        let mut options = Self::new();
        for (name, value) in object(json, "the options")? {
            options = options.with(name, value)?;
        }
        Ok(options)
    }

    #[inline(never)]
    fn with(mut self, name: &str, value: &Value) -> Result<Self, OptionsError> {
        const NAMES: [&str; 9] =
            ["policy", "rules", "name", "undeclared", "formats", "schemas", "limits", "overrides", "redact"];
        if value.is_null() {
            return if NAMES.contains(&name) { Ok(self) } else { Err(unknown("option", name, &NAMES)) };
        }
        match name {
            "policy" => Ok(self.policy(string(value, name)?.parse::<Policy>()?)),
            "rules" => {
                for (rule, on) in object(value, name)? {
                    self.rules.switch(rule.parse()?, boolean(on, rule)?);
                }
                Ok(self)
            }
            "name" => Ok(self.name(string(value, name)?)),
            "undeclared" => match string(value, name)? {
                "warn" => Ok(self.undeclared(Undeclared::Warn)),
                "refuse" => Ok(self.undeclared(Undeclared::Refuse)),
                other => Err(format!("`undeclared` is `warn` or `refuse`, not `{other}`").into()),
            },
            "formats" => match string(value, name)? {
                "warn" => Ok(self.assert_formats(false)),
                "assert" => Ok(self.assert_formats(true)),
                other => Err(format!("`formats` is `warn` or `assert`, not `{other}`").into()),
            },
            "schemas" => {
                for (uri, schema) in object(value, name)? {
                    self.documents.insert(uri.clone(), schema.clone());
                }
                Ok(self)
            }
            "limits" => {
                let mut limits = self.limits;
                for (limit, value) in object(value, name)? {
                    *limits.named(limit)? = count(value, limit)?;
                }
                Ok(self.limits(limits))
            }
            "overrides" => {
                for (pattern, property) in object(value, name)? {
                    self.properties.insert(pattern.clone(), Property::from_json(pattern, property)?);
                }
                Ok(self)
            }
            "redact" => {
                for (part, value) in object(value, name)? {
                    match part.as_str() {
                        "values" => self.redact.values = boolean(value, part)?,
                        "keys" => self.redact.keys = boolean(value, part)?,
                        "properties" => {
                            let patterns = value.as_array().ok_or_else(|| "`properties` must be a list".to_owned())?;
                            for pattern in patterns {
                                self.redact.properties.push(string(pattern, "properties")?.to_owned());
                            }
                        }
                        other => return Err(unknown("part of `redact`", other, &["values", "keys", "properties"])),
                    }
                }
                Ok(self)
            }
            other => Err(unknown("option", other, &NAMES)),
        }
    }
}

pub(crate) fn unknown(what: &str, name: &str, names: &[&str]) -> OptionsError {
    let near = nearest(name, names.iter().copied());
    if near.is_empty() {
        return format!("unknown {what} `{name}`: there are `{}`", names.join("`, `")).into();
    }
    format!("unknown {what} `{name}`{near}").into()
}

pub(crate) fn object<'v>(value: &'v Value, name: &str) -> Result<&'v Map<String, Value>, OptionsError> {
    value
        .as_object()
        .ok_or_else(|| format!("`{name}` must be an object").replace("`the options`", "the options").into())
}

pub(crate) fn string<'v>(value: &'v Value, name: &str) -> Result<&'v str, OptionsError> {
    value.as_str().ok_or_else(|| format!("`{name}` must be a string").into())
}

pub(crate) fn boolean(value: &Value, name: &str) -> Result<bool, OptionsError> {
    value.as_bool().ok_or_else(|| format!("`{name}` must be true or false").into())
}

fn count(value: &Value, name: &str) -> Result<usize, OptionsError> {
    let digits =
        value.as_number().map(ToString::to_string).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    // More than the machine can count is no limit at all.
    let count = digits.map(|digits| digits.parse().unwrap_or(usize::MAX));
    count.ok_or_else(|| format!("`{name}` must be a whole number, 0 or more").into())
}
