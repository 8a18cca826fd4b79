//! What the repair needs to know of a schema: its applicators, types, members and required keys, resolved across
//! `$ref`, one [`Shape`] a subschema.
//!
//! The plan never judges a value. It says where a subschema applies and what it could want; whether a value is valid
//! there is the validator's to say ([`Plan::accepts`]), compiled for a place when the repair first asks about it.
//! A keyword that is not read here restricts only through that verdict, so what the plan does not know can make a
//! repair fail and never makes a wrong one pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use serde_json::Value;

use super::Types;
use super::assertion::Assertion;
#[cfg(feature = "authority")]
use super::authority::{Pattern, Verdicts};
use super::builder::{Builder, Built};
use super::check::Check;
use super::draft::Draft;
use super::format::Known;
use super::pattern::Plain;
use super::references::Scope;
use super::violation::Violation;
use crate::collections::ByNumber;
use crate::document::{Content, Document, Instance, NodeId};
use crate::pointer::Pointer;

/// The number of a subschema in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(pub(crate) u32);

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
    pub(super) folds: OnceLock<HashMap<String, Vec<String>>>,
    /// Whether `properties` is there, even if it is empty.
    pub(super) has_properties: bool,
    pub(crate) properties: Properties,
    pub(crate) patterns: Vec<(KeyPattern, SchemaId)>,
    pub(crate) additional: Option<SchemaId>,
    /// What it says of keys that it does not declare.
    pub(crate) others: Others,
    /// The annotation `default`.
    pub(crate) default: Option<Value>,
    /// `x-sensitive: true`, `writeOnly: true` or `format: password`.
    pub(super) sensitive: bool,
    pub(crate) format: Known,
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
    /// Where it stands in the schema.
    pub(super) at: Pointer,
    /// All that it demands, if the plan is exact.
    pub(crate) assertions: Vec<Assertion>,
}

/// The subschemas of declared properties, in the order of their names.
#[derive(Debug)]
pub(crate) struct Properties(Vec<(String, SchemaId)>);

impl Properties {
    pub(crate) const NONE: Self = Self(Vec::new());

