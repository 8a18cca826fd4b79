//! `parse_json_string`: text that is one complete JSON array or object, where a container is wanted and no string is.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::issue::Code;
use crate::policy::{Policy, Rule};
use crate::repair::ledger::{At, Record, Side};
use crate::repair::walk::{Broken, Candidate, Claim, Decoded, Mended, Reading};
use crate::schema::Types;
use crate::text::{Fault, Syntax, parse_inside};

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::String(slice) = walk.document.content(id) else { return };
    let types = leaf.view.types;
    let wanted = types.meets(Types::CONTAINERS) && (!types.meets(Types::STRING) || leaf.view.implies_container());
    if !wanted || !walk.has(Rule::ParseJsonString, leaf.site.place) {
        return;
    }
    let text = walk.document.slice(slice).to_owned();
    let layered = leaf.site.place.whole && text.trim_start().starts_with('"');
    if !text.trim_start().starts_with(['{', '[']) && !layered {
        return;
    }
    let decoded = if let Some(known) = walk.decoded.get(&id) {
        known.clone()
    } else {
        let decoded = decode(walk, leaf, &text, id);
        walk.decoded.insert(id, decoded.clone());
        decoded
    };
    let (decoded, mut records) = match decoded {
        Ok(decoded) => decoded,
        Err(Some(claim)) => return offers.because(claim),
        Err(None) => return,
    };
    match walk.mend(leaf.site.place, decoded) {
        Mended::Done(candidate) => {
            // Text that could itself be an item of the list: decoding is the plain reading only while the decoded
            // items are items as they stand.
            if converts(&candidate.records) && takes_as_item(walk, leaf, id) {
                let readings = vec![Reading::Node(candidate.node), Reading::Node(id)];
                let doubt = Claim::ambiguous(id, readings, "send a JSON array, not text that looks like one");
                offers.doubt(walk.document, Candidate::doubtful(candidate.node, candidate.tier, doubt));
                return;
            }
            records.extend(candidate.records.iter().cloned());
            let node = candidate.node;
            walk.offer(leaf.place, candidate.within(node, records), offers);
        }
        Mended::Broken(broken) => {
            offers.partial.get_or_insert(Broken { node: broken.node, claims: broken.claims });
        }
    }
}

fn decode(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, text: &str, id: NodeId) -> Decoded {
    // The text counts as the value that it holds, so that it has the levels that are left.
    let depth = walk.contract.limits.depth.saturating_sub(walk.document.rank(id).len());
    let mut records = Vec::new();
    let parsed = match parse_inside(walk.document, text, id, Syntax::Strict, depth) {
        Ok(parsed) => parsed,
        Err(strict) => {
            let relaxed = parse_inside(walk.document, text, id, Syntax::Relaxed, depth);
            let error = match relaxed {
                Ok(parsed) if walk.has(Rule::RelaxedSyntax, leaf.site.place) => {
                    walk.document.stand_for(parsed.root, id);
                    let strict_text = walk.document.node(parsed.root).to_json();
                    records.push(Record {
                        rule: Rule::RelaxedSyntax,
                        tier: Policy::Lenient,
                        at: At::Node(id),
                        before: Some(Side::Node(id)),
                        after: Some(Side::Json(strict_text.clone())),
                    });
                    return finish(walk, parsed.root, &parsed.faults, id, records, Side::Json(strict_text));
                }
                Ok(_) => strict,
                Err(relaxed) => {
                    if strict.code == Code::JsonSyntax {
                        relaxed
                    } else {
                        strict
                    }
                }
            };
            return Err((error.code != Code::JsonSyntax).then(|| Claim::new(id, error.code, error.hint)));
        }
    };
    walk.document.stand_for(parsed.root, id);
    finish(walk, parsed.root, &parsed.faults, id, records, Side::Node(id))
}

fn finish(
    walk: &Walk<'_, '_, '_>,
    root: NodeId,
    faults: &[Fault],
    id: NodeId,
    mut records: Vec<Record>,
    before: Side,
) -> Decoded {
    if let Some(fault) = faults.first() {
        return Err(Some(Claim::new(id, fault.code, fault.hint())));
    }
    debug_assert_eq!(walk.document.origin(root), walk.document.origin(id));
    records.push(Record {
        rule: Rule::ParseJsonString,
        tier: Rule::ParseJsonString.tier(),
        at: At::Node(id),
        before: Some(before),
        after: Some(Side::Node(root)),
    });
    Ok((root, records))
}

/// Whether a scalar was converted.
fn converts(records: &[Record]) -> bool {
    records.iter().any(|record| record.tier == Policy::Lenient && record.rule != Rule::RelaxedSyntax)
}

/// Whether the text would be valid as an item of the list that is wanted.
fn takes_as_item(walk: &Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId) -> bool {
    leaf.view.types.meets(Types::ARRAY) && walk.accepts(&leaf.view.item(0), id)
}
