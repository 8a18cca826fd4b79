//! `empty_to_object` and `null_to_object`: nothing in place of the whole arguments, where nothing is needed.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::Mended;
use crate::schema::Types;

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    // Not inside an envelope: there the null was put in place of something.
    let whole = leaf.site.place.whole && walk.document.pointer(id).as_str().is_empty();
    if !whole || !leaf.view.types.meets(Types::OBJECT) {
        return;
    }
    let declares_nothing = leaf.site.place.declared_anywhere(walk.plan).is_empty();
    let rule = match walk.document.content(id) {
        Content::Null if declares_nothing => Rule::EmptyToObject,
        Content::Array(run) if declares_nothing && walk.document.items(run).is_empty() => Rule::EmptyToObject,
        Content::Null => Rule::NullToObject,
        _ => return,
    };
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
