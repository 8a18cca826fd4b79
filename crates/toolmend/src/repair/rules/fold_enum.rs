//! `fold_enum`: a string that equals exactly one member of a closed set apart from padding, one pair of JSON quotes,
//! ASCII case, and `-`, `_` and spaces.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::{Candidate, Claim, Reading};

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::String(slice) = walk.document.content(id) else { return };
    if !walk.has(Rule::FoldEnum, leaf.site.place) {
        return;
    }
    let folded = fold(unwrapped(walk.document.slice(slice)));
    if folded.is_empty() {
        return;
    }
    let equal = leaf.view.folded_members(&folded, fold);
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
                offers.doubt(walk.document, Candidate::doubtful(node, Rule::FoldEnum.tier(), doubt));
            }
        }
    }
}

/// A string without padding and without one pair of JSON quotes around it, in one spelling.
fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim()
}

/// One spelling for what differs in ASCII case and in the separators between words. A sign in front of a word or number
/// is no separator.
fn fold(text: &str) -> String {
    let separates = |character: char| matches!(character, '-' | '_' | ' ');
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let behind = rest.trim_start_matches(separates);
        // Between two digits it is a sign or a range.
        let digits = folded.ends_with(|last: char| last.is_ascii_digit())
            && behind.starts_with(|first: char| first.is_ascii_digit());
        let between = !digits && folded.ends_with(char::is_alphanumeric) && behind.starts_with(char::is_alphanumeric);
        if separates(character) && between {
            rest = behind;
            continue;
        }
        folded.push(character.to_ascii_lowercase());
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fold_and_signs_stay() {
        for (one, two) in
            [("Past Client", "past_client"), ("get__job", "get_job"), ("IN-PROGRESS", "in progress"), ("a1", "A-1")]
        {
            assert_eq!(fold(one), fold(two));
        }
        for (one, two) in [("1", "-1"), ("created", "-created"), ("_a", "a"), ("a-", "a"), ("1-5", "15"), ("1 0", "10")]
        {
            assert_ne!(fold(one), fold(two));
        }
        assert_eq!(unwrapped(" \"edit\" "), "edit");
    }
}
