//! From a schema to the shapes of its plan.
use serde_json::{Map, Value};

use super::SchemaId;
use super::assertion::{self, Assertion, Members, Read};
use super::draft::Draft;
use super::format::{Format, Known};
use super::pattern::Plain;
use super::plan::{Condition, KeyPattern, Others, Properties, Shape};
use super::references::Scope;
use super::types::Types;
use crate::collections::{ByNumber, map, sorted_by};
use crate::pointer::Pointer;

/// Subschemas inside each other that the plan follows; what is deeper is left to the validator.
const DEEPEST: usize = 160;

/// The shapes of a schema, and how much of it they hold.
pub(super) struct Built {
    pub(super) shapes: Vec<Shape>,
    pub(super) root: SchemaId,
    /// Whether the assertions of the shapes are all that the schema demands, and the schema is one.
    pub(super) exact: bool,
}

pub(super) struct Builder<'r> {
    shapes: Vec<Shape>,
    /// Subschemas that have a number, by the address of their value.
    known: ByNumber<usize, SchemaId>,
    depth: usize,
    exact: bool,
    assert_formats: bool,
    /// Subschemas that stand by for a reference.
    definitions: Vec<(&'r Value, Here<'r>)>,
    /// Called with each new shape and its value.
    noted: &'r mut dyn FnMut(&Value) -> bool,
}

/// Where a subschema stands, and what it is read by.
#[derive(Clone)]
struct Here<'r> {
    scope: Scope<'r>,
    draft: Draft,
    at: Pointer,
    /// Whether `true` and `false` are schemas here.
    booleans: bool,
}

impl<'r> Here<'r> {
    fn new(scope: Scope<'r>, draft: Draft, at: Pointer) -> Self {
        Self { scope, draft, at, booleans: draft > Draft::V4 }
    }

    /// The place of a subschema: a keyword, and a name or index under it.
    fn below(&self, tokens: &[&str]) -> Self {
        let at = tokens.iter().fold(self.at.clone(), |at, token| at.key(token));
        let here = Self::new(self.scope.clone(), self.draft, at);
        // Draft 4 has boolean schemas under these keywords alone.
        Self { booleans: here.booleans || matches!(tokens, ["additionalProperties" | "additionalItems"]), ..here }
    }
}

/// The value of a keyword. A subschema has a handful: looking through them is faster than hashing.
fn keyword_of<'v>(object: &'v Map<String, Value>, keyword: &str) -> Option<&'v Value> {
    object.iter().find(|(name, _)| *name == keyword).map(|(_, value)| value)
}

pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

impl<'r> Builder<'r> {
    /// Builds the shapes that `root` reaches. `noted` is called for each in turn, and says whether the schema is one of
    /// those that were handed in.
    pub(super) fn build(
        root: &'r Value,
        scope: &Scope<'r>,
        draft: Draft,
        assert_formats: bool,
        noted: &'r mut dyn FnMut(&Value) -> bool,
    ) -> Built {
        let mut builder = Builder {
            shapes: Vec::new(),
            known: ByNumber::default(),
            depth: 0,
            exact: scope.is_local(),
            assert_formats,
            definitions: Vec::new(),
            noted,
        };
        let here = Here::new(scope.clone(), draft, Pointer::root());
        let root = builder.shape(root, here);
        builder.read_definitions();
        let exact = builder.exact && !has_loop(&builder.shapes);
        Built { shapes: builder.shapes, root, exact }
    }

    /// Definitions that nothing refers to demand nothing, but a schema is none if one of them is none.
    fn read_definitions(&mut self) {
        let reached = self.shapes.len();
        while let Some((schema, here)) = self.definitions.pop().filter(|_| self.exact) {
            self.shape(schema, here);
        }
        self.shapes.truncate(reached);
    }

    fn push(&mut self, shape: Shape) -> SchemaId {
        let id = SchemaId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        self.shapes.push(shape);
        id
    }

