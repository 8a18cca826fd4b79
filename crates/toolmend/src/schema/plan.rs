//! What the repair needs to know of a schema: its applicators, types, members and required keys, resolved across
//! `$ref`, one [`Shape`] a subschema.
//!
//! The plan never judges a value. It says where a subschema applies and what it could want; whether a value is valid
//! there is the validator's to say ([`Plan::accepts`]), compiled for a place when the repair first asks about it.
//! A keyword that is not read here restricts only through that verdict, so what the plan does not know can make a
//! repair fail and never makes a wrong one pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::OnceLock;

use jsonschema::ValidationError;
use referencing::{Draft, Registry, Resolver, ResourceRef};
use serde_json::{Map, Value, json};

use super::{Authority, Types, authority, reference, registry};
use crate::document::{Content, Document, Instance, NodeId};
use crate::pointer::Pointer;

/// The number of a subschema in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);

/// One subschema.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The types that `type`, `enum` and `const` leave.
    pub(crate) types: Types,
    /// Whether it accepts nothing: `false`, or `{"not": {}}`.
    pub(crate) never: bool,
    /// The values of `enum` or `const`.
    pub(crate) members: Option<Vec<Value>>,
    /// The strings among them, by what `fold_enum` makes of them.
    folds: OnceLock<HashMap<String, Vec<String>>>,
    pub(crate) properties: BTreeMap<String, SchemaId>,
    pub(crate) patterns: Vec<(KeyPattern, SchemaId)>,
    pub(crate) additional: Option<SchemaId>,
    /// What it says of keys that it does not declare.
    pub(crate) others: Others,
    /// The annotation `default`.
    pub(crate) default: Option<Value>,
    /// `x-sensitive: true`, `writeOnly: true` or `format: password`.
    sensitive: bool,
    pub(crate) required: Vec<String>,
    pub(crate) prefix: Vec<SchemaId>,
    pub(crate) rest: Option<SchemaId>,
    /// `allOf`, and what `$ref` leads to.
    pub(crate) all: Vec<SchemaId>,
    /// `anyOf` and `oneOf`, each with its branches.
    pub(crate) unions: Vec<Vec<SchemaId>>,
    pub(crate) condition: Option<Condition>,
    /// Schemas that apply when the key is there.
    pub(crate) dependents: Vec<(String, SchemaId)>,
}

/// What a schema says of keys that it does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    Unspoken,
    /// `additionalProperties` or `unevaluatedProperties`, and not `false`.
    Spoken,
    /// `false`.
    Refused,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Condition {
    pub(crate) test: SchemaId,
    pub(crate) then: Option<SchemaId>,
    pub(crate) otherwise: Option<SchemaId>,
}

/// A key of `patternProperties`, matched as the `jsonschema` crate matches a `pattern`.
pub(crate) struct KeyPattern(Option<Authority>);

impl std::fmt::Debug for KeyPattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("KeyPattern")
    }
}

impl KeyPattern {
    pub(crate) fn matches(&self, key: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_valid(Instance::Name(key)))
    }
}

/// All subschemas that the root reaches.
pub(crate) struct Plan {
    registry: Option<Registry<'static>>,
    assert_formats: bool,
    shapes: Vec<Shape>,
    locations: Vec<Option<Location>>,
    verdicts: Vec<OnceLock<Option<Authority>>>,
    root: SchemaId,
    ways: Ways,
}

/// How many ways lead to one value, and how long the longest is.
#[derive(Debug, Clone, Copy)]
struct Ways {
    count: usize,
    longest: usize,
}

/// A place in a document of the registry.
#[derive(Debug, Clone)]
struct Location {
    uri: String,
    /// JSON Pointer, percent-encoded as a URI fragment.
    fragment: String,
}

/// Pairs of a subschema and a value that an estimate of work looks at.
const MOST_ESTIMATED: usize = 100_000;

/// Subschemas inside each other that the plan follows; what is deeper is left to the validator.
const DEEPEST: usize = 160;

