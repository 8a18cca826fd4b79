//! The `jsonschema` crate: it compiles what the plan does not know, and judges every value that a repair made.
//!
//! It judges a `serde_json::Value`, which holds every digit. To run its validators over our documents would save that copy,
//! and takes a second instance of all of them: 0.4 MB of the wheel, for one schema in fifty.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use referencing::{Draft, Registry};
use serde_json::{Value, json};

use super::builder::{Builder, Built, address};
use super::plan::Shape;
use super::references::Scope;
use super::violation::{Kind, Violation};
use super::{SchemaError, SchemaId};
use crate::document::{Document, NodeId, to_value};
use crate::pointer::Pointer;

/// The name under which the tool's own schema stands in the registry.
const ROOT_URI: &str = "json-schema:///tool";

/// A validator.
pub(super) struct Authority(Validator);

impl Authority {
    /// Compiles `root`, which stands at `at` in what the host gave.
    pub(super) fn compile(
        root: &Value,
        at: &Pointer,
        documents: &BTreeMap<String, Value>,
        assert_formats: bool,
    ) -> Result<Self, SchemaError> {
        for (uri, document) in documents {
            jsonschema::meta::validate(document)
                .map_err(|error| SchemaError::new(at.clone(), format!("the document `{uri}` is no schema: {error}")))?;
        }
        let registry = registry(documents).map_err(|error| SchemaError::new(at.clone(), error.to_string()))?;
        Self::build(&registry, root, assert_formats).map_err(|error| schema_error(&error, root, at))
    }

    /// Nothing is fetched, and formats are asserted or not whatever the draft says.
    fn build(
        registry: &Registry<'_>,
        schema: &Value,
        assert_formats: bool,
    ) -> Result<Self, Box<ValidationError<'static>>> {
        jsonschema::options()
            .with_registry(registry)
            .with_retriever(Offline)
            .should_validate_formats(assert_formats)
            .build(schema)
            .map(Self)
            .map_err(Box::new)
    }

    pub(super) fn accepts(&self, document: &Document<'_>, id: NodeId) -> bool {
        self.0.is_valid(&to_value(document, id))
    }

    /// At most `most` violations.
    pub(super) fn violations(&self, document: &Document<'_>, id: NodeId, most: usize) -> Vec<Violation> {
        self.0.iter_errors(&to_value(document, id)).take(most).map(|error| violation(&error)).collect()
    }
}

/// A key of `patternProperties`, matched as the `jsonschema` crate matches a `pattern`.
pub(crate) struct Pattern(Option<Authority>);

impl std::fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Pattern")
    }
}

impl Pattern {
    pub(super) fn compile(pattern: &str) -> Self {
        let registry = registry(&BTreeMap::new()).ok();
        Self(registry.and_then(|registry| Authority::build(&registry, &json!({"pattern": pattern}), false).ok()))
    }

    pub(super) fn matches(&self, key: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.0.is_valid(&Value::String(key.to_owned())))
    }
}

/// A validator for each subschema of a plan, compiled when the repair first asks about it.
pub(super) struct Verdicts {
    registry: Option<Registry<'static>>,
    uris: Vec<String>,
    assert_formats: bool,
    /// Of each shape; none for what was not handed in.
    locations: Vec<Option<Location>>,
    validators: Vec<OnceLock<Option<Authority>>>,
}

/// A place in a document of the registry.
#[derive(Debug, Clone)]
struct Location {
    uri: String,
    /// JSON Pointer, percent-encoded as a URI fragment.
    fragment: String,
}

impl Verdicts {
    pub(super) fn new(root: &Value, documents: &BTreeMap<String, Value>, assert_formats: bool) -> Self {
        let mut all = documents.clone();
        all.insert(ROOT_URI.to_owned(), root.clone());
        let registry = registry(&all).ok();
        let uris = all.into_keys().collect();
        Self { registry, uris, assert_formats, locations: Vec::new(), validators: Vec::new() }
    }

