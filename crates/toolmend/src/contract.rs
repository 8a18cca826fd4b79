//! `compile`: a schema and options become a contract, once per tool.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::Value;

use crate::certain::{Program, Sink};
use crate::document::Document;
use crate::hints;
use crate::issue::Issue;
use crate::options::{Options, OptionsError, Undeclared, unknown};
use crate::outcome::Outcome;
use crate::pointer::{Pointer, tokens};
use crate::policy::{Policy, Rule, Rules};
use crate::property::{self, Property};
use crate::redact::{Redact, Redaction};
use crate::repair::{self, Finish, Path};
use crate::schema::{Schema, SchemaError, tool};
use crate::text::number;

/// Where the work on one call ends. Every limit that is passed gives a typed issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Longest argument text in bytes (`size_limit`); at most 1 GiB.
    pub bytes: usize,
    /// Deepest nesting of arrays and objects (`depth_limit`); at most 256.
    pub depth: usize,
    /// Values that the repair may look at for one call: a value is counted each time it is judged, once for every branch
    /// of a union (`work_limit`).
    pub work: usize,
    /// Most issues that are reported.
    pub issues: usize,
    /// Most readings that an `ambiguous` issue lists.
    pub readings: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 8 << 20, depth: 128, work: 4_000_000, issues: 100, readings: 8 }
    }
}

impl Limits {
    /// The deepest nesting that can be asked for: validation recurses once a level.
    pub const MAX_DEPTH: usize = 256;

    pub(crate) fn within_bounds(self) -> Self {
        Self {
            bytes: self.bytes.min((u32::MAX / 4) as usize),
            depth: self.depth.min(Self::MAX_DEPTH),
            // A refusal is never without a reason.
            issues: self.issues.max(1),
            ..self
        }
    }

    pub(crate) fn named(&mut self, name: &str) -> Result<&mut usize, OptionsError> {
        match name {
            "bytes" => Ok(&mut self.bytes),
            "depth" => Ok(&mut self.depth),
            "work" => Ok(&mut self.work),
            "issues" => Ok(&mut self.issues),
            "readings" => Ok(&mut self.readings),
            other => Err(unknown("limit", other, &["bytes", "depth", "work", "issues", "readings"])),
        }
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
    pub(crate) rules: Rules,
    pub(crate) name: Option<String>,
    pub(crate) undeclared: Undeclared,
    /// The tool's definition says `strict: true`: its dialect makes the model send `null` for what it leaves out.
    pub(crate) strict_dialect: bool,
    pub(crate) limits: Limits,
    /// What holds for single places, by the tokens of their pattern.
    pub(crate) properties: Vec<(Vec<String>, Property)>,
    redact: Redact,
    redaction: OnceLock<Redaction>,
    certain: OnceLock<Option<Program>>,
}

impl Inner {
    /// What of the input is not echoed.
    pub(crate) fn redaction(&self) -> &Redaction {
        self.redaction.get_or_init(|| Redaction::new(&self.redact, self.schema.plan()))
    }

    /// Whether the host asked for something that may change what is valid, so that every value is walked.
    pub(crate) fn rewrites_valid(&self) -> bool {
        self.undeclared == Undeclared::Refuse
            || [Rule::ApplyDefault, Rule::DropUnknown, Rule::NullForMissing].iter().any(|rule| self.has_anywhere(*rule))
            || self.properties.iter().any(|(_, property)| property.rewrites())
    }

    /// What the host says of a place.
    pub(crate) fn settings(&self, path: &Path) -> impl Iterator<Item = &Property> {
        let matching = self.properties.iter().filter(|(pattern, _)| path.matches(pattern));
        matching.map(|(_, property)| property)
    }

    /// Whether a rule is on at a place, where it takes at least the preset `from`.
    pub(crate) fn allows(&self, rule: Rule, from: Policy, path: &Path) -> bool {
        let here = self.settings(path).find_map(|property| property.rules.get(&rule).copied());
        here.unwrap_or_else(|| self.rules.allow(rule, from))
    }