/// Ways through `allOf`, `anyOf`, `$ref` and their kind that lead to one value, and the longest of them: each is a call
/// of the validator, which remembers nothing of a scalar.
const MOST_WAYS: usize = 100_000;
const LONGEST_WAY: usize = 1_000;

/// Errors that are looked at to find which branch of a union was meant.
const MOST_ERRORS: usize = 64;

/// The name under which the tool's own schema stands in the registry.
const ROOT_URI: &str = "json-schema:///tool";

impl Plan {
    /// The plan of a schema that the validator compiled, so that its references are known to lead somewhere.
    pub(crate) fn build(root: &Value, documents: &BTreeMap<String, Value>, assert_formats: bool) -> Self {
        let mut all = documents.clone();
        all.insert(ROOT_URI.to_owned(), root.clone());
        let registry = registry(&all).ok();
        let mut builder = Builder {
            shapes: Vec::new(),
            locations: Vec::new(),
            known: HashMap::new(),
            places: HashMap::new(),
            depth: 0,
        };
        let root =
            registry.as_ref().and_then(|registry| builder.all(registry, all.keys())).unwrap_or_else(|| builder.open());
        let verdicts = builder.shapes.iter().map(|_| OnceLock::new()).collect();
        let ways = ways(&builder.shapes);
        Self { registry, assert_formats, shapes: builder.shapes, locations: builder.locations, verdicts, root, ways }
    }

    /// Whether validating a value of that depth takes a bounded amount of work and stack.
    pub(crate) fn is_bounded(&self, depth: usize) -> bool {
        self.ways.count <= MOST_WAYS && self.ways.longest.saturating_mul(depth.max(1)) <= LONGEST_WAY
    }

    pub(crate) fn root(&self) -> SchemaId {
        self.root
    }

    /// The names of properties whose schema says that they are sensitive.
    pub(crate) fn sensitive(&self) -> impl Iterator<Item = &str> {
        let properties = self.shapes.iter().flat_map(|shape| &shape.properties);
        properties
            .filter(|(_, schema)| self.everywhere(&[**schema]).iter().any(|shape| shape.sensitive))
            .map(|(name, _)| name.as_str())
    }

    /// A pointer into the arguments with `mask` in place of every key that no place of the schema declares by name.
    pub(crate) fn declared_pointer(&self, pointer: &Pointer, mask: &str) -> Pointer {
        let mut at = vec![self.root];
        let mut declared = Pointer::root();
        for token in crate::pointer::tokens(pointer.as_str()) {
            let shapes = self.everywhere(&at);
            let named = shapes.iter().any(|shape| shape.properties.contains_key(&token));
            let index = token.parse::<usize>().is_ok() && shapes.iter().any(|shape| shape.types.meets(Types::ARRAY));
            declared = declared.key(if named || index { &token } else { mask });
            at = shapes.iter().flat_map(|shape| shape.children(&token)).collect();
        }
        declared
    }

    /// What it costs the validator to tell every error of every branch, in subschemas looked at; it remembers nothing
    /// of what it told before. Estimated from the containers; [`usize::MAX`] for more than can be counted.
    pub(crate) fn cost_of_errors(&self, schema: SchemaId, document: &Document<'_>, node: NodeId) -> usize {
        if self.shapes.iter().all(|shape| shape.unions.is_empty()) {
            return document.size(node);
        }
        self.cost(schema, document, node, &mut HashMap::new())
    }