    /// The shapes of the schema.
    pub(super) fn shapes(&mut self, assert_formats: bool) -> Built {
        let mut locations = Vec::new();
        let built = self.registry.as_ref().and_then(|registry| {
            let places = places(registry, &self.uris)?;
            let resolver = registry.resolver(referencing::uri::from_str(ROOT_URI).ok()?);
            let (contents, resolver, draft) = resolver.lookup("").ok()?.into_inner();
            let mut noted = |schema: &Value| {
                let location = places.get(&address(schema)).cloned();
                let known = location.is_some();
                locations.push(location);
                known
            };
            let scope = Scope::Registry(Box::new(resolver));
            Some(Builder::build(contents, &scope, draft.into(), assert_formats, &mut noted))
        });
        let built = built.unwrap_or_else(|| Built { shapes: vec![Shape::OPEN], root: SchemaId(0), exact: false });
        self.validators = built.shapes.iter().map(|_| OnceLock::new()).collect();
        self.locations = locations;
        built
    }

    pub(super) fn accept(&self, id: SchemaId, document: &Document<'_>, node: NodeId) -> bool {
        self.validator(id).is_none_or(|authority| authority.accepts(document, node))
    }

    pub(super) fn violations(
        &self,
        id: SchemaId,
        document: &Document<'_>,
        node: NodeId,
        most: usize,
    ) -> Vec<Violation> {
        self.validator(id).map(|authority| authority.violations(document, node, most)).unwrap_or_default()
    }

    fn validator(&self, id: SchemaId) -> Option<&Authority> {
        let index = id.0 as usize;
        self.validators
            .get(index)?
            .get_or_init(|| {
                let Location { uri, fragment } = self.locations.get(index)?.as_ref()?;
                let schema = json!({"$ref": format!("{uri}#{fragment}")});
                Authority::build(self.registry.as_ref()?, &schema, self.assert_formats).ok()
            })
            .as_ref()
    }
}

/// Where each value of the documents stands, by its address.
fn places(registry: &Registry<'_>, uris: &[String]) -> Option<HashMap<usize, Location>> {
    let mut places = HashMap::new();
    for uri in uris {
        let uri = uri.trim_end_matches('#');
        let base = referencing::uri::from_str(uri).ok()?;
        if let Ok(resolved) = registry.resolver(base).lookup("") {
            locate(registry, resolved.contents(), uri, String::new(), &mut places);
        }
    }
    Some(places)
}

/// Notes where every value below stands. A resource with an `$id` has places of its own: the validator resolves what is
/// in it from there.
fn locate(registry: &Registry<'_>, value: &Value, uri: &str, fragment: String, places: &mut HashMap<usize, Location>) {
    let named = value.get("$id").or_else(|| value.get("id")).and_then(Value::as_str).filter(|id| !id.starts_with('#'));
    let base = named.and_then(|id| {
        let base = referencing::uri::from_str(uri).ok()?;
        let resolved = registry.resolve_uri(&base.borrow(), id).ok()?;
        let own = resolved.as_str().trim_end_matches('#').to_owned();
        registry.contains_resource(&own).then_some(own)
    });
    let (uri, fragment) = match &base {
        Some(own) => (own.as_str(), String::new()),
        None => (uri, fragment),
    };
    match value {
        Value::Object(object) => {
            for (key, child) in object {
                locate(registry, child, uri, format!("{fragment}/{}", encode(key)), places);
            }
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                locate(registry, child, uri, format!("{fragment}/{index}"), places);
            }
        }
        Value::Bool(_) => {}
        _ => return,
    }
    places.insert(address(value), Location { uri: uri.to_owned(), fragment });
}

