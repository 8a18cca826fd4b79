//! `wrap_in_array`: one value where only a list is wanted becomes a list of one.
//!
//! Never `null`, the empty string, text that is an attempt at JSON, a quoted JSON string or spells null, and never the
//! same place twice. Where the value has another reading as well the call is `ambiguous` at every policy.

use super::unwrap_object::opens_a_list;
use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::place::Place;
use crate::repair::walk::{Broken, Candidate, Claim, Mended, Reading};
use crate::schema::Types;
use crate::text::number;

pub(crate) fn offer(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let own = leaf.own;
    let lists = own == Types::ARRAY;
    let only_a_list_is_wanted = leaf.view.types.meets(Types::ARRAY) && (lists || !leaf.site.types.meets(own));
    if !walk.has(Rule::WrapInArray, leaf.site.place)
        || !only_a_list_is_wanted
        || leaf.site.place.is_wrapped()
        || own == Types::NULL
    {
        return;
    }
    let item = leaf.view.item(0).wrapped();
    // A list is wrapped only where a list of lists is wanted and nothing else.
    if lists && (item.is_free() || walk.view(&item, id).types.without(Types::NULL) != Types::ARRAY) {
        return;
    }
    let text = text_of(walk, id);
    let blocked = text.as_deref().is_some_and(is_no_item) || lists && holds_attempt(walk, id);
    match walk.mend(&item, id) {
        Mended::Done(candidate) => {
            let array = walk.document.make_array(&[candidate.node], id);
            if !walk.accepts(leaf.place, array) || walk.accepts(leaf.site.place, candidate.node) {
                return;
            }
            let tier = candidate.tier.max(Rule::WrapInArray.tier());
            if let Some(claim) = spelled_rival(walk, leaf, id, array, text.as_deref()) {
                offers.candidates.push(Candidate::doubtful(array, tier, claim));
                return;
            }
            if blocked {
                let doubt = Claim::ambiguous(id, vec![Reading::Node(array)], blocked_hint(text.as_deref()));
                offers.doubt(walk.document, Candidate::doubtful(array, tier, doubt));
                return;
            }
            if let Some(claim) = rival(walk, leaf, &item, id, array, text.as_deref()) {
                offers.candidates.push(Candidate::doubtful(array, tier, claim));
                return;
            }
            let mut records = candidate.records.clone();
            records.push(Record::value(Rule::WrapInArray, id, candidate.node, array));
            walk.offer(leaf.place, candidate.within(array, records), offers);
        }
        // What is wrong with the one item says more than that a list was wanted.
        Mended::Broken(broken) if !blocked && !lists && walk.view(&item, id).types.meets(own) => {
            let array = walk.document.make_array(&[broken.node], id);
            offers.partial.get_or_insert(Broken { node: array, claims: broken.claims });
        }
        Mended::Broken(_) => {}
    }
}

fn text_of(walk: &Walk<'_, '_, '_>, id: NodeId) -> Option<String> {
    walk.document.node(id).as_str().map(str::to_owned)
}

/// Whether an item of the list is text that looks like a list of its own.
fn holds_attempt(walk: &Walk<'_, '_, '_>, id: NodeId) -> bool {
    walk.document.node(id).elements().any(|item| item.as_str().is_some_and(attempts_json))
}

/// Text that is more likely a list, or nothing, than one item.
fn is_no_item(text: &str) -> bool {
    text.is_empty() || spells_null(text) || is_quoted(text) || attempts_json(text)
}

fn spells_null(text: &str) -> bool {
    matches!(text, "null" | "None")
}

fn is_quoted(text: &str) -> bool {
    text.starts_with('"') && serde_json::from_str::<String>(text).is_ok()
}

/// Text that starts like an object, or like an array that ends or goes on like one.
pub(crate) fn attempts_json(text: &str) -> bool {
    let text = text.trim();
    let Some(inside) = text.strip_prefix('[') else { return text.starts_with('{') };
    let goes_on = inside.trim_start();
    text.ends_with(']')
        || goes_on.is_empty()
        || goes_on.starts_with(['"', '\'', '{', '[', '-'])
        || goes_on.starts_with(|c: char| c.is_ascii_digit())
        || ["true", "false", "null", "True", "False", "None"].iter().any(|word| goes_on.starts_with(word))
}