    pub(crate) fn new(properties: BTreeMap<&String, SchemaId>) -> Self {
        Self(properties.into_iter().map(|(name, schema)| (name.clone(), schema)).collect())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&SchemaId> {
        // Most names differ in length already: looking through those of a usual tool is faster than a search.
        const SEARCHED_FROM: usize = 24;
        if self.0.len() < SEARCHED_FROM {
            return self.iter().find(|(name, _)| *name == key).map(|(_, schema)| schema);
        }
        let at = self.0.binary_search_by(|(name, _)| name.as_str().cmp(key)).ok()?;
        self.0.get(at).map(|(_, schema)| schema)
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &SchemaId)> {
        self.0.iter().map(|(name, schema)| (name, schema))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &String> {
        self.iter().map(|(name, _)| name)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
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

/// A key of `patternProperties`.
#[derive(Debug)]
pub(crate) enum KeyPattern {
    Plain(Plain),
    /// Matched as the `jsonschema` crate matches a `pattern`.
    #[cfg(feature = "authority")]
    Other(Pattern),
    #[cfg(not(feature = "authority"))]
    Unknown,
}

impl KeyPattern {
    /// A pattern that is not plain.
    pub(super) fn other(pattern: &str) -> Self {
        #[cfg(feature = "authority")]
        return Self::Other(Pattern::compile(pattern));
        #[cfg(not(feature = "authority"))]
        {
            let _ = pattern;
            Self::Unknown
        }
    }

    pub(crate) fn matches(&self, key: &str) -> bool {
        match self {
            Self::Plain(plain) => plain.matches(key),
            #[cfg(feature = "authority")]
            Self::Other(pattern) => pattern.matches(key),
            #[cfg(not(feature = "authority"))]
            Self::Unknown => false,
        }
    }
}

/// All subschemas that the root reaches.
pub(crate) struct Plan {
    shapes: Vec<Shape>,
    root: SchemaId,
    ways: Ways,
    ignores_others: bool,
    assert_formats: bool,
    judge: Judge,
}

/// Who judges a value under a subschema.
enum Judge {
    /// The plan itself: it holds all that the schema demands.
    Check,
    /// The `jsonschema` crate.
    #[cfg(feature = "authority")]
    Authority(Box<Verdicts>),
}

/// How many ways lead to one value, and how long the longest is.
#[derive(Debug, Clone, Copy)]
struct Ways {
    count: usize,
    longest: usize,
}

/// Pairs of a subschema and a value that an estimate of work looks at.
const MOST_ESTIMATED: usize = 100_000;

/// Ways through `allOf`, `anyOf`, `$ref` and their kind that lead to one value, and the longest of them: each is a call
/// of the validator, which remembers nothing of a scalar.
const MOST_WAYS: usize = 100_000;
const LONGEST_WAY: usize = 1_000;

/// Errors that are looked at to find which branch of a union was meant.
const MOST_ERRORS: usize = 64;

impl Plan {
    /// The plan of a schema that it can judge alone; `None` for one of which the `jsonschema` crate knows more.
    #[inline(never)]
    pub(crate) fn exact(root: &Value, assert_formats: bool) -> Option<Self> {
        let draft = Draft::of(root)?;
        let built = Builder::build(root, &Scope::Local(root), draft, assert_formats, &mut |_| true);
        built.exact.then(|| Self::of(built, assert_formats, Judge::Check))
    }

    /// The plan of a schema that the `jsonschema` crate compiled, so that its references are known to lead somewhere.
    #[cfg(feature = "authority")]
    pub(crate) fn build(root: &Value, documents: &BTreeMap<String, Value>, assert_formats: bool) -> Self {
        let mut verdicts = Verdicts::new(root, documents, assert_formats);
        let built = verdicts.shapes(assert_formats);
        Self::of(built, assert_formats, Judge::Authority(Box::new(verdicts)))
    }

    fn of(built: Built, assert_formats: bool, judge: Judge) -> Self {
        let ways = ways(&built.shapes);
        let ignores = |shape: &Shape| !shape.properties.is_empty() && shape.others == Others::Unspoken;
        let ignores_others = built.shapes.iter().any(ignores);
        Self { shapes: built.shapes, root: built.root, ways, ignores_others, assert_formats, judge }
    }

    /// A plan that knows nothing.
    #[cfg(not(feature = "authority"))]
    pub(crate) fn open() -> Self {
        let built = Built { shapes: vec![Shape::OPEN], root: SchemaId(0), exact: true };
        Self::of(built, false, Judge::Check)
    }

    pub(crate) fn asserts_formats(&self) -> bool {
        self.assert_formats
    }

    /// Whether it holds all that the schema demands.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self.judge, Judge::Check)
    }

    /// Whether an object may have declared properties and nothing said of others.
    pub(crate) fn ignores_others(&self) -> bool {
        self.ignores_others
    }

    /// Whether a format stands in it that is not judged here.
    pub(crate) fn has_other_formats(&self) -> bool {
        self.shapes.iter().any(|shape| matches!(shape.format, Known::Elsewhere(_)))
    }

    /// Whether a format stands in it that is judged here.
    pub(crate) fn has_formats(&self) -> bool {
        self.shapes.iter().any(|shape| matches!(shape.format, Known::Here(_)))
    }

    /// Whether validating a value of that depth takes a bounded amount of work and stack.
    pub(crate) fn is_bounded(&self, depth: usize) -> bool {
        self.ways.count <= MOST_WAYS && self.ways.longest.saturating_mul(depth.max(1)) <= LONGEST_WAY
    }

    #[inline]
    pub(crate) fn root(&self) -> SchemaId {
        self.root
    }

    /// The names of properties whose schema says that they are sensitive.
    pub(crate) fn sensitive(&self) -> impl Iterator<Item = &str> {
        let properties = self.shapes.iter().flat_map(|shape| shape.properties.iter());
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
        self.cost(schema, document, node, &mut ByNumber::default())
    }

    fn cost(
        &self,
        schema: SchemaId,
        document: &Document<'_>,
        node: NodeId,
        known: &mut ByNumber<(SchemaId, NodeId), usize>,
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
                    if let Some(schema) = shape.item(index) {
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

    /// The shapes, each at the place of its number.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    #[inline]
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

    /// The verdict on a value under one subschema. Where none can be had it is yes: the value is then left alone, and
    /// the validation of the whole decides.
    pub(crate) fn accepts(&self, id: SchemaId, document: &Document<'_>, node: NodeId) -> bool {
        match &self.judge {
            Judge::Check => Check::new(self, self.assert_formats).accepts(id, Instance::Node(document, node)),
            #[cfg(feature = "authority")]
            Judge::Authority(verdicts) => verdicts.accept(id, document, node),
        }
    }

    /// What there is against a value under one subschema.
    pub(crate) fn violations(&self, id: SchemaId, document: &Document<'_>, node: NodeId) -> Vec<Violation> {
        match &self.judge {
            Judge::Check => self.told(id, document, node, self.assert_formats, MOST_ERRORS),
            #[cfg(feature = "authority")]
            Judge::Authority(verdicts) => verdicts.violations(id, document, node, MOST_ERRORS),
        }
    }

    /// What the plan itself has against a value, formats asserted or not.
    pub(crate) fn told(
        &self,
        id: SchemaId,
        document: &Document<'_>,
        node: NodeId,
        formats: bool,
        most: usize,
    ) -> Vec<Violation> {
        let check = Check::new(self, formats).telling(most);
        let mut told = check.violations(id, Instance::Node(document, node), &Pointer::root());
        told.truncate(most);
        told
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
            (_, Ok(index)) => children.extend(self.item(index)),
            _ => {}
        }
        children
    }

    /// The subschema of the item at `index`.
    #[inline]
    pub(crate) fn item(&self, index: usize) -> Option<SchemaId> {
        self.item_if(index, true)
    }

    /// The same, behind the items at the front only where `rest` says so.
    #[inline]
    pub(super) fn item_if(&self, index: usize, rest: bool) -> Option<SchemaId> {
        self.prefix.get(index).copied().or(self.rest.filter(|_| rest))
    }

    /// Whether a key is declared by name or by pattern.
    #[inline]
    pub(crate) fn declares(&self, key: &str) -> bool {
        self.properties.contains_key(key) || self.patterns.iter().any(|(pattern, _)| pattern.matches(key))
    }

    #[expect(clippy::declare_interior_mutable_const, reason = "each use is a fresh shape")]
    pub(crate) const OPEN: Self = Self {
        types: Types::ALL,
        never: false,
        members: None,
        folds: OnceLock::new(),
        has_properties: false,
        properties: Properties::NONE,
        patterns: Vec::new(),
        additional: None,
        others: Others::Unspoken,
        default: None,
        sensitive: false,
        format: Known::Nowhere,
        required: Vec::new(),
        prefix: Vec::new(),
        rest: None,
        all: Vec::new(),
        unions: Vec::new(),
        condition: None,
        dependents: Vec::new(),
        at: Pointer::root(),
        assertions: Vec::new(),
    };
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