    fn has_anywhere(&self, rule: Rule) -> bool {
        self.rules.switched(rule) == Some(true)
            || self.properties.iter().any(|(_, property)| property.rules.get(&rule) == Some(&true))
    }

    /// What is plainly valid; `None` where that cannot be told without the long way.
    pub(crate) fn certain(&self) -> Option<&Program> {
        let program = || {
            let plan = self.schema.exact_plan().filter(|_| !self.rewrites_valid())?;
            Some(Program::new(plan))
        };
        self.certain.get_or_init(program).as_ref()
    }

    /// Whether text is plainly valid; the sink is told of its values.
    pub(crate) fn is_plain<S: Sink>(&self, text: &str, sink: &mut S) -> bool {
        let program = self.certain().filter(|_| text.len() <= self.limits.bytes);
        program.is_some_and(|program| program.check_text(text, self.limits.depth, sink).is_ok())
    }

    /// Whether there is anything to do beside validation.
    pub(crate) fn repairs(&self) -> bool {
        self.rules.any()
            || self.rewrites_valid()
            || self.properties.iter().any(|(_, property)| !property.rules.is_empty() || property.other.is_some())
    }
}

/// A schema that may be given as JSON text, so that a host keeps every digit of it.
#[inline(never)]
fn read<'v>(value: &'v Value, what: &str) -> Result<Cow<'v, Value>, SchemaError> {
    match value {
        Value::String(text) => serde_json::from_str(text)
            .map(Cow::Owned)
            .map_err(|error| SchemaError::new(Pointer::root(), format!("{what} is no JSON: {error}"))),
        _ => Ok(Cow::Borrowed(value)),
    }
}

impl Contract {
    #[inline(never)]
    pub(crate) fn compile(options: &Options, definition: &Value) -> Result<Self, SchemaError> {
        let tool = tool::read(read(definition, "the schema")?)?;
        let mut documents = BTreeMap::new();
        for (uri, document) in &options.documents {
            documents.insert(uri.clone(), read(document, &format!("the document `{uri}`"))?.into_owned());
        }
        let schema = Schema::compile(tool.schema, &tool.at, &documents, options.assert_formats, options.judge)?;
        let mut properties = Vec::new();
        for (pattern, property) in &options.properties {
            let fail = |message: String| SchemaError::option(format!("override `{pattern}`: {message}"));
            let tokens = schema.plan().check_pattern(pattern).map_err(fail)?;
            for canonical in property.aliases.values().chain(&property.other) {
                if !number::are_doubles(canonical) {
                    return Err(fail(format!("no double can hold a number of the alias's value {canonical}")));
                }
                if !schema.plan().takes_at(&tokens, canonical) {
                    return Err(fail(format!("the schema does not allow the alias's value {canonical} there")));
                }
            }
            for key in property.keys.values() {
                schema.plan().check_pattern(&format!("{pattern}{}", Pointer::root().key(key))).map_err(fail)?;
            }
            properties.push((tokens, property.clone()));
        }
        if let Some(message) = property::chain(&properties) {
            return Err(SchemaError::option(message));
        }
        for pattern in &options.redact.properties {
            let fail = |message: String| SchemaError::option(format!("redact `{pattern}`: {message}"));
            schema.plan().check_pattern(pattern).map_err(fail)?;
        }
        Ok(Self {
            inner: Arc::new(Inner {
                schema,
                rules: options.rules.clone(),
                name: options.name.clone().or(tool.name),
                undeclared: options.undeclared,
                strict_dialect: tool.strict,
                limits: options.limits,
                properties,
                redact: options.redact.clone(),
                redaction: OnceLock::new(),
                certain: OnceLock::new(),
            }),
        })
    }