    fn cost(
        &self,
        schema: SchemaId,
        document: &Document<'_>,
        node: NodeId,
        known: &mut HashMap<(SchemaId, NodeId), usize>,
    ) -> usize {
        if let Some(cost) = known.get(&(schema, node)) {
            return *cost;
        }
        // The estimate is work of its own.
        if known.len() > MOST_ESTIMATED {
            return usize::MAX;
        }
        // A subschema that leads back to itself at one value costs nothing more.
        known.insert((schema, node), 0);
        let shape = self.shape(schema);
        let mut cost: usize = 1;
        let here = shape.all.iter().chain(shape.unions.iter().flatten());
        for part in here.chain(shape.dependents.iter().map(|(_, part)| part)) {
            cost = cost.saturating_add(self.cost(*part, document, node, known));
        }
        match document.content(node) {
            Content::Array(run) => {
                for (index, item) in document.items(run).iter().enumerate() {
                    if let Some(schema) = shape.prefix.get(index).copied().or(shape.rest) {
                        cost = cost.saturating_add(self.cost(schema, document, *item, known));
                    }
                }
            }
            Content::Object(run) => {
                for member in document.members(run) {
                    let declared = shape.properties.get(document.key(*member)).copied();
                    // A key of a pattern is taken for one of the first: this is an estimate.
                    let schema = declared.or(shape.additional).or(shape.patterns.first().map(|(_, schema)| *schema));
                    if let Some(schema) = schema {
                        cost = cost.saturating_add(self.cost(schema, document, member.value(), known));
                    }
                }
            }
            _ => {}
        }
        known.insert((schema, node), cost);
        cost
    }

    pub(crate) fn shape(&self, id: SchemaId) -> &Shape {
        static OPEN: Shape = Shape::OPEN;
        self.shapes.get(id.0 as usize).unwrap_or(&OPEN)
    }

    /// The tokens of a pattern for places of the arguments, if the schema has such a place.
    pub(crate) fn check_pattern(&self, pattern: &str) -> Result<Vec<String>, String> {
        if !pattern.is_empty() && !pattern.starts_with('/') {
            return Err("a JSON Pointer is empty or starts with `/`".to_owned());
        }
        let tokens: Vec<String> = crate::pointer::tokens(pattern).collect();
        let mut at = vec![self.root];
        for token in &tokens {
            let shapes = self.everywhere(&at);
            at = shapes.iter().flat_map(|shape| shape.children(token)).collect();
            if at.is_empty() {
                let declared = shapes.iter().flat_map(|shape| shape.properties.keys()).map(String::as_str);
                let near = crate::policy::nearest(token, declared);
                return Err(format!("no place of the schema is called `{token}` there{near}"));
            }
        }
        Ok(tokens)
    }

    /// Whether any place that the pattern matches takes `value`.
    pub(crate) fn takes_at(&self, tokens: &[String], value: &Value) -> bool {
        let mut at = vec![self.root];
        for token in tokens {
            at = self.everywhere(&at).iter().flat_map(|shape| shape.children(token)).collect();
        }
        let mut document = Document::over("");
        let root = document.root_id();
        let node = document.make_value(value, root);
        at.iter().any(|id| self.accepts(*id, &document, node))
    }

    /// A subschema and what `allOf` and `$ref` add to it.
    pub(crate) fn parts(&self, schema: SchemaId) -> Vec<&Shape> {
        let mut open = vec![schema];
        let mut seen = Vec::new();
        let mut shapes = Vec::new();
        while let Some(schema) = open.pop() {
            if !seen.contains(&schema) {
                seen.push(schema);
                let shape = self.shape(schema);
                shapes.push(shape);
                open.extend(shape.all.iter().rev());
            }
        }
        shapes
    }

    /// The subschemas that may apply where those do, whichever branch or condition holds.
    pub(crate) fn everywhere(&self, roots: &[SchemaId]) -> Vec<&Shape> {
        let mut open = roots.to_vec();
        let mut seen = BTreeSet::new();
        let mut shapes = Vec::new();
        while let Some(schema) = open.pop() {
            if !seen.insert(schema) {
                continue;
            }
            let shape = self.shape(schema);
            shapes.push(shape);
            open.extend(&shape.all);
            open.extend(shape.unions.iter().flatten());
            open.extend(shape.dependents.iter().map(|(_, schema)| schema));
            open.extend(
                shape.condition.iter().flat_map(|condition| condition.then.into_iter().chain(condition.otherwise)),
            );
        }
        shapes
    }

    /// The validator's verdict on a value under one subschema. Where none can be compiled the verdict is yes: the
    /// value is then left alone, and the validation of the whole decides.
    pub(crate) fn accepts(&self, id: SchemaId, document: &Document<'_>, node: NodeId) -> bool {
        self.verdict(id).is_none_or(|authority| authority.is_valid(Instance::Node(document, node)))
    }

