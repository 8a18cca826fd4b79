//! `parse_number`, `parse_boolean`, `parse_null`, `number_to_string`: exact conversions between a scalar and its text.

use super::{Leaf, Offers, Walk};
use crate::document::{Content, NodeId};
use crate::issue::Code;
use crate::policy::Rule;
use crate::repair::ledger::Record;
use crate::repair::walk::{Candidate, Claim, Reading};
use crate::schema::Types;
use crate::text::number;

fn offer(
    walk: &mut Walk<'_, '_, '_>,
    leaf: &Leaf<'_, '_>,
    rule: Rule,
    id: NodeId,
    content: Content,
    offers: &mut Offers,
) {
    let node = walk.document.push_made(content, id);
    let records = vec![Record::value(rule, id, id, node)];
    walk.offer(leaf.place, Candidate::mended(node, records), offers);
}

/// Exact JSON number text where a number is wanted, no string is, and no digit is lost.
pub(crate) fn parse_number(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::String(slice) = walk.document.content(id) else { return };
    let types = leaf.view.types;
    if !walk.has(Rule::ParseNumber, leaf.site.place) || !types.meets(Types::NUMBER) || types.meets(Types::STRING) {
        return;
    }
    let text = walk.document.slice(slice).to_owned();
    let Some(parts) = number::parts(&text) else { return };
    let is_zero = [parts.integer, parts.fraction].iter().all(|digits| digits.bytes().all(|digit| digit == b'0'));
    // No host agrees with another on what a negative zero is.
    if parts.negative && is_zero {
        return;
    }
    let spelled = if types.meets(Types::FRACTION) {
        if !number::fits_double(&text) {
            offers.because(Claim::new(
                id,
                Code::NumberPrecision,
                "a number here is a double, which cannot hold all these digits",
            ));
            return;
        }
        text
    } else if parts.exponent.is_none() && parts.fraction.bytes().all(|digit| digit == b'0') {
        text.split('.').next().unwrap_or_default().to_owned()
    } else {
        return;
    };
    let content = Content::Number(walk.document.keep(&spelled));
    offer(walk, leaf, Rule::ParseNumber, id, content, offers);
}

/// `true`, `false`, and Python's spelling of them, where a boolean is wanted and no string is.
pub(crate) fn parse_boolean(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let types = leaf.view.types;
    if !walk.has(Rule::ParseBoolean, leaf.site.place) || !types.meets(Types::BOOLEAN) || types.meets(Types::STRING) {
        return;
    }
    let value = match walk.document.node(id).as_str() {
        Some("true" | "True") => true,
        Some("false" | "False") => false,
        _ => return,
    };
    offer(walk, leaf, Rule::ParseBoolean, id, Content::Bool(value), offers);
}

/// `null` or `None` where null is wanted and a string is impossible, whichever branch is chosen.
pub(crate) fn parse_null(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let spelled = matches!(walk.document.node(id).as_str(), Some("null" | "None"));
    let wanted = leaf.view.types.meets(Types::NULL) && !leaf.site.types.meets(Types::STRING);
    if walk.has(Rule::ParseNull, leaf.site.place) && spelled && wanted {
        offer(walk, leaf, Rule::ParseNull, id, Content::Null, offers);
    }
}

/// A number in its shortest form where text is wanted and no number is.
pub(crate) fn number_to_string(walk: &mut Walk<'_, '_, '_>, leaf: &Leaf<'_, '_>, id: NodeId, offers: &mut Offers) {
    let Content::Number(slice) = walk.document.content(id) else { return };
    let wanted = leaf.view.types.meets(Types::STRING) && !leaf.view.types.meets(leaf.own);
    if !walk.has(Rule::NumberToString, leaf.site.place) || !wanted {
        return;
    }
    let text = walk.document.slice(slice).to_owned();
    let content = Content::String(walk.document.keep(&text));
    if number::is_shortest(&text) {
        offer(walk, leaf, Rule::NumberToString, id, content, offers);
        return;
    }
    let node = walk.document.push_made(content, id);
    if walk.accepts(leaf.place, node) {
        let hint = "a number has more than one spelling as text: send the text in quotes";
        let doubt = Claim::ambiguous(id, vec![Reading::Text(text)], hint);
        offers.doubt(walk.document, Candidate::doubtful(node, Rule::NumberToString.tier(), doubt));
    }
}
