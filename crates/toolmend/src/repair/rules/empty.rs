//! `empty_to_object` and `null_to_object`: nothing in place of the whole arguments, where nothing is needed.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::Mended;
use crate::schema::Types;

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    if !leaf.site.place.whole || !leaf.view.types.meets(Types::OBJECT) {
        return;
    }
    let is_null = match walk.document.content(id) {
        Content::Null => true,
        Content::Array(run) if walk.document.items(run).is_empty() => false,
        _ => return,
    };
    let declares_nothing = leaf.site.place.declared_anywhere(walk.plan).is_empty();
    if !declares_nothing && !is_null {
        return;
    }
    let rule = if declares_nothing { Rule::EmptyToObject } else { Rule::NullToObject };
    // Not inside an envelope: there the null was put in place of something.
    if !walk.document.pointer(id).as_str().is_empty() {
        return;
    }
    if walk.has(rule, leaf.site.place) {
        let node = walk.document.make_object(&[], id);
        if let Mended::Done(candidate) = walk.mend(leaf.site.place, node) {
            let mut records = vec![Record::value(rule, id, id, node)];
            records.extend(candidate.records.iter().cloned());
            let mended = candidate.node;
            walk.offer(leaf.place, candidate.within(mended, records), offers);
        }
    }
}