    /// What the validator has against a value under one subschema.
    pub(crate) fn errors<'d>(
        &'d self,
        id: SchemaId,
        document: &'d Document<'d>,
        node: NodeId,
    ) -> Vec<ValidationError<'d>> {
        self.verdict(id)
            .map(|authority| authority.iter_errors(Instance::Whole(document, node)).take(MOST_ERRORS).collect())
            .unwrap_or_default()
    }

    fn verdict(&self, id: SchemaId) -> Option<&Authority> {
        let index = id.0 as usize;
        self.verdicts
            .get(index)?
            .get_or_init(|| {
                let location = self.locations.get(index)?.as_ref()?;
                let schema = reference(&location.uri, &location.fragment);
                authority(self.registry.as_ref()?, &schema, self.assert_formats).ok()
            })
            .as_ref()
    }
}

impl Shape {
    /// The strings among the members that `fold` makes the same of, each once.
    pub(crate) fn folded_members(&self, folded: &str, fold: fn(&str) -> String) -> &[String] {
        let folds = self.folds.get_or_init(|| {
            let mut folds: HashMap<String, Vec<String>> = HashMap::new();
            for member in self.members.iter().flatten().filter_map(Value::as_str) {
                let equal = folds.entry(fold(member)).or_default();
                if !equal.iter().any(|known| known == member) {
                    equal.push(member.to_owned());
                }
            }
            folds
        });
        folds.get(folded).map(Vec::as_slice).unwrap_or_default()
    }

    /// The subschemas of the member or items that a token of a pattern names; `*` is any item, and any key of a map.
    fn children(&self, token: &str) -> Vec<SchemaId> {
        let mut children: Vec<SchemaId> = self.properties.get(token).copied().into_iter().collect();
        let matching = self.patterns.iter().filter(|(pattern, _)| token == "*" || pattern.matches(token));
        children.extend(matching.map(|(_, schema)| *schema));
        if token == "*" || children.is_empty() && self.others != Others::Refused {
            children.extend(self.additional);
        }
        match (token, token.parse::<usize>()) {
            ("*", _) => children.extend(self.prefix.iter().chain(&self.rest)),
            (_, Ok(index)) => children.extend(self.prefix.get(index).copied().or(self.rest)),
            _ => {}
        }
        children
    }

    #[expect(clippy::declare_interior_mutable_const, reason = "each use is a fresh shape")]
    const OPEN: Self = Self {
        types: Types::ALL,
        never: false,
        members: None,
        folds: OnceLock::new(),
        properties: BTreeMap::new(),
        patterns: Vec::new(),
        additional: None,
        others: Others::Unspoken,
        default: None,
        sensitive: false,
        required: Vec::new(),
        prefix: Vec::new(),
        rest: None,
        all: Vec::new(),
        unions: Vec::new(),
        condition: None,
        dependents: Vec::new(),
    };
}

struct Builder {
    shapes: Vec<Shape>,
    locations: Vec<Option<Location>>,
    /// Subschemas that have a number, by the address of their value in the registry.
    known: HashMap<usize, SchemaId>,
    /// Where each value of the handed documents stands, by its address.
    places: HashMap<usize, Location>,
    depth: usize,
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

impl Builder {
    fn all<'u>(&mut self, registry: &Registry<'_>, uris: impl Iterator<Item = &'u String>) -> Option<SchemaId> {
        for uri in uris {
            let base = referencing::uri::from_str(uri.trim_end_matches('#')).ok()?;
            if let Ok(resolved) = registry.resolver(base).lookup("") {
                self.locate(registry, resolved.contents(), uri.trim_end_matches('#'), String::new());
            }
        }
        let resolver = registry.resolver(referencing::uri::from_str(ROOT_URI).ok()?);
        let (contents, resolver, draft) = resolver.lookup("").ok()?.into_inner();
        Some(self.shape(contents, &resolver, draft))
    }

