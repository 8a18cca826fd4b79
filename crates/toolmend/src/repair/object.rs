//! Mending an object that may be one: the spelling of its keys, its members each at its own place, and nulls that
//! mean "left out".

use serde_json::Value;

use super::ledger::{At, Record, Side};
use super::place::{Place, View};
use super::rules::unwrap_object::is_envelope_word;
use super::spelling::Spelling;
use super::walk::{Broken, Candidate, Claim, Mended, Offers, Site, Walk};
use crate::document::{Content, Member, NodeId};
use crate::options::Undeclared;
use crate::pointer::folded;
use crate::policy::{Policy, Rule};
use crate::text::number::are_doubles;

/// How often the members are walked again because mending them changed which subschemas apply (`if`, dependents).
const ROUNDS: usize = 4;

pub(crate) fn mend(
    walk: &mut Walk<'_, '_, '_>,
    site: &Site<'_>,
    place: &Place,
    view: &View<'_>,
    id: NodeId,
    offers: &mut Offers,
) {
    let mut attempt = members(walk, site, view, id);
    let mut accepted = false;
    for _ in 0..ROUNDS {
        accepted = attempt.node != id && walk.accepts(place, attempt.node);
        if accepted || attempt.node == id {
            break;
        }
        let next = walk.view(place, attempt.node);
        if next.same(view) {
            break;
        }
        // From the start, so that every place is mended once.
        let again = members(walk, site, &next, id);
        let document = &*walk.document;
        let same = document.node(again.node).same(document.node(attempt.node));
        attempt = again;
        accepted = false;
        if same {
            break;
        }
    }
    let Attempt { node, records, mut claims, doubts, tier, whole } = attempt;
    claims.extend(doubts.iter().cloned());
    if whole && (accepted || walk.accepts(place, node)) {
        offers.candidates.push(Candidate { node, records, tier, doubts });
    } else {
        offers.partial = Some(Broken { node, claims });
    }
}

struct Attempt {
    node: NodeId,
    records: Vec<Record>,
    claims: Vec<Claim>,
    doubts: Vec<Claim>,
    tier: Policy,
    /// Whether every member was mended.
    whole: bool,
}

fn members(walk: &mut Walk<'_, '_, '_>, site: &Site<'_>, view: &View<'_>, id: NodeId) -> Attempt {
    let mut attempt = Attempt {
        node: id,
        records: Vec::new(),
        claims: Vec::new(),
        doubts: Vec::new(),
        tier: Policy::Strict,
        whole: true,
    };
    let Content::Object(run) = walk.document.content(id) else { return attempt };
    let came = walk.document.members(run).to_vec();
    let mut kept = Vec::with_capacity(came.len());
    let alone = came.len() == 1;
    let mut changed = false;
    let spelling = Spelling::of(walk, site, view, &came);
    attempt.claims.extend(spelling.claims.iter().cloned());
    attempt.whole &= attempt.claims.is_empty();
    for member in came {
        let key = walk.document.key(member);
        let renamed = spelling.renames.get(key);
        let verdict = if renamed.is_none() { walk.verdict(view, key, member.value()) } else { None };
        if verdict == Some(true) {
            kept.push(member);
            continue;
        }
        let key = key.to_owned();
        let name = renamed.map_or(key.as_str(), |rename| rename.to.as_str());
        let child = view.member(name);
        let unknown = renamed.is_none() && !view.knows(name);
        if unknown
            && closes(walk, view)
            && walk.has(Rule::DropUnknown, site.place)
            && !may_be_meant(site, view, &key, alone)
        {
            changed = true;
            attempt.records.push(left_out(Rule::DropUnknown, Rule::DropUnknown.tier(), member));
            continue;
        }
        // What the host reads as closed is not valid with a key that no branch declares.
        attempt.whole &= !(unknown && refuses_undeclared(walk, site, view, &key));
        let value = match walk.mend_known(&child, member.value(), verdict) {
            Mended::Done(candidate) => {
                attempt.records.extend(candidate.records);
                attempt.doubts.extend(candidate.doubts);
                attempt.tier = attempt.tier.max(candidate.tier);
                candidate.node
            }
            Mended::Broken(_) if drops(walk, view, &child, name, member) => {
                changed = true;
                attempt.tier = attempt.tier.max(drop_tier(walk));
                attempt.records.push(left_out(Rule::DropNull, drop_tier(walk), member));
                continue;
            }
            Mended::Broken(broken) => {
                attempt.whole = false;
                attempt.claims.extend(broken.claims);
                broken.node
            }
        };
        changed |= value != member.value() || renamed.is_some();
        let mut next = member.with_value(value);
        if let Some(rename) = renamed {
            next = walk.document.rekeyed(next, &rename.to);
            // What the host calls a key is no reading of its own.
            let tier = if rename.licensed { Rule::RenameKey.tier() } else { Rule::Alias.tier() };
            attempt.tier = attempt.tier.max(tier);
            attempt.records.push(Record {
                rule: Rule::RenameKey,
                tier,
                at: At::Node(member.value()),
                before: Some(Side::Key(key)),
                after: Some(Side::Key(rename.to.clone())),
            });
        }
        kept.push(next);
    }
    changed |= fill(walk, view, &spelling, id, &mut kept, &mut attempt.records);
    if changed {
        attempt.node = walk.document.make_object(&kept, id);
    }
    attempt
}

