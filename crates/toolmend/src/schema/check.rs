//! Judging a value by the plan, where the plan holds all that the schema demands: the same verdict and the same
//! violations as the `jsonschema` crate gives, which tests hold together.

use std::cell::RefCell;
use std::collections::HashSet;

use jsonschema_value::unique::is_unique;
use serde_json::Value;

use super::SchemaId;
use super::assertion::{Assertion, Measured, Members, is_multiple};
use super::format::Known;
use super::plan::{Others, Plan, Shape};
use super::types::Types;
use super::violation::{Kind, Violation};
use crate::collections::ByNumber;
use crate::document::{Content, Document, Instance, Member, NodeId, to_value};
use crate::pointer::Pointer;

/// One judgement. A container is judged once for each subschema that stands in a union or behind a reference.
pub(crate) struct Check<'p> {
    plan: &'p Plan,
    known: RefCell<ByNumber<(SchemaId, NodeId), bool>>,
    /// Whether formats are asserted.
    formats: bool,
    /// Most violations that are collected.
    most: usize,
}

impl<'p> Check<'p> {
    pub(crate) fn new(plan: &'p Plan, formats: bool) -> Self {
        Self { plan, known: RefCell::default(), formats, most: usize::MAX }
    }

    /// Tells about so many violations at most.
    pub(crate) fn telling(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Whether a value is valid under a subschema.
    pub(crate) fn accepts(&self, id: SchemaId, value: Instance<'_>) -> bool {
        let shape = self.plan.shape(id);
        shape.assertions.iter().all(|assertion| self.holds(assertion, shape, value)) && self.has_format(shape, value)
    }

    fn has_format(&self, shape: &Shape, value: Instance<'_>) -> bool {
        match shape.format {
            Known::Here(format) if self.formats => value.text().is_none_or(|text| format.takes(text)),
            _ => true,
        }
    }

    /// Like `accepts`, for a subschema that may be asked about one value many times.
    fn branch(&self, id: SchemaId, value: Instance<'_>) -> bool {
        let Some((document, node)) = value.node() else { return self.accepts(id, value) };
        if !matches!(document.content(node), Content::Array(_) | Content::Object(_)) {
            return self.accepts(id, value);
        }
        if let Some(known) = self.known.borrow().get(&(id, node)) {
            return *known;
        }
        let accepts = self.accepts(id, value);
        self.known.borrow_mut().insert((id, node), accepts);
        accepts
    }

    fn holds(&self, assertion: &Assertion, shape: &Shape, value: Instance<'_>) -> bool {
        match assertion {
            Assertion::Never => false,
            Assertion::Type { types, .. } => types.meets(value.types()),
            Assertion::Enum(members) => members.iter().any(|member| value.equals(member)),
            Assertion::Const(member) => value.equals(member),
            Assertion::Bound(bound) => value.digits().is_none_or(|text| bound.takes(text)),
            Assertion::MultipleOf(divisor) => value.digits().is_none_or(|text| is_multiple(text, divisor)),
            Assertion::Size { of, keyword, limit } => {
                let at_most = keyword.starts_with("max");
                size(value, *of).is_none_or(|size| if at_most { size <= *limit } else { size >= *limit })
            }
            Assertion::Unique => value.items().is_none_or(|(document, items)| are_unique(document, items)),
            Assertion::Pattern { plain, .. } => value.text().is_none_or(|text| plain.matches(text)),
            Assertion::Required(keys) => value.members().is_none_or(|_| missing(keys, value).next().is_none()),
            Assertion::DependentRequired(_, dependents) => dependents
                .iter()
                .filter(|(key, _)| value.has(key))
                .all(|(_, keys)| keys.iter().all(|key| value.has(key))),
            Assertion::Dependent(dependents) => {
                dependents.iter().filter(|(key, _)| value.has(key)).all(|(_, schema)| self.branch(*schema, value))
            }
            Assertion::Members(which) => value.members().is_none_or(|(document, members)| {
                members.iter().all(|member| self.holds_member(shape, *which, document, *member))
            }),
            Assertion::Names(schema) => value.members().is_none_or(|(document, members)| {
                members.iter().all(|member| self.accepts(*schema, Instance::Name(document.key(*member))))
            }),
            Assertion::Items { rest } => value.items().is_none_or(|(document, items)| {
                items.iter().enumerate().all(|(index, item)| {
                    shape
                        .item_if(index, *rest)
                        .is_none_or(|schema| self.accepts(schema, Instance::Node(document, *item)))
                })
            }),
            Assertion::NoMoreItems(count) => value.items().is_none_or(|(_, items)| items.len() <= *count),
            Assertion::Contains(schema) => value.items().is_none_or(|(document, items)| {
                items.iter().any(|item| self.accepts(*schema, Instance::Node(document, *item)))
            }),
            Assertion::Part(schema) | Assertion::Reference(schema) => self.branch(*schema, value),
            Assertion::Any(branches) => branches.iter().any(|branch| self.branch(*branch, value)),
            Assertion::One(branches) => {
                let mut accepting = branches.iter().filter(|branch| self.branch(**branch, value));
                accepting.next().is_some() && accepting.next().is_none()
            }
            Assertion::Not(schema, _) => !self.branch(*schema, value),
            Assertion::Condition(condition) => {
                let met = self.branch(condition.test, value);
                let part = if met { condition.then } else { condition.otherwise };
                part.is_none_or(|part| self.branch(part, value))
            }
        }
    }

    fn holds_member(&self, shape: &Shape, which: Members, document: &Document<'_>, member: Member) -> bool {
        let key = document.key(member);
        let value = Instance::Node(document, member.value());
        if shape.patterns.is_empty() && which != Members::Patterns {
            // Most schemas: a key is a declared one or another.
            let additional = shape.additional.filter(|_| which == Members::All);
            let schema = shape.properties.get(key).copied().or(additional);
            return schema.is_none_or(|schema| self.accepts(schema, value));
        }
        schemas_of(shape, which, key).all(|schema| self.accepts(schema, value))
    }

    /// What a value has against it under a subschema.
    pub(crate) fn violations(&self, id: SchemaId, value: Instance<'_>, at: &Pointer) -> Vec<Violation> {
        let mut found = Vec::new();
        self.collect(id, value, at, &mut found);
        found
    }

    fn collect(&self, id: SchemaId, value: Instance<'_>, at: &Pointer, found: &mut Vec<Violation>) {
        let shape = self.plan.shape(id);
        for assertion in &shape.assertions {
            if found.len() >= self.most {
                return;
            }
            self.explain(assertion, shape, value, at, found);
        }
        if let Known::Here(format) = shape.format
            && !self.has_format(shape, value)
        {
            let schema = shape.at.clone().key("format").into();
            found.push(Violation {
                kind: Kind::Format(format.name().to_owned()),
                instance: at.as_str().to_owned(),
                schema,
            });
        }
    }

    fn explain(
        &self,
        assertion: &Assertion,
        shape: &Shape,
        value: Instance<'_>,
        at: &Pointer,
        found: &mut Vec<Violation>,
    ) {
        let mut tell = |kind: Kind, keyword: &str| {
            let schema = if keyword.is_empty() { shape.at.clone() } else { shape.at.clone().key(keyword) };
            found.push(Violation { kind, instance: at.as_str().to_owned(), schema: schema.into() });
        };
        match assertion {
            // These tell what is wrong with the parts of the value, or of the schema.
            Assertion::Members(which) => self.explain_members(*which, shape, value, at, found),
            Assertion::Items { rest } => {
                for (index, (document, item)) in value.elements().enumerate() {
                    let item = Instance::Node(document, item);
                    let schema = shape.item_if(index, *rest).filter(|schema| !self.takes_scalar(*schema, item));
                    if let Some(schema) = schema {
                        self.collect(schema, item, &at.clone().index(index), found);
                    }
                }
            }
            // No key at all is allowed: that is about the object.
            Assertion::Names(schema)
                if matches!(self.plan.shape(*schema).assertions.as_slice(), [Assertion::Never]) =>
            {
                if value.entries().next().is_some() {
                    tell(Kind::False, "propertyNames");
                }
            }
            Assertion::Names(schema) => {
                for (document, member) in value.entries() {
                    let told = self.violations(*schema, Instance::Name(document.key(member)), at);
                    found.extend(told.into_iter().map(|violation| Violation {
                        instance: at.as_str().to_owned(),
                        schema: violation.schema.clone(),
                        kind: Kind::PropertyNames(Box::new(violation)),
                    }));
                }
            }
            Assertion::Part(schema) | Assertion::Reference(schema) => self.collect(*schema, value, at, found),
            Assertion::Dependent(dependents) => {
                for (_, schema) in dependents.iter().filter(|(key, _)| value.has(key)) {
                    self.collect(*schema, value, at, found);
                }
            }
            Assertion::Condition(condition) => {
                let met = self.branch(condition.test, value);
                if let Some(part) = if met { condition.then } else { condition.otherwise } {
                    self.collect(part, value, at, found);
                }
            }
            Assertion::Required(keys) => {
                if value.members().is_some() {
                    missing(keys, value).for_each(|key| tell(Kind::Required(key.clone()), "required"));
                }
            }
            Assertion::DependentRequired(keyword, dependents) => {
                for (_, keys) in dependents.iter().filter(|(key, _)| value.has(key)) {
                    keys.iter()
                        .filter(|key| !value.has(key))
                        .for_each(|key| tell(Kind::Required(key.clone()), keyword));
                }
            }
            // The others are one fact about the value.
            _ if self.holds(assertion, shape, value) => {}
            Assertion::Never => tell(Kind::False, ""),
            Assertion::Type { names, .. } => tell(Kind::Type(names.clone()), "type"),
            Assertion::Enum(members) => tell(Kind::Enum(members.clone()), "enum"),
            Assertion::Const(member) => tell(Kind::Const(member.clone()), "const"),
            Assertion::Bound(bound) => {
                tell(Kind::Bound { keyword: bound.keyword, limit: bound.limit.clone() }, bound.keyword);
            }
            Assertion::MultipleOf(divisor) => {
                tell(Kind::Bound { keyword: "multipleOf", limit: Value::Number(divisor.clone()) }, "multipleOf");
            }
            Assertion::Size { keyword, limit, .. } => tell(Kind::Size { keyword, limit: *limit }, keyword),
            Assertion::Unique => tell(Kind::UniqueItems, "uniqueItems"),
            Assertion::Pattern { text, .. } => tell(Kind::Pattern(text.clone()), "pattern"),
            Assertion::NoMoreItems(count) => tell(Kind::AdditionalItems(*count as u64), "additionalItems"),
            Assertion::Contains(_) => tell(Kind::Contains, "contains"),
            Assertion::Not(_, schema) => tell(Kind::Not(schema.clone()), "not"),
            Assertion::Any(branches) => tell(self.no_branch("anyOf", branches, value, at), "anyOf"),
            Assertion::One(branches) => {
                if branches.iter().any(|branch| self.branch(*branch, value)) {
                    tell(Kind::SeveralBranches, "oneOf");
                } else {
                    tell(self.no_branch("oneOf", branches, value, at), "oneOf");
                }
            }
        }
    }

    fn takes_scalar(&self, id: SchemaId, value: Instance<'_>) -> bool {
        !value.types().meets(Types::CONTAINERS) && self.accepts(id, value)
    }

    fn no_branch(&self, keyword: &'static str, branches: &[SchemaId], value: Instance<'_>, at: &Pointer) -> Kind {
        let branches = branches.iter().map(|branch| self.violations(*branch, value, at)).collect();
        Kind::NoBranch { keyword, branches }
    }

    fn explain_members(
        &self,
        which: Members,
        shape: &Shape,
        value: Instance<'_>,
        at: &Pointer,
        found: &mut Vec<Violation>,
    ) {
        let refuses = which == Members::All && shape.others == Others::Refused;
        let mut unexpected = Vec::new();
        for (document, member) in value.entries() {
            let key = document.key(member);
            if refuses && !shape.declares(key) {
                unexpected.push(key.to_owned());
                continue;
            }
            let value = Instance::Node(document, member.value());
            // A valid scalar has nothing against it: no pointer is made for it.
            let mut open = schemas_of(shape, which, key).filter(|schema| !self.takes_scalar(*schema, value)).peekable();
            if open.peek().is_some() {
                let at = at.clone().key(key);
                open.for_each(|schema| self.collect(schema, value, &at, found));
            }
        }
        if unexpected.is_empty() {
            return;
        }
        // Where nothing is declared the validator sees the schema `false`, and not keys that are too many.
        let declares = shape.has_properties || !shape.patterns.is_empty();
        let kind = if declares { Kind::AdditionalProperties(unexpected) } else { Kind::False };
        let schema = shape.at.clone().key("additionalProperties").into();
        found.push(Violation { kind, instance: at.as_str().to_owned(), schema });
    }
}

/// The subschemas for a member of an object.
fn schemas_of<'s>(shape: &'s Shape, which: Members, key: &'s str) -> impl Iterator<Item = SchemaId> + 's {
    let declared = shape.properties.get(key).copied();
    let patterns = shape.patterns.iter().filter(move |(pattern, _)| which != Members::Declared && pattern.matches(key));
    let is_other = || which == Members::All && declared.is_none() && !shape.declares(key);
    let additional = shape.additional.filter(|_| is_other());
    declared
        .filter(|_| which != Members::Patterns)
        .into_iter()
        .chain(patterns.map(|(_, schema)| *schema))
        .chain(additional)
}

/// The keys that an object does not have.
fn missing<'k>(keys: &'k [String], value: Instance<'_>) -> impl Iterator<Item = &'k String> {
    // Looking through the members for each key is faster than hashing for the sizes that tools have.
    const HASHED_FROM: usize = 16;
    let names: Option<HashSet<&str>> =
        (keys.len() >= HASHED_FROM).then(|| value.entries().map(|(document, member)| document.key(member)).collect());
    // Models mostly send the keys in the order in which the schema names them.
    let mut rest = value.entries();
    keys.iter().filter(move |key| {
        if let Some(names) = &names {
            return !names.contains(key.as_str());
        }
        let is_next = rest.next().is_some_and(|(document, member)| document.key(member) == key.as_str());
        !is_next && !value.has(key)
    })
}

fn size(value: Instance<'_>, of: Measured) -> Option<u64> {
    let size = match of {
        Measured::Text => value.text()?.chars().count(),
        Measured::Items => value.items()?.1.len(),
        Measured::Members => value.members()?.1.len(),
    };
    Some(size as u64)
}

fn are_unique(document: &Document<'_>, items: &[NodeId]) -> bool {
    let values: Vec<Value> = items.iter().map(|item| to_value(document, *item)).collect();
    is_unique(&values)
}

impl Instance<'_> {
    fn types(&self) -> Types {
        match self.node() {
            Some((document, node)) => Types::of_node(document, node),
            None => Types::STRING,
        }
    }
}
