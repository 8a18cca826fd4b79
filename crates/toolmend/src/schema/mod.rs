//! A tool's schema, compiled: the authority that judges every value, and the plan that the repair walks.

pub(crate) mod assertion;
#[cfg(feature = "authority")]
mod authority;
mod builder;
mod check;
mod dialect;
mod draft;
pub(crate) mod format;
pub(crate) mod pattern;
pub(crate) mod plan;
mod references;
pub(crate) mod tool;
mod types;
pub(crate) mod violation;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub(crate) use plan::{Plan, SchemaId};
pub(crate) use types::Types;

#[cfg(feature = "authority")]
use authority::Authority;
use violation::Violation;

use crate::collections::map;
use crate::digest;
use crate::document::{Document, NodeId, quoted};
use crate::options::Judge;
use crate::pointer::Pointer;
use crate::text::number;

/// Why a schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    path: String,
    message: String,
    /// Whether an option is at fault rather than the schema.
    option: bool,
    /// Whether nothing is wrong with the schema, but the whole library is needed to understand it.
    beyond: bool,
}

impl SchemaError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), option: false, beyond: false }
    }

    /// A schema that takes the `jsonschema` crate, where that is not built in.
    #[cfg(not(feature = "authority"))]
    pub(crate) fn beyond() -> Self {
        let message = "this build of toolmend has no full validator, which the schema needs".to_owned();
        Self { path: String::new(), message, option: false, beyond: true }
    }

    /// Whether it takes a build with the feature `authority` to tell if anything is wrong with the schema.
    #[must_use]
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// An option that does not go with the schema.
    pub(crate) fn option(message: String) -> Self {
        Self { path: String::new(), message, option: true, beyond: false }
    }

    /// JSON Pointer (RFC 6901) to the place in the schema or definition.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong there.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.option {
            return write!(formatter, "invalid options: {}", self.message);
        }
        let place = if self.path.is_empty() { "the schema" } else { &self.path };
        write!(formatter, "invalid schema at {place}: {}", self.message)
    }
}

impl std::error::Error for SchemaError {}

/// A compiled schema.
pub(crate) struct Schema {
    root: Value,
    plan: OnceLock<Plan>,
    #[cfg(feature = "authority")]
    judged: Judged,
}

