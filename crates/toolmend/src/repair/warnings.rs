//! What is valid but looks wrong.

use super::place::Place;
use super::report;
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::issue::{Code, Issue};
use crate::schema::Plan;

/// The warnings about an accepted value: undeclared keys that the tool will likely ignore, and strings without their
/// format.
pub(crate) fn find(contract: &Inner, document: &Document<'_>, id: NodeId) -> Vec<Issue> {
    let mut warnings = Vec::new();
    let plan = contract.schema.plan();
    undeclared(plan, document, &[Place::whole(plan)], id, &mut warnings);
    let errors = contract.schema.format_errors(document, id);
    warnings.extend(report::format_warnings(contract, document, id, &errors));
    warnings.truncate(contract.limits.issues);
    warnings
}

/// Every undeclared key of an object that has declared properties and does not speak of others.
fn undeclared(plan: &Plan, document: &Document<'_>, places: &[Place], id: NodeId, warnings: &mut Vec<Issue>) {
    let content = document.content(id);
    if places.is_empty() || !matches!(content, Content::Array(_) | Content::Object(_)) {
        return;
    }
    // Where more than one branch accepts the value, what any of them declares is declared.
    let places: Vec<Place> = places.iter().flat_map(|place| branches(plan, document, place, id)).collect();
    let views: Vec<_> = places.iter().map(|place| place.view(plan, document, id)).collect();
    match content {
        Content::Array(run) => {
            for (index, item) in document.items(run).iter().enumerate() {
                let places: Vec<Place> =
                    views.iter().map(|view| view.item(index)).filter(|place| !place.is_free()).collect();
                undeclared(plan, document, &places, *item, warnings);
            }
        }
        Content::Object(run) => {
            let declares = views.iter().any(|view| !view.declared().is_empty());
            let speaks = views.iter().any(|view| {
                view.shapes.iter().any(|shape| shape.additional.is_some() || shape.closed || shape.speaks_of_others && !shape.properties.is_empty())
            });
            for member in document.members(run) {
                let key = document.key(*member);
                if declares && !speaks && !views.iter().any(|view| view.knows(key)) {
                    let declared: Vec<&str> = views.iter().flat_map(crate::repair::place::View::declared).collect();
                    let mut issue = Issue::new(
                        Code::UnknownProperty,
                        document.pointer(member.value()),
                        "the schema does not declare this property: the tool may ignore it",
                    );
                    issue.candidates = report::similar(key, declared.into_iter());
                    warnings.push(issue);
                }
                let places: Vec<Place> =
                    views.iter().map(|view| view.member(key)).filter(|place| !place.is_free()).collect();
                undeclared(plan, document, &places, member.value(), warnings);
            }
        }
        _ => {}
    }
}

/// The place with every union resolved to each branch that accepts the value.
fn branches(plan: &Plan, document: &Document<'_>, place: &Place, id: NodeId) -> Vec<Place> {
    // More accepting combinations than this say nothing about which keys are meant.
    const MOST: usize = 16;
    let mut open = vec![place.clone()];
    let mut done = Vec::new();
    while let Some(place) = open.pop() {
        let view = place.view(plan, document, id);
        match view.unions.first() {
            Some((union, branches)) if open.len() + done.len() < MOST => {
                let accepting = branches.iter().filter(|branch| plan.accepts(**branch, document, id));
                open.extend(accepting.map(|branch| place.choose(*union, *branch)));
            }
            _ => done.push(place),
        }
    }
    done
}
