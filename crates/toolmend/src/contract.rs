//! `compile`: a schema and options become a contract, once per tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::document::Document;
use crate::outcome::Outcome;
use crate::policy::Policy;
use crate::repair::{self, Finish};
use crate::schema::{Schema, SchemaError, tool};

/// Where the work on one call ends. Every limit that is passed gives a typed issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest argument text in bytes (`size_limit`); at most 2 GiB.
    pub bytes: usize,
    /// Deepest nesting of arrays and objects (`depth_limit`); at most 512.
    pub depth: usize,
    /// Places that the repair may visit for one call, each branch of a union counted (`work_limit`).
    pub work: usize,
    /// Most issues that are reported.
    pub issues: usize,
    /// Most readings that an `ambiguous` issue lists.
    pub readings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 8 << 20, depth: 128, work: 20_000, issues: 100, readings: 8 }
    }
}

impl Limits {
    /// The deepest nesting that can be asked for: validation recurses once a level.
    pub const MAX_DEPTH: usize = 512;

    fn within_bounds(self) -> Self {
        Self { bytes: self.bytes.min((u32::MAX / 4) as usize), depth: self.depth.min(Self::MAX_DEPTH), ..self }
    }
}

/// What [`compile`](Options::compile) is told beside the schema.
#[derive(Debug, Clone, Default)]
pub struct Options {
    policy: Policy,
    name: Option<String>,
    assert_formats: bool,
    documents: BTreeMap<String, Value>,
    limits: Limits,
}

impl Options {
    /// The defaults: policy `narrow`, formats as warnings, no further documents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How far a repair may go.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The tool's own name, if the schema does not come with it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
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

    /// Compiles a JSON Schema (drafts 4 to 2020-12), or a tool definition in the shape of OpenAI, Anthropic, Gemini or
    /// MCP.
    ///
    /// # Errors
    ///
    /// A [`SchemaError`] that says where and why: what is no schema, a `pattern` that is no regular expression, a
    /// `$ref` that leads nowhere or to a document that was not handed in.
    pub fn compile(&self, definition: &Value) -> Result<Contract, SchemaError> {
        let tool = tool::read(definition)?;
        let schema = Schema::compile(&tool.schema, &tool.at, &self.documents, self.assert_formats)?;
        Ok(Contract {
            inner: Arc::new(Inner {
                schema,
                policy: self.policy,
                name: self.name.clone().or(tool.name),
                strict_dialect: tool.strict,
                limits: self.limits,
            }),
        })
    }
}

/// A compiled tool schema. Cheap to clone, and free to be shared between threads.
#[derive(Debug, Clone)]
pub struct Contract {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) schema: Schema,
    pub(crate) policy: Policy,
    pub(crate) name: Option<String>,
    /// The tool's definition says `strict: true`: its dialect makes the model send `null` for what it leaves out.
    pub(crate) strict_dialect: bool,
    pub(crate) limits: Limits,
}

impl Contract {
    /// Repairs the raw argument text of one call.
    #[must_use]
    pub fn repair<'t>(&self, text: &'t str) -> Outcome<'t> {
        repair::text(&self.inner, text)
    }

    /// Repairs raw argument bytes: text in UTF-8.
    #[must_use]
    pub fn repair_bytes<'t>(&self, bytes: &'t [u8]) -> Outcome<'t> {
        repair::bytes(&self.inner, bytes)
    }

    /// Repairs arguments that the host holds as data already.
    #[must_use]
    pub fn repair_document<'t>(&self, document: Document<'t>) -> Outcome<'t> {
        repair::document(&self.inner, document)
    }

    /// Repairs a call that came with no arguments at all.
    #[must_use]
    pub fn repair_missing(&self) -> Outcome<'static> {
        repair::text(&self.inner, "")
    }

    /// Repairs argument text that the host knows the end of: text that was cut is refused whatever it looks like.
    #[must_use]
    pub fn repair_finished<'t>(&self, text: &'t str, finish: Finish) -> Outcome<'t> {
        match finish {
            Finish::Complete => self.repair(text),
            Finish::Length => repair::cut(text),
        }
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.inner.policy
    }

    /// The tool's own name, where it is known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.inner.name.as_deref()
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.inner.limits
    }
}
