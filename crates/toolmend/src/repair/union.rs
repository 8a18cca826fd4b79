//! The branches of a union: what they offer together, and which one was meant when none fits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::walk::{Offers, TOLD, Walk};
use super::wording::members;
use crate::collections::set;
use crate::document::{Content, NodeId};
use crate::schema::violation::{Kind, Violation};
use crate::schema::{Plan, SchemaId, Types};

/// Puts together what the branches offer. A place that no branch can mend is broken in the way of the branch that was
/// meant, if one was.
pub(crate) fn merge(walk: &Walk<'_, '_, '_>, branches: &[SchemaId], id: NodeId, attempts: Vec<Offers>) -> Offers {
    let mut merged = Offers::default();
    let mut ends = Vec::with_capacity(attempts.len());
    for attempt in attempts {
        merged.candidates.extend(attempt.candidates);
        if let Some(doubtful) = attempt.doubtful {
            merged.doubt(walk.document, doubtful);
        }
        ends.push((attempt.reason, attempt.partial));
    }
    if !merged.candidates.is_empty() || merged.doubtful.is_some() {
        return merged;
    }
    let errors: Vec<Vec<Fact>> = branches
        .iter()
        .zip(&ends)
        .map(|(branch, (_, partial))| {
            let node = partial.as_ref().map_or(id, |partial| partial.node);
            let cost = walk.plan.cost_of_errors(*branch, walk.document, node);
            walk.spend(cost.saturating_mul(TOLD));
            if walk.is_exhausted() {
                return Vec::new();
            }
            facts(&walk.plan.violations(*branch, walk.document, node), "", walk.types_of(node))
        })
        .collect();
    match meant(&errors) {
        Meant::Branch(index) => {
            if let Some((reason, partial)) = ends.into_iter().nth(index) {
                merged.reason = reason;
                merged.partial = partial;
            }
        }
        Meant::Tag(_) | Meant::Missing(_) | Meant::None => {
            // What a branch has to say of the value itself holds whichever was meant.
            for reason in ends.into_iter().filter_map(|(reason, _)| reason).filter(|reason| reason.at == id) {
                merged.because(reason);
            }
        }
    }
    merged
}

/// The branch that the value names by a tag: a required property whose one value tells the branches for objects apart
/// (`const`, an `enum` of one, and so what `OpenAPI`'s `discriminator` names).
pub(crate) fn tagged(walk: &Walk<'_, '_, '_>, branches: &[SchemaId], id: NodeId) -> Option<usize> {
    let Content::Object(run) = walk.document.content(id) else { return None };
    let tags: Vec<(usize, BTreeMap<&str, &Value>)> =
        branches.iter().enumerate().filter_map(|(index, branch)| Some((index, tags(walk.plan, *branch)?))).collect();
    if tags.len() < 2 {
        return None;
    }
    let mut named = None;
    for member in walk.document.members(run) {
        let key = walk.document.key(*member);
        let values: Option<Vec<(usize, &Value)>> =
            tags.iter().map(|(index, tags)| Some((*index, *tags.get(key)?))).collect();
        let Some(values) = values else { continue };
        let distinct =
            values.iter().enumerate().all(|(at, (_, value))| values.iter().take(at).all(|(_, other)| other != value));
        let sent = crate::document::to_value(walk.document, member.value());
        let right = values.iter().find(|(_, value)| distinct && **value == sent).map(|(index, _)| *index);
        match (named, right) {
            (None, right) => named = right,
            (Some(_), None) => {}
            (Some(one), Some(two)) if one == two => {}
            // Two tags that name two branches name none.
            (Some(_), Some(_)) => return None,
        }
    }
    named
}

/// The required properties of a branch that have one value; `None` for a branch that takes no object.
fn tags(plan: &Plan, branch: SchemaId) -> Option<BTreeMap<&str, &Value>> {
    let parts = plan.parts(branch);
    if !parts.iter().fold(Types::ALL, |types, shape| types.and(shape.types)).meets(Types::OBJECT) {
        return None;
    }
    let required = set(parts.iter().flat_map(|shape| &shape.required).map(String::as_str));
    let mut tags = BTreeMap::new();
    for (key, schema) in parts.iter().flat_map(|shape| shape.properties.iter()) {
        let constant = plan.parts(*schema).into_iter().find_map(|shape| match shape.members.as_deref() {
            Some([only]) => Some(only),
            _ => None,
        });
        if let Some(constant) = constant.filter(|_| required.contains(key.as_str())) {
            tags.insert(key.as_str(), constant);
        }
    }
    Some(tags)
}