/// The members that the host wants filled in: the schema's defaults, and null for what is required and may be null.
fn fill(
    walk: &mut Walk<'_, '_, '_>,
    view: &View<'_>,
    spelling: &Spelling,
    id: NodeId,
    kept: &mut Vec<Member>,
    records: &mut Vec<Record>,
) -> bool {
    let mut filled = false;
    if !walk.rewrites {
        return filled;
    }
    for name in view.declared() {
        // Not where another key may have meant it.
        if spelling.may_mean(name) || kept.iter().any(|member| walk.document.key(*member) == name) {
            continue;
        }
        let child = view.member(name);
        let default = walk.view(&child, id).default().cloned();
        let (rule, value) = match default {
            Some(value) if walk.has(Rule::ApplyDefault, &child) => (Rule::ApplyDefault, value),
            _ if view.requires(name) && walk.has(Rule::NullForMissing, &child) => (Rule::NullForMissing, Value::Null),
            _ => continue,
        };
        let node = walk.document.make_value(&value, id);
        if are_doubles(&value) && walk.accepts(&child, node) {
            kept.push(walk.document.make_member(name, node));
            records.push(Record {
                rule,
                tier: rule.tier(),
                at: At::Absent(id, name.to_owned()),
                before: None,
                after: Some(Side::Node(node)),
            });
            filled = true;
        }
    }
    filled
}

fn left_out(rule: Rule, tier: Policy, member: Member) -> Record {
    Record { rule, tier, at: At::Node(member.value()), before: Some(Side::Node(member.value())), after: None }
}

/// Whether a key that is not declared is refused here: the schema says so, or the host reads it so.
pub(super) fn closes(walk: &Walk<'_, '_, '_>, view: &View<'_>) -> bool {
    view.is_closed() || walk.contract.undeclared == Undeclared::Refuse && view.ignores_others()
}

/// Whether an undeclared key may stand for something that the host does not want to lose: a declared key in another
/// spelling, or the envelope around everything.
fn may_be_meant(site: &Site<'_>, view: &View<'_>, key: &str, alone: bool) -> bool {
    let fold = folded(key);
    view.declared().iter().any(|name| folded(name) == fold) || alone && site.place.whole && is_envelope_word(key)
}

fn refuses_undeclared(walk: &Walk<'_, '_, '_>, site: &Site<'_>, view: &View<'_>, key: &str) -> bool {
    walk.contract.undeclared == Undeclared::Refuse
        && view.ignores_others()
        && !site.place.declared_anywhere(walk.plan).contains(key)
}

/// Where a tool's definition says `strict: true` the model must send the null.
fn drop_tier(walk: &Walk<'_, '_, '_>) -> Policy {
    if walk.contract.strict_dialect { Policy::Narrow } else { Rule::DropNull.tier() }
}

/// Whether the member is a null that can only mean "left out": the property is declared, could hold something else,
/// and may be absent.
fn drops(walk: &Walk<'_, '_, '_>, view: &View<'_>, child: &Place, name: &str, member: Member) -> bool {
    matches!(walk.document.content(member.value()), Content::Null)
        && walk.allows(Rule::DropNull, drop_tier(walk), child)
        && view.declares(name)
        && !view.requires(name)
        && !walk.view(child, member.value()).is_impossible()
}
