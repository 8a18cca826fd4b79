//! From a schema to the shapes of its plan.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::SchemaId;
use super::assertion::{self, Assertion, Members, Read};
use super::draft::Draft;
use super::format::{Format, Known};
use super::pattern::Plain;
use super::plan::{Condition, KeyPattern, Others, Shape};
use super::references::Scope;
use super::types::Types;
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
    known: HashMap<usize, SchemaId>,
    depth: usize,
    exact: bool,
    assert_formats: bool,
    /// Subschemas that stand by for a reference.
    definitions: Vec<(&'r Value, Scope<'r>, Draft, Pointer)>,
    /// Called with each new shape and its value.
    noted: &'r mut dyn FnMut(&Value) -> bool,
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
            known: HashMap::new(),
            depth: 0,
            exact: scope.is_local(),
            assert_formats,
            definitions: Vec::new(),
            noted,
        };
        let root = builder.shape(root, scope, draft, Pointer::root());
        builder.read_definitions();
        let exact = builder.exact && !has_loop(&builder.shapes);
        Built { shapes: builder.shapes, root, exact }
    }

    /// Definitions that nothing refers to demand nothing, but a schema is none if one of them is none.
    fn read_definitions(&mut self) {
        let reached = self.shapes.len();
        while let Some((schema, scope, draft, at)) = self.definitions.pop().filter(|_| self.exact) {
            self.shape(schema, &scope, draft, at);
        }
        self.shapes.truncate(reached);
    }

    fn push(&mut self, shape: Shape) -> SchemaId {
        let id = SchemaId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        self.shapes.push(shape);
        id
    }

    fn shape(&mut self, schema: &'r Value, scope: &Scope<'r>, draft: Draft, at: Pointer) -> SchemaId {
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
                let scope = scope.entered(schema, draft);
                self.depth += 1;
                let shape = self.read(object, &scope, draft, &at);
                self.depth -= 1;
                shape
            }
            Value::Bool(true) => Shape::OPEN,
            _ => {
                self.exact = false;
                Shape::OPEN
            }
        };
        // Draft 4 has no boolean schemas but under a few keywords.
        self.exact &= draft > Draft::V4
            || schema.is_object()
            || at.as_str().ends_with("/additionalProperties")
            || at.as_str().ends_with("/additionalItems");
        if let Some(slot) = self.shapes.get_mut(id.0 as usize) {
            *slot = Shape { at, ..shape };
        }
        id
    }

    fn read(&mut self, object: &'r Map<String, Value>, scope: &Scope<'r>, draft: Draft, at: &Pointer) -> Shape {
        let mut shape = Shape::OPEN;
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(target) = object.get(keyword).and_then(Value::as_str)
                && let Some(found) = scope.lookup(target)
            {
                let id = self.shape(found.schema, &found.scope, found.draft.unwrap_or(draft), found.at);
                shape.all.push(id);
            }
        }
        // Up to draft 7 `$ref` hides its siblings.
        let hides = object.contains_key("$ref") && draft < Draft::V2019;
        if !hides {
            Self::read_values(object, draft, &mut shape);
            self.read_members(object, scope, draft, at, &mut shape);
            self.read_items(object, scope, draft, at, &mut shape);
            self.read_parts(object, scope, draft, at, &mut shape);
        }
        if self.exact {
            self.demand(object, scope, draft, at, hides, &mut shape);
        }
        shape
    }

    fn child(&mut self, schema: &'r Value, scope: &Scope<'r>, draft: Draft, at: &Pointer, tokens: &[&str]) -> SchemaId {
        let at = tokens.iter().fold(at.clone(), |at, token| at.key(token));
        self.shape(schema, scope, draft, at)
    }

    fn list(
        &mut self,
        list: Option<&'r Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        keyword: &str,
    ) -> Vec<SchemaId> {
        let list = list.and_then(Value::as_array).into_iter().flatten().enumerate();
        list.map(|(index, schema)| self.child(schema, scope, draft, at, &[keyword, &index.to_string()])).collect()
    }

    fn named(
        &mut self,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        keyword: &str,
    ) -> Vec<(&'r String, SchemaId)> {
        let named = object.get(keyword).and_then(Value::as_object).into_iter().flatten();
        // Under `dependencies` a list of keys is no schema.
        named
            .filter(|(_, schema)| !schema.is_array())
            .map(|(key, schema)| (key, self.child(schema, scope, draft, at, &[keyword, key])))
            .collect()
    }

    /// `type`, `enum` and `const`, and annotations.
    fn read_values(object: &Map<String, Value>, draft: Draft, shape: &mut Shape) {
        shape.types = object.get("type").map_or(Types::ALL, Types::named);
        let constant = object.get("const").filter(|_| draft >= Draft::V6);
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
        let excludes = object.get("not");
        if excludes.is_some_and(|not| *not == Value::Bool(true) || not.as_object().is_some_and(Map::is_empty)) {
            shape.never = true;
            shape.types = Types::NONE;
        }
        let format = object.get("format").and_then(Value::as_str);
        shape.default = object.get("default").cloned();
        shape.sensitive = ["x-sensitive", "writeOnly"].iter().any(|key| object.get(*key) == Some(&Value::Bool(true)))
            || format == Some("password");
        shape.format = format.map_or(Known::Nowhere, |name| Format::named(name, draft));
        let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
        shape.required = required.filter_map(Value::as_str).map(str::to_owned).collect();
    }

    fn read_members(
        &mut self,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        shape: &mut Shape,
    ) {
        let properties = self.named(object, scope, draft, at, "properties");
        shape.has_properties = object.contains_key("properties");
        shape.properties = properties.into_iter().map(|(key, schema)| (key.clone(), schema)).collect();
        let patterns = self.named(object, scope, draft, at, "patternProperties");
        shape.patterns = patterns.into_iter().map(|(pattern, schema)| (self.key_pattern(pattern), schema)).collect();
        let others = object.get("additionalProperties");
        let unevaluated = object.get("unevaluatedProperties").filter(|_| draft >= Draft::V2019);
        shape.additional = others.map(|schema| self.child(schema, scope, draft, at, &["additionalProperties"]));
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

    fn read_items(
        &mut self,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        shape: &mut Shape,
    ) {
        match object.get("items") {
            Some(prefix @ Value::Array(_)) if draft < Draft::V2020 => {
                shape.prefix = self.list(Some(prefix), scope, draft, at, "items");
                let rest = object.get("additionalItems");
                shape.rest = rest.map(|schema| self.child(schema, scope, draft, at, &["additionalItems"]));
            }
            items => {
                shape.rest = items.map(|schema| self.child(schema, scope, draft, at, &["items"]));
                if draft >= Draft::V2020 {
                    shape.prefix = self.list(object.get("prefixItems"), scope, draft, at, "prefixItems");
                }
            }
        }
    }

    /// What applies to the value itself.
    fn read_parts(
        &mut self,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        shape: &mut Shape,
    ) {
        let all = self.list(object.get("allOf"), scope, draft, at, "allOf");
        shape.all.extend(all);
        for keyword in ["anyOf", "oneOf"] {
            let branches = self.list(object.get(keyword), scope, draft, at, keyword);
            if !branches.is_empty() {
                shape.unions.push(branches);
            }
        }
        if let Some(test) = object.get("if").filter(|_| draft >= Draft::V7) {
            let mut branch =
                |keyword| object.get(keyword).map(|schema| self.child(schema, scope, draft, at, &[keyword]));
            let (then, otherwise) = (branch("then"), branch("else"));
            let test = self.child(test, scope, draft, at, &["if"]);
            shape.condition = Some(Condition { test, then, otherwise });
        }
        // The validator reads `dependencies` in every draft.
        let mut dependents = self.named(object, scope, draft, at, "dependencies");
        if draft >= Draft::V2019 {
            dependents.extend(self.named(object, scope, draft, at, "dependentSchemas"));
        }
        shape.dependents = dependents.into_iter().map(|(key, schema)| (key.clone(), schema)).collect();
    }

    /// Reads what the subschema demands, if all of it is known.
    fn demand(
        &mut self,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        hides: bool,
        shape: &mut Shape,
    ) {
        self.exact &= !self.assert_formats || !matches!(shape.format, Known::Elsewhere(_));
        for (keyword, value) in object {
            // The draft of the root is known already.
            if keyword == "$schema" && at.as_str().is_empty() {
                continue;
            }
            if keyword == "$defs" || keyword == "definitions" {
                let Some(named) = value.as_object() else {
                    self.exact = false;
                    return;
                };
                self.definitions.extend(
                    named.iter().map(|(key, schema)| (schema, scope.clone(), draft, at.clone().key(keyword).key(key))),
                );
                continue;
            }
            match assertion::read(keyword, value, object, draft) {
                Read::Nothing => {}
                Read::Demand(_) if hides => self.exact = false,
                Read::Demand(assertion) => shape.assertions.push(assertion),
                Read::Applicator if hides && keyword != "$ref" => self.exact = false,
                Read::Applicator => {
                    if self.apply(keyword, value, object, scope, draft, at, shape).is_none() {
                        self.exact = false;
                    }
                }
                Read::Beyond => self.exact = false,
            }
        }
        shape.assertions.sort_by_key(Assertion::rank);
    }

    /// The assertion of a keyword that holds subschemas; `None` where its value is of the wrong kind.
    #[expect(clippy::too_many_arguments, reason = "what a keyword is read with")]
    fn apply(
        &mut self,
        keyword: &str,
        value: &'r Value,
        object: &'r Map<String, Value>,
        scope: &Scope<'r>,
        draft: Draft,
        at: &Pointer,
        shape: &mut Shape,
    ) -> Option<()> {
        let others = object.get("additionalProperties");
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
                    let may_be_list = if keyword == "items" { draft < Draft::V2020 } else { true };
                    let list = value.as_array().filter(|list| may_be_list && !list.is_empty())?;
                    if keyword == "items" && object.get("additionalItems") == Some(&Value::Bool(false)) {
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
            "additionalItems" => return object.get("items").is_some_and(Value::is_array).then_some(()),
            "allOf" => {
                let parts = value.as_array().filter(|list| !list.is_empty())?.len();
                let from = shape.all.len().checked_sub(parts)?;
                let parts = shape.all.get(from..)?;
                shape.assertions.extend(parts.iter().map(|part| Assertion::Part(*part)));
                return Some(());
            }
            "anyOf" | "oneOf" => {
                value.as_array().filter(|list| !list.is_empty())?;
                let first = keyword == "anyOf" || !object.contains_key("anyOf");
                let branches = shape.unions.get(usize::from(!first))?.clone();
                if keyword == "anyOf" { Assertion::Any(branches) } else { Assertion::One(branches) }
            }
            "not" => Assertion::Not(self.child(value, scope, draft, at, &["not"]), value.clone()),
            "contains" => Assertion::Contains(self.child(value, scope, draft, at, &["contains"])),
            "propertyNames" => Assertion::Names(self.child(value, scope, draft, at, &["propertyNames"])),
            "if" => Assertion::Condition(shape.condition?),
            "dependentSchemas" | "dependencies" => {
                let named = value.as_object()?;
                if object.contains_key("dependencies") && object.contains_key("dependentSchemas") {
                    return None;
                }
                let lists: BTreeMap<_, _> = named.iter().filter(|(_, value)| value.is_array()).collect();
                if !lists.is_empty() {
                    if keyword == "dependentSchemas" {
                        return None;
                    }
                    let keys: Option<Vec<_>> = lists
                        .into_iter()
                        .map(|(key, list)| Some((key.clone(), assertion::names(list, draft)?)))
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