fn blocked_hint(text: Option<&str>) -> &'static str {
    match text {
        Some("") => "empty text could be an empty list or a list of one empty string: send the list",
        Some(text) if spells_null(text) => "this text could be null or a list of one word: send the list",
        _ => "send a JSON array, not text that looks like one",
    }
}

/// Another reading of the value beside the list of one.
fn rival(
    walk: &mut Walk<'_, '_, '_>,
    leaf: &Leaf<'_, '_>,
    item: &Place,
    id: NodeId,
    array: NodeId,
    text: Option<&str>,
) -> Option<Claim> {
    if let Some(text) = text {
        if walk.settings(leaf.site.place).any(|property| property.single_item) {
            return None;
        }
        let parts = separate_items(walk, item, id, text);
        if parts.len() > 1 {
            let list = walk.document.make_array(&parts, id);
            let readings = vec![Reading::Node(array), Reading::Node(list)];
            return Some(Claim::ambiguous(id, readings, "must be an array, one item or several"));
        }
        return None;
    }
    match walk.document.content(id) {
        Content::Object(_) => opens_a_list(walk, leaf, id)
            .filter(|list| !walk.document.node(*list).same(walk.document.node(array)))
            .map(|list| {
                let readings = vec![Reading::Node(array), Reading::Node(list)];
                Claim::ambiguous(id, readings, "one object or the list inside it: send the list itself")
            }),
        _ => None,
    }
}

/// The value that a text spells and that the place takes as well.
fn spelled_rival(
    walk: &mut Walk<'_, '_, '_>,
    leaf: &Leaf<'_, '_>,
    id: NodeId,
    array: NodeId,
    text: Option<&str>,
) -> Option<Claim> {
    let literal = literal(walk, id, text?)?;
    walk.accepts(leaf.site.place, literal).then(|| {
        let readings = vec![Reading::Node(array), Reading::Node(literal)];
        Claim::ambiguous(id, readings, "this text could be a value or a list of one text: send what is meant")
    })
}

/// What people write between the items of a list; the last four are the fullwidth comma and semicolon, the ideographic
/// comma and the bullet.
const SEPARATORS: [char; 11] =
    [',', ';', '|', '\n', '\r', '\u{2028}', '\t', '\u{ff0c}', '\u{ff1b}', '\u{3001}', '\u{2022}'];

/// The parts of a text between separators, where each would be a valid item; nothing is ever split.
fn separate_items(walk: &mut Walk<'_, '_, '_>, item: &Place, id: NodeId, text: &str) -> Vec<NodeId> {
    const MOST: usize = 64;
    for separator in SEPARATORS {
        if !text.contains(separator) {
            continue;
        }
        let mut parts = Vec::new();
        // So many parts that are items leave no doubt that the text has two readings.
        for part in text.split(separator).take(MOST) {
            let slice = walk.document.keep(part.trim());
            let part = walk.document.push_made(Content::String(slice), id);
            if !walk.accepts(item, part) {
                parts.clear();
                break;
            }
            parts.push(part);
        }
        if parts.len() > 1 {
            return parts;
        }
    }
    Vec::new()
}

/// The value that a text spells: `true`, `false`, `null` or a number.
fn literal(walk: &mut Walk<'_, '_, '_>, id: NodeId, text: &str) -> Option<NodeId> {
    let content = match text {
        "true" | "True" => Content::Bool(true),
        "false" | "False" => Content::Bool(false),
        _ if spells_null(text) => Content::Null,
        _ if number::parts(text).is_some() => Content::Number(walk.document.keep(text)),
        _ => return None,
    };
    Some(walk.document.push_made(content, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_at_json_are_told_from_brackets_in_text() {
        for text in
            ["{", "{a", "[1, 2]", "[draft, final]", "[\"a\"", " [ {", "[", "[1] see", "['a'", "[true", "[null, "]
        {
            assert!(attempts_json(text), "{text}");
        }
        for text in ["", "a [1]", "[draft] final", "x{", "(1)"] {
            assert!(!attempts_json(text), "{text}");
        }
    }
}
