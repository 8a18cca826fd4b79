//! `unwrap_array`: a list of one scalar where no list is wanted. Two items or none have no answer.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::Mended;
use crate::schema::Types;

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::Array(run) = walk.document.content(id) else { return };
    let [item] = walk.document.items(run) else { return };
    let item = *item;
    let no_list_is_wanted = !leaf.view.types.meets(Types::ARRAY);
    let is_scalar = !walk.types_of(item).meets(Types::CONTAINERS);
    if !walk.has(Rule::UnwrapArray, leaf.site.place) || !no_list_is_wanted || !is_scalar || leaf.site.place.whole {
        return;
    }
    if let Mended::Done(candidate) = walk.mend(leaf.site.place, item) {
        let before = if candidate.node == item { id } else { walk.document.make_array(&[candidate.node], id) };
        let mut records = candidate.records.clone();
        let node = candidate.node;
        records.push(Record::value(Rule::UnwrapArray, id, before, node));
        walk.offer(leaf.place, candidate.within(node, records), offers);
    }
}
