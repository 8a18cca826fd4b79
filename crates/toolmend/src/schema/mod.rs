//! A tool's schema, compiled: the authority that judges every value, and the plan that the repair walks.

mod dialect;
pub(crate) mod plan;
pub(crate) mod tool;
mod types;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use referencing::{Draft, Registry};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub(crate) use plan::{Plan, SchemaId};
pub(crate) use types::Types;

use crate::document::{Document, DocumentJson, Instance, NodeId, quoted};
use crate::pointer::Pointer;
use crate::text::number;

/// Why a schema cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    path: String,
    message: String,
    /// Whether an option is at fault rather than the schema.
    option: bool,
}

impl SchemaError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), option: false }
    }

    /// An option that does not go with the schema.
    pub(crate) fn option(message: String) -> Self {
        Self { path: String::new(), message, option: true }
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

type Authority = Validator<DocumentJson>;

/// A compiled schema.
pub(crate) struct Schema {
    root: Value,
    documents: BTreeMap<String, Value>,
    assert_formats: bool,
    /// Whether it has a `pattern`, on which the validator may give up.
    patterns: bool,
    authority: Authority,
    formats: OnceLock<Option<Authority>>,
    plan: OnceLock<Plan>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Schema").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Schema {
    /// Compiles `schema`, which stands at `at` in what the host gave.
    pub(crate) fn compile(
        schema: &Value,
        at: &Pointer,
        documents: &BTreeMap<String, Value>,
        assert_formats: bool,
    ) -> Result<Self, SchemaError> {
        if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
            return Err(SchemaError::new(at.clone(), "a schema is an object or a boolean"));
        }
        if let Some(place) = number::beyond_doubles(schema, Pointer::root()) {
            return Err(SchemaError::new(format!("{at}{place}"), "no double can hold this number"));
        }
        let mut root = schema.clone();
        dialect::translate(&mut root);
        let mut documents = documents.clone();
        documents.values_mut().for_each(dialect::translate);
        for (uri, document) in &documents {
            jsonschema::meta::validate(document)
                .map_err(|error| SchemaError::new(at.clone(), format!("the document `{uri}` is no schema: {error}")))?;
        }
        let registry = registry(&documents).map_err(|error| SchemaError::new(at.clone(), error.to_string()))?;
        let authority = authority(&registry, &root, assert_formats).map_err(|error| schema_error(&error, &root, at))?;
        let patterns = [&root]
            .into_iter()
            .chain(documents.values())
            .any(|schema| mentions(schema, &["pattern", "patternProperties"]));
        Ok(Self {
            patterns,
            root,
            documents,
            assert_formats,
            authority,
            formats: OnceLock::new(),
            plan: OnceLock::new(),
        })
    }

    /// The first 64 bits of SHA-256 over the schema with its keys in order, in hexadecimal: equal for equal schemas.
    pub(crate) fn fingerprint(&self) -> String {
        let mut text = String::new();
        write_sorted(&self.root, &mut text);
        Sha256::digest(text.as_bytes()).iter().take(8).fold(String::new(), |mut hex, byte| {
            // Writing to a `String` cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// The schema as it was compiled.
    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// The verdict of the `jsonschema` crate under the whole schema.
    pub(crate) fn accepts(&self, document: &Document<'_>, id: NodeId) -> bool {
        self.authority.is_valid(Instance::Node(document, id))
    }

    /// What the `jsonschema` crate has against a value; at most `most` errors.
    pub(crate) fn errors<'d>(
        &'d self,
        document: &'d Document<'d>,
        id: NodeId,
        most: usize,
    ) -> Vec<ValidationError<'d>> {
        self.authority.iter_errors(whole(document, id, self.patterns)).take(most).collect()
    }

    /// What it would have if formats were asserted; nothing where they are already.
    pub(crate) fn format_errors<'d>(
        &'d self,
        document: &'d Document<'d>,
        id: NodeId,
        most: usize,
    ) -> Vec<ValidationError<'d>> {
        let authority = self.formats.get_or_init(|| {
            if self.assert_formats || !mentions(&self.root, &["format"]) {
                return None;
            }
            let registry = registry(&self.documents).ok()?;
            authority(&registry, &self.root, true).ok()
        });
        match authority {
            Some(authority) => authority.iter_errors(whole(document, id, self.patterns)).take(most).collect(),
            None => Vec::new(),
        }
    }

    /// The plan, built when the first call needs it.
    pub(crate) fn plan(&self) -> &Plan {
        self.plan.get_or_init(|| Plan::build(&self.root, &self.documents, self.assert_formats))
    }
}

