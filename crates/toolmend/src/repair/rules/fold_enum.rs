//! `fold_enum`: a string that equals exactly one member of a closed set apart from padding, one pair of JSON quotes,
//! ASCII case, and `-`, `_` and spaces.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::{Candidate, Claim, Reading};

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::String(slice) = walk.document.content(id) else { return };
    let Some(members) = leaf.view.string_members() else { return };
    if !walk.has(Rule::FoldEnum, leaf.site.place) {
        return;
    }
    let folded = fold(walk.document.slice(slice));
    if folded.is_empty() {
        return;
    }
    let equal: Vec<&str> = members.into_iter().filter(|member| fold(member) == folded).collect();
    match equal.as_slice() {
        [] => {}
        [only] => {
            let content = Content::String(walk.document.keep(only));
            let node = walk.document.push_made(content, id);
            let records = vec![Record::value(Rule::FoldEnum, id, id, node)];
            walk.offer(leaf.place, Candidate::mended(node, records), offers);
        }
        several @ [first, ..] => {
            let readings = several.iter().map(|member| Reading::Text((*member).to_owned())).collect();
            let doubt =
                Claim::ambiguous(id, readings, "this could be more than one of the allowed values: use the exact one");
            let content = Content::String(walk.document.keep(first));
            let node = walk.document.push_made(content, id);
            if walk.accepts(leaf.place, node) {
                offers.doubt(Candidate::doubtful(node, Rule::FoldEnum.tier(), doubt));
            }
        }
    }
}

fn fold(text: &str) -> String {
    let text = text.trim();
    let unquoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    unquoted
        .trim()
        .chars()
        .filter(|character| !matches!(character, '-' | '_' | ' '))
        .map(|character| character.to_ascii_lowercase())
        .collect()
}