/// What the `jsonschema` crate is asked with.
#[cfg(feature = "authority")]
struct Judged {
    documents: BTreeMap<String, Value>,
    assert_formats: bool,
    /// Compiled with the schema, unless the plan is exact: then when a repair first asks.
    authority: OnceLock<Option<Authority>>,
    formats: OnceLock<Option<Authority>>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Schema").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Schema {
    /// Compiles `schema`, which stands at `at` in what the host gave.
    #[inline(never)]
    pub(crate) fn compile(
        mut schema: Value,
        at: &Pointer,
        documents: &BTreeMap<String, Value>,
        assert_formats: bool,
        judge: Judge,
    ) -> Result<Self, SchemaError> {
        if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
            return Err(SchemaError::new(at.clone(), "a schema is an object or a boolean"));
        }
        if let Some(place) = number::beyond_doubles(&schema) {
            return Err(SchemaError::new(format!("{at}{place}"), "no double can hold this number"));
        }
        dialect::translate(&mut schema);
        let by_plan = judge == Judge::Plan && documents.is_empty();
        let plan = by_plan.then(|| Plan::exact(&schema, assert_formats)).flatten();
        Self::judged(schema, plan, at, documents, assert_formats)
    }

    #[cfg(feature = "authority")]
    fn judged(
        root: Value,
        plan: Option<Plan>,
        at: &Pointer,
        documents: &BTreeMap<String, Value>,
        assert_formats: bool,
    ) -> Result<Self, SchemaError> {
        let mut documents = documents.clone();
        documents.values_mut().for_each(dialect::translate);
        let authority = match &plan {
            Some(_) => OnceLock::new(),
            None => OnceLock::from(Some(Authority::compile(&root, at, &documents, assert_formats)?)),
        };
        let plan = plan.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Self { root, plan, judged: Judged { documents, assert_formats, authority, formats: OnceLock::new() } })
    }

    #[cfg(not(feature = "authority"))]
    fn judged(
        root: Value,
        plan: Option<Plan>,
        _: &Pointer,
        _: &BTreeMap<String, Value>,
        _: bool,
    ) -> Result<Self, SchemaError> {
        let plan = plan.filter(|plan| !plan.has_other_formats()).ok_or_else(SchemaError::beyond)?;
        Ok(Self { root, plan: OnceLock::from(plan) })
    }

    /// The first 64 bits of SHA-256 over the schema with its keys in order, in hexadecimal: equal for equal schemas.
    pub(crate) fn fingerprint(&self) -> String {
        let mut text = String::new();
        write_sorted(&self.root, &mut text);
        digest::hex(Sha256::digest(text.as_bytes()).get(..8).unwrap_or_default())
    }

    /// The schema as it was compiled.
    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// The plan, if it holds all that the schema demands.
    pub(crate) fn exact_plan(&self) -> Option<&Plan> {
        self.plan.get().filter(|plan| plan.is_exact())
    }

    /// Whether the plan holds all that the schema demands, and all its formats.
    pub(crate) fn is_within_plan(&self) -> bool {
        self.plan.get().is_some_and(|plan| plan.is_exact() && !plan.has_other_formats())
    }

    /// The verdict on a value under the whole schema.
    pub(crate) fn accepts(&self, document: &Document<'_>, id: NodeId) -> bool {
        #[cfg(feature = "authority")]
        if let Some(authority) = self.judged.inexact(&self.plan) {
            return authority.accepts(document, id);
        }
        let plan = self.plan();
        plan.accepts(plan.root(), document, id)
    }

    /// The verdict on a value that a repair made: the `jsonschema` crate has the last word. `accepted` says that the plan
    /// has accepted it already.
    pub(crate) fn confirms(&self, document: &Document<'_>, id: NodeId, accepted: bool) -> bool {
        #[cfg(feature = "authority")]
        if let Some(authority) = self.judged.authority(&self.root)
            && !authority.accepts(document, id)
        {
            return false;
        }
        accepted && self.exact_plan().is_some() || self.accepts(document, id)
    }

    /// What there is against a value; at most `most` violations.
    pub(crate) fn violations(&self, document: &Document<'_>, id: NodeId, most: usize) -> Vec<Violation> {
        #[cfg(feature = "authority")]
        if let Some(authority) = self.judged.inexact(&self.plan) {
            return authority.violations(document, id, most);
        }
        let plan = self.plan();
        plan.told(plan.root(), document, id, plan.asserts_formats(), most)
    }

    /// What there would be if formats were asserted; nothing where they are already.
    pub(crate) fn format_violations(&self, document: &Document<'_>, id: NodeId, most: usize) -> Vec<Violation> {
        let plan = self.plan();
        if plan.asserts_formats() {
            return Vec::new();
        }
        #[cfg(feature = "authority")]
        if !plan.is_exact() || plan.has_other_formats() {
            let formats = self.judged.formats(&self.root);
            return formats.map(|authority| authority.violations(document, id, most)).unwrap_or_default();
        }
        if plan.has_formats() { plan.told(plan.root(), document, id, true, most) } else { Vec::new() }
    }

    /// The plan; for a schema of which the `jsonschema` crate knows more it is built when the first call needs it.
    pub(crate) fn plan(&self) -> &Plan {
        #[cfg(feature = "authority")]
        return self.plan.get_or_init(|| Plan::build(&self.root, &self.judged.documents, self.judged.assert_formats));
        #[cfg(not(feature = "authority"))]
        self.plan.get_or_init(Plan::open)
    }
}

#[cfg(feature = "authority")]
impl Judged {
    /// The `jsonschema` crate's validator.
    fn authority(&self, root: &Value) -> Option<&Authority> {
        let compile = || Authority::compile(root, &Pointer::root(), &self.documents, self.assert_formats).ok();
        self.authority.get_or_init(compile).as_ref()
    }

    /// The same, where the plan does not hold all that the schema demands.
    fn inexact(&self, plan: &OnceLock<Plan>) -> Option<&Authority> {
        match plan.get() {
            Some(plan) if plan.is_exact() => None,
            _ => self.authority.get()?.as_ref(),
        }
    }

    /// A validator that asserts formats.
    fn formats(&self, root: &Value) -> Option<&Authority> {
        let compile = || {
            mentions(root, "format")
                .then(|| Authority::compile(root, &Pointer::root(), &self.documents, true).ok())
                .flatten()
        };
        self.formats.get_or_init(compile).as_ref()
    }
}

/// JSON text with the members of every object in the order of their names.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let sorted = map(object);
            out.push('{');
            for (key, value) in sorted {
                out.push_str(&quoted(key));
                out.push(':');
                write_sorted(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Whether a schema has the keyword anywhere.
#[cfg(feature = "authority")]
fn mentions(schema: &Value, keyword: &str) -> bool {
    match schema {
        Value::Object(object) => object.contains_key(keyword) || object.values().any(|value| mentions(value, keyword)),
        Value::Array(items) => items.iter().any(|item| mentions(item, keyword)),
        _ => false,
    }
}
