//! `canonical_integer`: one spelling for a number where only an integer is wanted. The only rule that touches what is
//! valid: it changes how a number is written and never which number it is.

use std::collections::BTreeSet;

use super::ledger::Record;
use super::place::Place;
use super::rules::canonical_integer;
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::policy::Rule;
use crate::schema::{Plan, Types};
use crate::text::number;

/// Whether a value holds a number that has another spelling as an integer.
pub(crate) fn is_needed(document: &Document<'_>, id: NodeId) -> bool {
    match document.content(id) {
        Content::Null | Content::Bool(_) | Content::String(_) => false,
        Content::Number(digits) => number::canonical_integer(document.slice(digits)).is_some(),
        Content::Array(run) => document.items(run).iter().any(|item| is_needed(document, *item)),
        Content::Object(run) => document.members(run).iter().any(|member| is_needed(document, member.value())),
    }
}

/// Rewrites the integers of a valid value, and tells each repair.
pub(crate) fn rewrite(
    contract: &Inner,
    document: &mut Document<'_>,
    place: &Place,
    id: NodeId,
    records: &mut Vec<Record>,
) -> NodeId {
    if place.is_free() || !may_be_respelled(document, id) {
        return id;
    }
    let content = document.content(id);
    let spelled = canonical_integer::spelled(document, id);
    if spelled.is_none() && matches!(content, Content::Number(_)) {
        return id;
    }
    let plan = contract.schema.plan();
    let place = &decided(plan, document, place, id);
    let view = place.view(plan, document, id);
    match content {
        Content::Number(_) => {
            let allowed = contract.allows(Rule::CanonicalInteger, Rule::CanonicalInteger.tier(), place.path());
            let integer = allowed
                && view.types.meets(Types::INTEGER)
                && !view.types.meets(Types::FRACTION)
                && view.unions.iter().all(|(_, branches)| {
                    branches
                        .iter()
                        .filter(|branch| plan.accepts(**branch, document, id))
                        .all(|branch| !super::place::types(*branch, plan, &mut BTreeSet::new()).meets(Types::FRACTION))
                });
            match spelled.filter(|_| integer) {
                Some(node) if place.accepts(plan, document, node) => {
                    records.push(Record::value(Rule::CanonicalInteger, id, id, node));
                    node
                }
                _ => id,
            }
        }
        Content::Array(run) => {
            let mut items = document.items(run).to_vec();
            let mut changed = false;
            for (index, item) in items.iter_mut().enumerate() {
                if !may_be_respelled(document, *item) {
                    continue;
                }
                let node = rewrite(contract, document, &view.item(index), *item, records);
                changed |= node != *item;
                *item = node;
            }
            if changed { document.make_array(&items, id) } else { id }
        }
        Content::Object(run) => {
            let mut members = document.members(run).to_vec();
            let mut changed = false;
            for member in &mut members {
                if !may_be_respelled(document, member.value()) {
                    continue;
                }
                let key = document.key(*member).to_owned();
                let node = rewrite(contract, document, &view.member(&key), member.value(), records);
                changed |= node != member.value();
                *member = member.with_value(node);
            }
            if changed { document.make_object(&members, id) } else { id }
        }
        _ => id,
    }
}

/// Whether it is a number with another spelling, or may hold one.
fn may_be_respelled(document: &Document<'_>, id: NodeId) -> bool {
    match document.content(id) {
        Content::Null | Content::Bool(_) | Content::String(_) => false,
        Content::Number(digits) => document.slice(digits).contains(['.', 'e', 'E']),
        Content::Array(_) | Content::Object(_) => true,
    }
}

/// The place with a branch chosen in every union in which the value is valid under one branch only.
fn decided(plan: &Plan, document: &Document<'_>, place: &Place, id: NodeId) -> Place {
    let mut place = place.clone();
    loop {
        let view = place.view(plan, document, id);
        let next = view.unions.iter().find_map(|(union, branches)| {
            let mut accepting = branches.iter().filter(|branch| plan.accepts(**branch, document, id));
            match (accepting.next(), accepting.next()) {
                (Some(only), None) => Some(place.choose(*union, *only)),
                _ => None,
            }
        });
        match next {
            Some(next) => place = next,
            None => return place,
        }
    }
}