/// A reference token of a JSON Pointer in a URI fragment (RFC 6901 section 6).
fn encode(key: &str) -> String {
    let mut out = String::new();
    for character in key.chars() {
        match character {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' | '$' => out.push(character),
            other => {
                for byte in other.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a `String` cannot fail.
                    let _ = write!(out, "%{byte:02X}");
                }
            }
        }
    }
    out
}

/// The documents that a `$ref` may reach.
fn registry(documents: &BTreeMap<String, Value>) -> Result<Registry<'static>, referencing::Error> {
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

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        kind: kind(error.kind()),
        instance: error.instance_path().as_str().to_owned(),
        schema: error.schema_path().as_str().to_owned(),
    }
}

fn kind(kind: &ValidationErrorKind) -> Kind {
    use ValidationErrorKind as Error;
    let bound = |keyword, limit: &Value| Kind::Bound { keyword, limit: limit.clone() };
    let size = |keyword, limit: u64| Kind::Size { keyword, limit };
    let branches = |keyword, context: &[Vec<ValidationError<'static>>]| Kind::NoBranch {
        keyword,
        branches: context.iter().map(|branch| branch.iter().map(violation).collect()).collect(),
    };
    match kind {
        Error::Type { kind: TypeKind::Single(name) } => Kind::Type(vec![name.to_string()]),
        Error::Type { kind: TypeKind::Multiple(names) } => {
            Kind::Type(names.iter().map(|name| name.to_string()).collect())
        }
        Error::Enum { options } => Kind::Enum(options.as_array().cloned().unwrap_or_default()),
        Error::Constant { expected_value } => Kind::Const(expected_value.as_ref().clone()),
        Error::FalseSchema => Kind::False,
        Error::Minimum { limit } => bound("minimum", limit),
        Error::Maximum { limit } => bound("maximum", limit),
        Error::ExclusiveMinimum { limit } => bound("exclusiveMinimum", limit),
        Error::ExclusiveMaximum { limit } => bound("exclusiveMaximum", limit),
        Error::MultipleOf { multiple_of } => bound("multipleOf", multiple_of),
        Error::MinLength { limit } => size("minLength", *limit),
        Error::MaxLength { limit } => size("maxLength", *limit),
        Error::MinItems { limit } => size("minItems", *limit),
        Error::MaxItems { limit } => size("maxItems", *limit),
        Error::MinProperties { limit } => size("minProperties", *limit),
        Error::MaxProperties { limit } => size("maxProperties", *limit),
        Error::AdditionalItems { limit } => Kind::AdditionalItems(*limit as u64),
        Error::UnevaluatedItems { .. } => Kind::UnevaluatedItems,
        Error::UniqueItems => Kind::UniqueItems,
        Error::Contains => Kind::Contains,
        Error::Pattern { pattern } => Kind::Pattern(pattern.clone()),
        Error::Format { format } => Kind::Format(format.clone()),
        Error::ContentEncoding { content_encoding } => Kind::ContentEncoding(content_encoding.clone()),
        Error::ContentMediaType { content_media_type } => Kind::ContentMediaType(content_media_type.clone()),
        Error::FromUtf8 { .. } => Kind::NotUtf8,
        Error::Required { property } => Kind::Required(property.as_str().unwrap_or_default().to_owned()),
        Error::AdditionalProperties { unexpected } => Kind::AdditionalProperties(unexpected.clone()),
        Error::UnevaluatedProperties { unexpected } => Kind::UnevaluatedProperties(unexpected.clone()),
        Error::PropertyNames { error } => Kind::PropertyNames(Box::new(violation(error))),
        Error::Not { schema } => Kind::Not(schema.clone()),
        Error::AnyOf { context } => branches("anyOf", context),
        Error::OneOfNotValid { context } => branches("oneOf", context),
        Error::OneOfMultipleValid { .. } => Kind::SeveralBranches,
        Error::BacktrackLimitExceeded { .. } | Error::RegexEngineFailure { .. } => Kind::PatternWork,
        other => Kind::Other(other.keyword().to_owned()),
    }
}
