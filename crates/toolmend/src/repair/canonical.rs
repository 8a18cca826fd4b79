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

/// Rewrites the integers of a valid value, and tells each repair.
pub(crate) fn rewrite(
    contract: &Inner,
    document: &mut Document<'_>,
    place: &Place,
    id: NodeId,
    records: &mut Vec<Record>,
) -> NodeId {
    if place.is_free() {
        return id;
    }
    let content = document.content(id);
    if matches!(content, Content::Null | Content::Bool(_) | Content::String(_)) {
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
            match canonical_integer::spelled(document, id).filter(|_| integer) {
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
