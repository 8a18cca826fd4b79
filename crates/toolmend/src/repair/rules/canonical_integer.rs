//! `canonical_integer` where the spelling alone makes the value invalid: draft 4 takes `5.0` for no integer.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, Document, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::Candidate;
use crate::schema::Types;
use crate::text::number;

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let wanted = leaf.view.types.meets(Types::INTEGER) && !leaf.view.types.meets(Types::FRACTION);
    if !walk.has(Rule::CanonicalInteger, leaf.site.place) || !wanted {
        return;
    }
    if let Some(node) = spelled(walk.document, id) {
        let records = vec![Record::value(Rule::CanonicalInteger, id, id, node)];
        walk.offer(leaf.place, Candidate::mended(node, records), offers);
    }
}

/// The same number in its one spelling as an integer, where it is written in another.
pub(crate) fn spelled(document: &mut Document<'_>, id: NodeId) -> Option<NodeId> {
    let Content::Number(slice) = document.content(id) else { return None };
    let text = number::canonical_integer(document.slice(slice))?;
    let content = Content::Number(document.keep(&text));
    Some(document.push_made(content, id))
}