    fn shape(&mut self, schema: &'r Value, here: Here<'r>) -> SchemaId {
        if let Some(id) = self.known.get(&address(schema)) {
            return *id;
        }
        let handed_in = self.depth <= DEEPEST && (self.noted)(schema);
        let id = self.push(Shape::OPEN);
        self.known.insert(address(schema), id);
        let shape = match schema {
            // Schemas that were not handed in are the drafts' own: no tool's arguments are described by them.
            _ if !handed_in => {
                self.exact = false;
                Shape::OPEN
            }
            Value::Bool(false) => Shape {
                types: Types::NONE,
                never: true,
                others: Others::Refused,
                assertions: vec![Assertion::Never],
                ..Shape::OPEN
            },
            Value::Object(object) => {
                let inside = Here { scope: here.scope.entered(schema, here.draft), ..here.clone() };
                self.depth += 1;
                let shape = self.read(object, &inside);
                self.depth -= 1;
                shape
            }
            Value::Bool(true) => Shape::OPEN,
            _ => {
                self.exact = false;
                Shape::OPEN
            }
        };
        self.exact &= schema.is_object() || here.booleans;
        if let Some(slot) = self.shapes.get_mut(id.0 as usize) {
            *slot = Shape { at: here.at, ..shape };
        }
        id
    }

