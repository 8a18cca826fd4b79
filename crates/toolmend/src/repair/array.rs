//! Mending an array that may be one: its items, each at its own place.

use super::place::{Place, View};
use super::walk::{Broken, Candidate, Mended, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Policy;

pub(crate) fn mend(walk: &mut Walk<'_, '_, '_>, place: &Place, view: &View<'_>, id: NodeId, offers: &mut Offers) {
    let Content::Array(run) = walk.document.content(id) else { return };
    let mut items = walk.document.items(run).to_vec();
    let mut records = Vec::new();
    let mut doubts = Vec::new();
    let mut claims = Vec::new();
    let mut tier = Policy::Strict;
    let mut whole = true;
    let mut changed = false;
    for (index, item) in items.iter_mut().enumerate() {
        let node = match walk.mend(&view.item(index), *item) {
            Mended::Done(candidate) => {
                records.extend(candidate.records);
                doubts.extend(candidate.doubts);
                tier = tier.max(candidate.tier);
                candidate.node
            }
            Mended::Broken(broken) => {
                whole = false;
                claims.extend(broken.claims);
                broken.node
            }
        };
        changed |= node != *item;
        *item = node;
    }
    let node = if changed { walk.document.make_array(&items, id) } else { id };
    claims.extend(doubts.iter().cloned());
    let done = whole && walk.offer(place, Candidate { node, records, tier, doubts }, offers);
    if !done {
        offers.partial = Some(Broken { node, claims });
    }
}
