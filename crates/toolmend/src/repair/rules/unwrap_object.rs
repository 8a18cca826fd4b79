//! `unwrap_object`: a neutral envelope around the whole arguments or around one value. A key that could carry meaning
//! is never removed.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, Member, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::Mended;
use crate::schema::Types;

/// Keys around the whole arguments that say nothing but "here they are".
const ENVELOPES: [&str; 12] = [
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "inputs",
    "kwargs",
    "tool_input",
    "payload",
    "body",
    "request",
    "query",
];
/// Whether a key says nothing but "here are the arguments".
pub(crate) fn is_envelope_word(key: &str) -> bool {
    ENVELOPES.contains(&key)
}

/// Keys beside an envelope that name the tool.
const TOOL_NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "function_name"];
/// Keys around a list that say nothing but "here it is".
const LIST_WORDS: [&str; 6] = ["item", "items", "value", "values", "list", "array"];

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::Object(run) = walk.document.content(id) else { return };
    if !walk.has(Rule::UnwrapObject, leaf.site.place) {
        return;
    }
    let members = walk.document.members(run).to_vec();
    let inner = match members.as_slice() {
        [only]
            if is_envelope(walk, leaf, *only) || is_own_name(walk, leaf, *only) || is_list_word(walk, leaf, *only) =>
        {
            *only
        }
        [one, two] if leaf.site.place.whole => {
            match (names_tool(walk, leaf, *one, *two), names_tool(walk, leaf, *two, *one)) {
                (true, _) => *two,
                (_, true) => *one,
                _ => return,
            }
        }
        _ => return,
    };
    match walk.mend(leaf.site.place, inner.value()) {
        Mended::Done(candidate) => {
            let before = if candidate.node == inner.value() {
                id
            } else {
                let mended: Vec<Member> = members
                    .iter()
                    .map(
                        |member| {
                            if member.value() == inner.value() { member.with_value(candidate.node) } else { *member }
                        },
                    )
                    .collect();
                walk.document.make_object(&mended, id)
            };
            let mut records = candidate.records.clone();
            let node = candidate.node;
            records.push(Record::value(Rule::UnwrapObject, id, before, node));
            walk.offer(leaf.place, candidate.within(node, records), offers);
        }
        // The envelope was meant when what is in it is known here: then what is wrong is wrong inside.
        Mended::Broken(broken) if holds_declared(walk, leaf, inner.value()) => offers.partial = Some(broken),
        Mended::Broken(_) => {}
    }
}

/// The list that an object around it would open to by nothing wider than wrapping is, so that it is a rival at every
/// policy.
pub(crate) fn opens_a_list(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId) -> Option<NodeId> {
    let Content::Object(run) = walk.document.content(id) else { return None };
    let [only] = walk.document.members(run) else { return None };
    let only = *only;
    if !is_list_word(walk, leaf, only) && !is_own_name(walk, leaf, only) {
        return None;
    }
    match walk.mend(leaf.site.place, only.value()) {
        Mended::Done(candidate) if candidate.tier <= Rule::WrapInArray.tier() => Some(candidate.node),
        _ => None,
    }
}

fn is_envelope(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, member: Member) -> bool {
    let key = walk.document.key(member);
    leaf.site.place.whole
        && !leaf.view.knows(key)
        && (is_envelope_word(key) || walk.contract.name.as_deref() == Some(key))
}

/// Whether `name` says this tool's own name beside the envelope `envelope`.
fn names_tool(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, name: Member, envelope: Member) -> bool {
    let key = walk.document.key(name);
    let value = walk.document.node(name.value()).as_str();
    is_envelope(walk, leaf, envelope)
        && !leaf.view.knows(key)
        && TOOL_NAMES.contains(&key)
        && value.is_some()
        && value == walk.contract.name.as_deref()
}

/// Whether the key repeats the property's name, or its singular, without being declared there.
fn is_own_name(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, member: Member) -> bool {
    let key = walk.document.key(member);
    let Some(name) = leaf.site.place.name() else { return false };
    !leaf.view.knows(key) && (key == name || singulars(name).any(|singular| singular == key))
}

fn is_list_word(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, member: Member) -> bool {
    let key = walk.document.key(member);
    leaf.view.types.meets(Types::ARRAY) && !leaf.view.types.meets(Types::OBJECT) && LIST_WORDS.contains(&key)
}

/// What an English plural may be the plural of.
fn singulars(name: &str) -> impl Iterator<Item = String> + '_ {
    let ies = name.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let es = name.strip_suffix("es").map(str::to_owned);
    let s = name.strip_suffix('s').map(str::to_owned);
    ies.into_iter().chain(es).chain(s).filter(|singular| !singular.is_empty())
}

fn holds_declared(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId) -> bool {
    walk.document.node(id).members().any(|(key, _)| leaf.view.declares(key))
}