    /// Notes where every value below stands. A resource with an `$id` has places of its own: the validator resolves
    /// what is in it from there.
    fn locate(&mut self, registry: &Registry<'_>, value: &Value, uri: &str, fragment: String) {
        let named =
            value.get("$id").or_else(|| value.get("id")).and_then(Value::as_str).filter(|id| !id.starts_with('#'));
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
                    self.locate(registry, child, uri, format!("{fragment}/{}", encode(key)));
                }
            }
            Value::Array(items) => {
                for (index, child) in items.iter().enumerate() {
                    self.locate(registry, child, uri, format!("{fragment}/{index}"));
                }
            }
            Value::Bool(_) => {}
            _ => return,
        }
        self.places.insert(address(value), Location { uri: uri.to_owned(), fragment });
    }

    /// A subschema of which nothing is known.
    fn open(&mut self) -> SchemaId {
        self.push(Shape::OPEN, None)
    }

    fn push(&mut self, shape: Shape, location: Option<Location>) -> SchemaId {
        let id = SchemaId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        self.shapes.push(shape);
        self.locations.push(location);
        id
    }

    fn shape(&mut self, schema: &Value, resolver: &Resolver<'_>, draft: Draft) -> SchemaId {
        if let Some(id) = self.known.get(&address(schema)) {
            return *id;
        }
        if self.depth > DEEPEST {
            return self.open();
        }
        let location = self.places.get(&address(schema)).cloned();
        let known = location.is_some();
        let id = self.push(Shape::OPEN, location);
        self.known.insert(address(schema), id);
        let shape = match schema {
            // Schemas that were not handed in are the drafts' own: no tool's arguments are described by them.
            _ if !known => Shape::OPEN,
            Value::Bool(false) => Shape { types: Types::NONE, never: true, others: Others::Refused, ..Shape::OPEN },
            Value::Object(object) => {
                let resource = ResourceRef::new(schema, draft);
                let resolver = resolver.in_subresource(resource).unwrap_or_else(|_| resolver.clone());
                self.depth += 1;
                let shape = self.read(object, &resolver, draft);
                self.depth -= 1;
                shape
            }
            _ => Shape::OPEN,
        };
        if let Some(slot) = self.shapes.get_mut(id.0 as usize) {
            *slot = shape;
        }
        id
    }

    fn read(&mut self, object: &Map<String, Value>, resolver: &Resolver<'_>, draft: Draft) -> Shape {
        let mut shape = Shape::OPEN;
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = object.get(keyword).and_then(Value::as_str)
                && let Ok(resolved) = resolver.lookup(target)
            {
                let (contents, resolver, draft) = resolved.into_inner();
                let id = self.shape(contents, &resolver, draft);
                shape.all.push(id);
            }
        }
        // Up to draft 7 `$ref` hides its siblings.
        if object.contains_key("$ref") && draft < Draft::Draft201909 {
            return shape;
        }
        let mut child = |schema: &Value| self.shape(schema, resolver, draft);
        self::values(object, draft, &mut shape);
        if object.get("not").is_some_and(|not| *not == Value::Bool(true) || not.as_object().is_some_and(Map::is_empty))
        {
            shape.never = true;
            shape.types = Types::NONE;
        }
        let since = |introduced: Draft, keyword: &str| object.get(keyword).filter(|_| draft >= introduced);
        let named = |keyword: &str| object.get(keyword).and_then(Value::as_object).into_iter().flatten();
        let listed = |keyword: &str| object.get(keyword).and_then(Value::as_array).into_iter().flatten();

        shape.properties = named("properties").map(|(key, schema)| (key.clone(), child(schema))).collect();
        shape.patterns =
            named("patternProperties").map(|(pattern, schema)| (key_pattern(pattern), child(schema))).collect();
        let others = object.get("additionalProperties");
        let unevaluated = since(Draft::Draft201909, "unevaluatedProperties");
        shape.additional = others.map(&mut child);
        shape.others = match (others, unevaluated) {
            (Some(Value::Bool(false)), _) | (_, Some(Value::Bool(false))) => Others::Refused,
            (None, None) => Others::Unspoken,
            _ => Others::Spoken,
        };
        shape.default = object.get("default").cloned();
        shape.sensitive = ["x-sensitive", "writeOnly"].iter().any(|key| object.get(*key) == Some(&Value::Bool(true)))
            || object.get("format").and_then(Value::as_str) == Some("password");
        shape.required = listed("required").filter_map(Value::as_str).map(str::to_owned).collect();
        shape.all.extend(listed("allOf").map(&mut child));
        for keyword in ["anyOf", "oneOf"] {
            let branches: Vec<_> = listed(keyword).map(&mut child).collect();
            if !branches.is_empty() {
                shape.unions.push(branches);
            }
        }
        match object.get("items") {
            Some(Value::Array(prefix)) if draft < Draft::Draft202012 => {
                shape.prefix = prefix.iter().map(&mut child).collect();
                shape.rest = object.get("additionalItems").map(&mut child);
            }
            items => {
                shape.rest = items.map(&mut child);
                if draft >= Draft::Draft202012 {
                    shape.prefix = listed("prefixItems").map(&mut child).collect();
                }
            }
        }
        if let Some(test) = since(Draft::Draft7, "if") {
            shape.condition = Some(Condition {
                test: child(test),
                then: object.get("then").map(&mut child),
                otherwise: object.get("else").map(&mut child),
            });
        }
        // The validator reads `dependencies` in every draft.
        shape.dependents = named("dependencies")
            .chain(named("dependentSchemas").filter(|_| draft >= Draft::Draft201909))
            .filter(|(_, schema)| !schema.is_array())
            .map(|(key, schema)| (key.clone(), child(schema)))
            .collect();
        shape
    }
}