    fn read(&mut self, object: &'r Map<String, Value>, here: &Here<'r>) -> Shape {
        let mut shape = Shape::OPEN;
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = keyword_of(object, keyword).and_then(Value::as_str)
                && let Some(found) = here.scope.lookup(target)
            {
                let there = Here::new(found.scope, found.draft.unwrap_or(here.draft), found.at);
                let id = self.shape(found.schema, there);
                shape.all.push(id);
            }
        }
        // Up to draft 7 `$ref` hides its siblings.
        let hides = keyword_of(object, "$ref").is_some() && here.draft < Draft::V2019;
        if !hides {
            Self::read_values(object, here.draft, &mut shape);
            self.read_members(object, here, &mut shape);
            self.read_items(object, here, &mut shape);
            self.read_parts(object, here, &mut shape);
        }
        if self.exact {
            self.demand(object, here, hides, &mut shape);
        }
        shape
    }

    fn child(&mut self, schema: &'r Value, here: &Here<'r>, tokens: &[&str]) -> SchemaId {
        self.shape(schema, here.below(tokens))
    }

    fn list(&mut self, list: Option<&'r Value>, here: &Here<'r>, keyword: &str) -> Vec<SchemaId> {
        let list = list.and_then(Value::as_array).into_iter().flatten().enumerate();
        list.map(|(index, schema)| self.child(schema, here, &[keyword, &index.to_string()])).collect()
    }

    fn named(&mut self, object: &'r Map<String, Value>, here: &Here<'r>, keyword: &str) -> Vec<(&'r String, SchemaId)> {
        let named = keyword_of(object, keyword).and_then(Value::as_object).into_iter().flatten();
        // Under `dependencies` a list of keys is no schema.
        named
            .filter(|(_, schema)| !schema.is_array())
            .map(|(key, schema)| (key, self.child(schema, here, &[keyword, key])))
            .collect()
    }

    /// `type`, `enum` and `const`, and annotations.
    #[inline(never)]
    fn read_values(object: &Map<String, Value>, draft: Draft, shape: &mut Shape) {
        shape.types = keyword_of(object, "type").map_or(Types::ALL, Types::named);
        let constant = keyword_of(object, "const").filter(|_| draft >= Draft::V6);
        let members: Option<Vec<Value>> = match (keyword_of(object, "enum"), constant) {
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
        let excludes = keyword_of(object, "not");
        if excludes.is_some_and(|not| *not == Value::Bool(true) || not.as_object().is_some_and(Map::is_empty)) {
            shape.never = true;
            shape.types = Types::NONE;
        }
        let format = keyword_of(object, "format").and_then(Value::as_str);
        shape.default = keyword_of(object, "default").cloned();
        shape.sensitive =
            ["x-sensitive", "writeOnly"].iter().any(|key| keyword_of(object, key) == Some(&Value::Bool(true)))
                || format == Some("password");
        shape.format = format.map_or(Known::Nowhere, |name| Format::named(name, draft));
        let required = keyword_of(object, "required").and_then(Value::as_array).into_iter().flatten();
        shape.required = required.filter_map(Value::as_str).map(str::to_owned).collect();
    }

    #[inline(never)]
    fn read_members(&mut self, object: &'r Map<String, Value>, here: &Here<'r>, shape: &mut Shape) {
        let properties = self.named(object, here, "properties");
        shape.has_properties = keyword_of(object, "properties").is_some();
        shape.properties = Properties::new(map(properties));
        let patterns = self.named(object, here, "patternProperties");
        shape.patterns = patterns.into_iter().map(|(pattern, schema)| (self.key_pattern(pattern), schema)).collect();
        let others = keyword_of(object, "additionalProperties");
        let unevaluated = keyword_of(object, "unevaluatedProperties").filter(|_| here.draft >= Draft::V2019);
        shape.additional = others.map(|schema| self.child(schema, here, &["additionalProperties"]));
        shape.others = match (others, unevaluated) {
            (Some(Value::Bool(false)), _) | (_, Some(Value::Bool(false))) => Others::Refused,
            (None, None) => Others::Unspoken,
            _ => Others::Spoken,
        };
    }

    fn key_pattern(&mut self, pattern: &str) -> KeyPattern {
        if let Some(plain) = Plain::compile(pattern) {
            return KeyPattern::Plain(plain);
        }
        self.exact = false;
        KeyPattern::other(pattern)
    }

    #[inline(never)]
    fn read_items(&mut self, object: &'r Map<String, Value>, here: &Here<'r>, shape: &mut Shape) {
        match keyword_of(object, "items") {
            Some(prefix @ Value::Array(_)) if here.draft < Draft::V2020 => {
                shape.prefix = self.list(Some(prefix), here, "items");
                let rest = keyword_of(object, "additionalItems");
                shape.rest = rest.map(|schema| self.child(schema, here, &["additionalItems"]));
            }
            items => {
                shape.rest = items.map(|schema| self.child(schema, here, &["items"]));
                if here.draft >= Draft::V2020 {
                    shape.prefix = self.list(keyword_of(object, "prefixItems"), here, "prefixItems");
                }
            }
        }
    }

    /// What applies to the value itself.
    #[inline(never)]
    fn read_parts(&mut self, object: &'r Map<String, Value>, here: &Here<'r>, shape: &mut Shape) {
        let all = self.list(keyword_of(object, "allOf"), here, "allOf");
        shape.all.extend(all);
        for keyword in ["anyOf", "oneOf"] {
            let branches = self.list(keyword_of(object, keyword), here, keyword);
            if !branches.is_empty() {
                shape.unions.push(branches);
            }
        }
        if let Some(test) = keyword_of(object, "if").filter(|_| here.draft >= Draft::V7) {
            let mut branch = |keyword| keyword_of(object, keyword).map(|schema| self.child(schema, here, &[keyword]));
            let (then, otherwise) = (branch("then"), branch("else"));
            let test = self.child(test, here, &["if"]);
            shape.condition = Some(Condition { test, then, otherwise });
        }
        // The validator reads `dependencies` in every draft.
        let mut dependents = self.named(object, here, "dependencies");
        if here.draft >= Draft::V2019 {
            dependents.extend(self.named(object, here, "dependentSchemas"));
        }
        shape.dependents = dependents.into_iter().map(|(key, schema)| (key.clone(), schema)).collect();
    }

    /// Reads what the subschema demands, if all of it is known.
    #[inline(never)]
    fn demand(&mut self, object: &'r Map<String, Value>, here: &Here<'r>, hides: bool, shape: &mut Shape) {
        self.exact &= !self.assert_formats || !matches!(shape.format, Known::Elsewhere(_));
        for (keyword, value) in object {
            // The draft of the root is known already.
            if keyword == "$schema" && here.at.as_str().is_empty() {
                continue;
            }
            if keyword == "$defs" || keyword == "definitions" {
                let Some(named) = value.as_object() else {
                    self.exact = false;
                    return;
                };
                self.definitions.extend(named.iter().map(|(key, schema)| (schema, here.below(&[keyword, key]))));
                continue;
            }
            match assertion::read(keyword, value, object, here.draft) {
                Read::Nothing => {}
                Read::Demand(_) if hides => self.exact = false,
                Read::Demand(assertion) => shape.assertions.push(assertion),
                Read::Applicator if hides && keyword != "$ref" => self.exact = false,
                Read::Applicator => {
                    if self.apply(keyword, value, object, here, shape).is_none() {
                        self.exact = false;
                    }
                }
                Read::Beyond => self.exact = false,
            }
        }
        let assertions = std::mem::take(&mut shape.assertions);
        shape.assertions = sorted_by(assertions, |one, two| one.rank().cmp(&two.rank()));
    }

    /// The assertion of a keyword that holds subschemas; `None` where its value is of the wrong kind.
    #[inline(never)]
    fn apply(
        &mut self,
        keyword: &str,
        value: &'r Value,
        object: &'r Map<String, Value>,
        here: &Here<'r>,
        shape: &mut Shape,
    ) -> Option<()> {
        let others = keyword_of(object, "additionalProperties");
        // `true` demands nothing, and what is under it is told by the keywords themselves.
        let together = others.is_some_and(|others| *others != Value::Bool(true));
        let assertion = match keyword {
            "$ref" => Assertion::Reference(*shape.all.first().filter(|_| value.is_string())?),
            "properties" | "patternProperties" => {
                value.as_object()?;
                if together {
                    return Some(());
                }
                Assertion::Members(if keyword == "properties" { Members::Declared } else { Members::Patterns })
            }
            "additionalProperties" if together => Assertion::Members(Members::All),
            "additionalProperties" => return Some(()),
            "items" | "prefixItems" => {
                let mut rest = true;
                if value.is_array() {
                    let may_be_list = if keyword == "items" { here.draft < Draft::V2020 } else { true };
                    let list = value.as_array().filter(|list| may_be_list && !list.is_empty())?;
                    if keyword == "items" && keyword_of(object, "additionalItems") == Some(&Value::Bool(false)) {
                        // Told as one fact, not item by item.
                        shape.assertions.push(Assertion::NoMoreItems(list.len()));
                        rest = false;
                    }
                } else if keyword == "prefixItems" {
                    return None;
                }
                if shape.assertions.iter().any(|other| matches!(other, Assertion::Items { .. })) {
                    return Some(());
                }
                Assertion::Items { rest }
            }
            // Beside a list only.
            "additionalItems" => return keyword_of(object, "items").is_some_and(Value::is_array).then_some(()),
            "allOf" => {
                let parts = value.as_array().filter(|list| !list.is_empty())?.len();
                let from = shape.all.len().checked_sub(parts)?;
                let parts = shape.all.get(from..)?;
                shape.assertions.extend(parts.iter().map(|part| Assertion::Part(*part)));
                return Some(());
            }
            "anyOf" | "oneOf" => {
                value.as_array().filter(|list| !list.is_empty())?;
                let first = keyword == "anyOf" || keyword_of(object, "anyOf").is_none();
                let branches = shape.unions.get(usize::from(!first))?.clone();
                if keyword == "anyOf" { Assertion::Any(branches) } else { Assertion::One(branches) }
            }
            "not" => Assertion::Not(self.child(value, here, &["not"]), value.clone()),
            "contains" => Assertion::Contains(self.child(value, here, &["contains"])),
            "propertyNames" => Assertion::Names(self.child(value, here, &["propertyNames"])),
            "if" => Assertion::Condition(shape.condition?),
            "dependentSchemas" | "dependencies" => {
                let named = value.as_object()?;
                if keyword_of(object, "dependencies").is_some() && keyword_of(object, "dependentSchemas").is_some() {
                    return None;
                }
                let lists = map(named.iter().filter(|(_, value)| value.is_array()));
                if !lists.is_empty() {
                    if keyword == "dependentSchemas" {
                        return None;
                    }
                    let keys: Option<Vec<_>> = lists
                        .into_iter()
                        .map(|(key, list)| Some((key.clone(), assertion::names(list, here.draft)?)))
                        .collect();
                    shape.assertions.push(Assertion::DependentRequired("dependencies", keys?));
                }
                Assertion::Dependent(shape.dependents.clone())
            }
            _ => return None,
        };
        shape.assertions.push(assertion);
        Some(())
    }
}

/// Whether a subschema leads back to itself at one value.
fn has_loop(shapes: &[Shape]) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    fn visit(index: usize, shapes: &[Shape], seen: &mut [Seen]) -> bool {
        match seen.get(index) {
            None | Some(Seen::Done) => return false,
            Some(Seen::Open) => return true,
            Some(Seen::Not) => {}
        }
        let mark = |seen: &mut [Seen], state| {
            if let Some(slot) = seen.get_mut(index) {
                *slot = state;
            }
        };
        mark(seen, Seen::Open);
        let parts: Vec<SchemaId> =
            shapes.get(index).into_iter().flat_map(|shape| &shape.assertions).flat_map(Assertion::here).collect();
        let found = parts.into_iter().any(|part| visit(part.0 as usize, shapes, seen));
        mark(seen, Seen::Done);
        found
    }
    let mut seen = vec![Seen::Not; shapes.len()];
    (0..shapes.len()).any(|index| visit(index, shapes, &mut seen))
}