/// JSON text with the members of every object in the order of their names.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let sorted: BTreeMap<_, _> = object.iter().collect();
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

/// Whether a schema has one of the keywords anywhere.
fn mentions(schema: &Value, keywords: &[&str]) -> bool {
    match schema {
        Value::Object(object) => {
            keywords.iter().any(|keyword| object.contains_key(*keyword))
                || object.values().any(|value| mentions(value, keywords))
        }
        Value::Array(items) => items.iter().any(|item| mentions(item, keywords)),
        _ => false,
    }
}

/// The value from which a validation that tells errors starts.
pub(crate) fn whole<'d>(document: &'d Document<'d>, id: NodeId, patterns: bool) -> Instance<'d> {
    if patterns { Instance::Whole(document, id) } else { Instance::Node(document, id) }
}

/// The documents that a `$ref` may reach.
pub(crate) fn registry(documents: &BTreeMap<String, Value>) -> Result<Registry<'static>, referencing::Error> {
    let mut builder = Registry::new();
    for (uri, document) in documents {
        let draft = Draft::default().detect(document);
        builder = builder.add(uri, draft.create_resource(document.clone()))?;
    }
    builder.retriever(Offline).prepare()
}

/// Fetches nothing.
struct Offline;

impl referencing::Retrieve for Offline {
    fn retrieve(&self, uri: &referencing::Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is not among the documents that were handed in, and nothing is fetched").into())
    }
}

/// A validator for `schema`: nothing fetched, formats asserted or not whatever the draft says.
pub(crate) fn authority(
    registry: &Registry<'_>,
    schema: &Value,
    assert_formats: bool,
) -> Result<Authority, ValidationError<'static>> {
    jsonschema::options_for::<DocumentJson>()
        .with_registry(registry)
        .with_retriever(Offline)
        .should_validate_formats(assert_formats)
        .build(schema)
}

/// A reference to a place in a document of a registry, as a schema.
pub(crate) fn reference(uri: &str, pointer: &str) -> Value {
    json!({"$ref": format!("{uri}#{pointer}")})
}

fn schema_error(error: &ValidationError<'_>, root: &Value, at: &Pointer) -> SchemaError {
    let message = error.to_string();
    let place = error.instance_path().as_str().to_owned();
    // The resolver tells what it did not find and not who asked for it.
    let place = match error.kind() {
        ValidationErrorKind::Referencing(_) => {
            reference_in(root, &message, Pointer::root()).map_or(place, String::from)
        }
        _ => place,
    };
    SchemaError::new(format!("{at}{place}"), message)
}

/// The place of the `$ref` whose target a message names.
fn reference_in(schema: &Value, message: &str, at: Pointer) -> Option<Pointer> {
    match schema {
        Value::Object(object) => {
            for keyword in ["$ref", "$dynamicRef"] {
                let target = object.get(keyword).and_then(Value::as_str).map(|target| target.trim_start_matches('#'));
                if target.is_some_and(|target| !target.is_empty() && message.contains(target)) {
                    return Some(at.key(keyword));
                }
            }
            object.iter().find_map(|(key, child)| reference_in(child, message, at.clone().key(key)))
        }
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, child)| reference_in(child, message, at.clone().index(index)))
        }
        _ => None,
    }
}