/// What one error says about the fit of its branch, as seen from the place of the union.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fact {
    /// The value has a type that the branch does not take.
    Type,
    /// A direct member is not the one value that the branch allows for it.
    Tag(String),
    /// A direct member is none of the values that the branch allows for it.
    Choice(String),
    /// A required key is missing.
    Missing(String),
    /// A key is not known.
    Unknown,
    /// The value itself is none of the allowed ones.
    Member,
    /// Anything else.
    Other,
}

/// The facts in the errors of one branch for the value at `base`, a JSON Pointer, which has the type `sent`.
pub(crate) fn facts(errors: &[Violation], base: &str, sent: Types) -> Vec<Fact> {
    let mut facts = Vec::new();
    for error in errors {
        let path = error.instance.as_str();
        let Some(below) = path.strip_prefix(base) else { continue };
        let here = below.is_empty();
        facts.push(match &error.kind {
            Kind::Type(_) | Kind::False if here => Fact::Type,
            // Members of other types only ask for another type.
            Kind::Const(_) | Kind::Enum(_) if here => {
                let fits = members(&error.kind).iter().any(|member| Types::of_value(member).meets(sent));
                if fits { Fact::Member } else { Fact::Type }
            }
            Kind::Const(_) | Kind::Enum(_) if below.matches('/').count() == 1 => {
                let key = below.trim_start_matches('/').to_owned();
                match &error.kind {
                    Kind::Enum(options) if options.len() > 1 => Fact::Choice(key),
                    _ => Fact::Tag(key),
                }
            }
            Kind::Required(key) if here => Fact::Missing(key.clone()),
            Kind::AdditionalProperties(_) | Kind::UnevaluatedProperties(_) if here => Fact::Unknown,
            _ => Fact::Other,
        });
    }
    facts
}

/// Which branch was meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    Branch(usize),
    /// None: the member under that key names no branch.
    Tag(String),
    /// None: the key that names the branch is missing.
    Missing(String),
    None,
}

/// Finds the branch that was meant by the errors of each: the one whose tag is right, the only one that takes the
/// value's type, or the only one whose keys fit.
pub(crate) fn meant(branches: &[Vec<Fact>]) -> Meant {
    let mut left: Vec<usize> = (0..branches.len()).collect();
    let facts = |index: usize| branches.get(index).map(Vec::as_slice).unwrap_or_default();
    left.retain(|index| !facts(*index).contains(&Fact::Type));
    if let [only] = left.as_slice() {
        return Meant::Branch(*only);
    }
    // A constant tells branches apart before a choice of values does.
    for of in [Fact::Tag as fn(String) -> Fact, Fact::Choice] {
        let told = left.iter().flat_map(|index| facts(*index));
        let keys = set(told.filter_map(|fact| match fact {
            Fact::Tag(key) | Fact::Choice(key) if *fact == of(key.clone()) => Some(key.as_str()),
            _ => None,
        }));
        let right = |key: &str| -> Vec<usize> {
            let wrong = of(key.to_owned());
            left.iter().copied().filter(|index| !facts(*index).contains(&wrong)).collect()
        };
        let mut single: Vec<usize> = Vec::new();
        for key in &keys {
            match right(key).as_slice() {
                [only] => single.push(*only),
                [] => return Meant::Tag((*key).to_owned()),
                _ => {}
            }
        }
        if let Some(only) = single.first().filter(|first| single.iter().all(|other| other == *first)) {
            return Meant::Branch(*only);
        }
        if let [key] = keys.iter().copied().collect::<Vec<_>>().as_slice() {
            left = right(key);
        }
    }
    let missing: Option<BTreeSet<&str>> = left
        .iter()
        .map(|index| {
            let keys = facts(*index).iter();
            set(keys.filter_map(|fact| if let Fact::Missing(key) = fact { Some(key.as_str()) } else { None }))
        })
        .reduce(|all: BTreeSet<&str>, keys: BTreeSet<&str>| set(all.intersection(&keys).copied()));
    let fitting: Vec<usize> = left.iter().copied().filter(|index| !facts(*index).contains(&Fact::Unknown)).collect();
    if let [only] = fitting.as_slice() {
        return Meant::Branch(*only);
    }
    let complete: Vec<usize> = fitting
        .iter()
        .copied()
        .filter(|index| !facts(*index).iter().any(|fact| matches!(fact, Fact::Missing(_))))
        .collect();
    if let [only] = complete.as_slice() {
        return Meant::Branch(*only);
    }
    match missing.and_then(|keys| keys.first().map(|key| (*key).to_owned())) {
        Some(key) => Meant::Missing(key),
        None => Meant::None,
    }
}