/// The ways from the shape with the most.
fn ways(shapes: &[Shape]) -> Ways {
    let mut known: Vec<Option<Ways>> = vec![None; shapes.len()];
    let none = Ways { count: 0, longest: 0 };
    let mut most = Ways { count: 1, longest: 1 };
    for index in 0..shapes.len() {
        let found = ways_from(index, shapes, &mut known).unwrap_or(none);
        most = Ways { count: most.count.max(found.count), longest: most.longest.max(found.longest) };
    }
    most
}

fn ways_from(index: usize, shapes: &[Shape], known: &mut Vec<Option<Ways>>) -> Option<Ways> {
    if let Some(found) = *known.get(index)? {
        return Some(found);
    }
    // A way that leads back to itself ends there.
    *known.get_mut(index)? = Some(Ways { count: 0, longest: 0 });
    let shape = shapes.get(index)?;
    let conditions = shape
        .condition
        .iter()
        .flat_map(|condition| [Some(condition.test), condition.then, condition.otherwise].into_iter().flatten());
    let parts: Vec<SchemaId> =
        shape.all.iter().chain(shape.unions.iter().flatten()).copied().chain(conditions).collect();
    let mut ways = Ways { count: 1, longest: 0 };
    for part in parts {
        let below = ways_from(part.0 as usize, shapes, known)?;
        ways.count = ways.count.saturating_add(below.count);
        ways.longest = ways.longest.max(below.longest);
    }
    ways.longest += 1;
    *known.get_mut(index)? = Some(ways);
    Some(ways)
}

/// `type`, `enum` and `const`.
fn values(object: &Map<String, Value>, draft: Draft, shape: &mut Shape) {
    shape.types = object.get("type").map_or(Types::ALL, Types::named);
    let constant = object.get("const").filter(|_| draft >= Draft::Draft6);
    let members: Option<Vec<Value>> = match (object.get("enum"), constant) {
        (Some(Value::Array(members)), None) => Some(members.clone()),
        (None, Some(value)) => Some(vec![value.clone()]),
        (Some(Value::Array(members)), Some(value)) => {
            Some(members.iter().filter(|member| *member == value).cloned().collect())
        }
        _ => None,
    };
    if let Some(members) = members {
        let types = members.iter().fold(Types::NONE, |types, member| types.or(Types::of_value(member)));
        shape.types = shape.types.and(types);
        shape.members = Some(members);
    }
}

fn key_pattern(pattern: &str) -> KeyPattern {
    let registry = registry(&BTreeMap::new());
    KeyPattern(registry.ok().and_then(|registry| authority(&registry, &json!({"pattern": pattern}), false).ok()))
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