    /// Repairs the raw argument text of one call.
    #[must_use]
    pub fn repair<'t>(&self, text: &'t str) -> Outcome<'t> {
        repair::text(&self.inner, text).of(self)
    }

    /// What is plainly valid, for a host that walks its own data.
    #[doc(hidden)]
    #[must_use]
    pub fn certain(&self) -> Option<&Program> {
        self.inner.certain()
    }

    /// Whether the outcome of `text` is certain to be `unchanged` without warnings; the sink is told of its values.
    #[doc(hidden)]
    pub fn is_plain<S: Sink>(&self, text: &str, sink: &mut S) -> bool {
        self.inner.is_plain(text, sink)
    }

    /// The outcome of host data that is plainly valid.
    #[doc(hidden)]
    #[must_use]
    pub fn unchanged<'t>(&self, document: Document<'t>) -> Outcome<'t> {
        Outcome::accepted(document, Vec::new(), Vec::new()).of(self)
    }

    /// Repairs text of which `is_plain` said no.
    #[doc(hidden)]
    #[must_use]
    pub fn repair_unplain<'t>(&self, text: &'t str) -> Outcome<'t> {
        repair::unplain_text(&self.inner, text).of(self)
    }

    /// Repairs raw argument bytes: text in UTF-8.
    #[must_use]
    pub fn repair_bytes<'t>(&self, bytes: &'t [u8]) -> Outcome<'t> {
        repair::bytes(&self.inner, bytes).of(self)
    }

    /// Repairs arguments that the host holds as data already.
    #[must_use]
    pub fn repair_document<'t>(&self, document: Document<'t>) -> Outcome<'t> {
        repair::document(&self.inner, document).of(self)
    }

    /// Only validates, whatever the policy: the results of a tool against the schema of its output, say. The outcome is
    /// `unchanged` or `refused`.
    #[must_use]
    pub fn check<'t>(&self, document: Document<'t>) -> Outcome<'t> {
        repair::check(&self.inner, document).of(self)
    }

    /// Repairs a call that came with no arguments at all.
    #[must_use]
    pub fn repair_missing(&self) -> Outcome<'static> {
        repair::text(&self.inner, "").of(self)
    }

    /// A refusal for reasons of the host's own, with what the contract redacts left out: data that is no JSON, a number
    /// that the host cannot hold, a precondition. A hint is told as it is: it must hold nothing of what was sent.
    #[must_use]
    pub fn refuse(&self, issues: Vec<Issue>) -> Outcome<'static> {
        let redaction = self.inner.redaction();
        let plan = self.inner.schema.plan();
        let issues =
            issues.into_iter().take(self.inner.limits.issues).map(|issue| redaction.issue(plan, issue)).collect();
        Outcome::refused(issues).of(self)
    }

    /// Repairs argument text that the host knows the end of: text that was cut is refused whatever it looks like.
    #[must_use]
    pub fn repair_finished<'t>(&self, text: &'t str, finish: Finish) -> Outcome<'t> {
        match finish {
            Finish::Complete => self.repair(text),
            Finish::Length => repair::cut(&self.inner, text).of(self),
        }
    }

    /// What the schema wants, in a few lines for a system or tool message: the exact keys in the notation of TypeScript,
    /// and which lists hold plain values. At most `max_bytes` long; what is nested deeply is left out first.
    #[must_use]
    pub fn hints(&self, max_bytes: usize) -> String {
        hints::render(self.inner.schema.plan(), max_bytes)
    }

    /// The first 64 bits of SHA-256 over the schema, in hexadecimal: the same for equal schemas, whatever the order of
    /// their members.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.inner.schema.fingerprint()
    }

    pub(crate) fn declared_path(&self, path: &str) -> String {
        let pointer = tokens(path).fold(Pointer::root(), |pointer, token| pointer.key(&token));
        self.inner.schema.plan().declared_pointer(&pointer, "*").into()
    }

    /// Whether the schema needs nothing but the plan: a build without the feature `authority` compiles it too.
    #[doc(hidden)]
    #[must_use]
    pub fn is_within_plan(&self) -> bool {
        self.inner.schema.is_within_plan()
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.inner.rules.preset()
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
