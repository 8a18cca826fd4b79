//! The branches of a union: what they offer together, and which one was meant when none fits.

use std::collections::BTreeSet;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::walk::{Offers, Walk};
use crate::document::NodeId;
use crate::schema::SchemaId;

/// Puts together what the branches offer. A place that no branch can mend is broken in the way of the branch that was
/// meant, if one was.
pub(crate) fn merge(walk: &Walk<'_, '_, '_>, branches: &[SchemaId], id: NodeId, attempts: Vec<Offers>) -> Offers {
    let mut merged = Offers::default();
    let mut ends = Vec::with_capacity(attempts.len());
    for attempt in attempts {
        merged.candidates.extend(attempt.candidates);
        if let Some(doubtful) = attempt.doubtful {
            merged.doubt(doubtful);
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
            walk.charge(node);
            if walk.is_exhausted() {
                return Vec::new();
            }
            facts(&walk.plan.errors(*branch, walk.document, node), "")
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

/// The facts in the errors of one branch for the value at `base`, a JSON Pointer.
pub(crate) fn facts(errors: &[ValidationError<'_>], base: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    for error in errors {
        let path = error.instance_path().as_str();
        let Some(below) = path.strip_prefix(base) else { continue };
        let here = below.is_empty();
        facts.push(match error.kind() {
            Kind::Type { .. } | Kind::FalseSchema if here => Fact::Type,
            Kind::Constant { .. } | Kind::Enum { .. } if here => Fact::Member,
            Kind::Constant { .. } | Kind::Enum { .. } if below.matches('/').count() == 1 => {
                let key = below.trim_start_matches('/').to_owned();
                match error.kind() {
                    Kind::Enum { options } if options.as_array().is_some_and(|options| options.len() > 1) => {
                        Fact::Choice(key)
                    }
                    _ => Fact::Tag(key),
                }
            }
            Kind::Required { property: Value::String(key) } if here => Fact::Missing(key.clone()),
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } if here => Fact::Unknown,
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
        let keys: BTreeSet<&str> = left
            .iter()
            .flat_map(|index| facts(*index))
            .filter_map(|fact| match fact {
                Fact::Tag(key) | Fact::Choice(key) if *fact == of(key.clone()) => Some(key.as_str()),
                _ => None,
            })
            .collect();
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
            keys.filter_map(|fact| if let Fact::Missing(key) = fact { Some(key.as_str()) } else { None }).collect()
        })
        .reduce(|all: BTreeSet<&str>, keys: BTreeSet<&str>| all.intersection(&keys).copied().collect());
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
