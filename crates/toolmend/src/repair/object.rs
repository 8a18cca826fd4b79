//! Mending an object that may be one: the spelling of its keys, its members each at its own place, and nulls that
//! mean "left out".

use std::collections::BTreeSet;

use super::ledger::{Record, Side};
use super::place::{Place, View};
use super::walk::{Broken, Candidate, Claim, Mended, Offers, Reading, Site, Walk};
use crate::document::{Content, Member, NodeId};
use crate::policy::{Policy, Rule};

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
    for _ in 0..ROUNDS {
        let settled = attempt.node == id || walk.accepts(place, attempt.node);
        let next = walk.view(place, attempt.node);
        if settled || next.same(view) {
            break;
        }
        // From the start, so that every place is mended once.
        let again = members(walk, site, &next, id);
        let document = &*walk.document;
        let same = document.node(again.node).same(document.node(attempt.node));
        attempt = again;
        if same {
            break;
        }
    }
    let Attempt { node, records, mut claims, doubts, tier, whole } = attempt;
    claims.extend(doubts.iter().cloned());
    let done = whole && walk.offer(place, Candidate { node, records, tier, doubts }, offers);
    if !done {
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
    let mut changed = false;
    let mut spelling = Spelling::of(walk, site, view, &came);
    attempt.claims.append(&mut spelling.claims);
    attempt.whole &= attempt.claims.is_empty();
    for member in came {
        let key = walk.document.key(member).to_owned();
        let renamed = spelling.renames.iter().find(|(from, _)| *from == key).map(|(_, to)| to.clone());
        let name = renamed.as_deref().unwrap_or(&key);
        let child = view.member(name);
        let value = match walk.mend(&child, member.value()) {
            Mended::Done(candidate) => {
                attempt.records.extend(candidate.records);
                attempt.doubts.extend(candidate.doubts);
                attempt.tier = attempt.tier.max(candidate.tier);
                candidate.node
            }
            Mended::Broken(_) if drops(walk, view, name, member) => {
                changed = true;
                attempt.tier = attempt.tier.max(drop_tier(walk));
                attempt.records.push(Record {
                    rule: Rule::DropNull,
                    tier: drop_tier(walk),
                    at: member.value(),
                    before: Some(Side::Node(member.value())),
                    after: None,
                });
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
        if let Some(to) = renamed {
            next = walk.document.rekeyed(next, &to);
            attempt.tier = attempt.tier.max(Rule::RenameKey.policy());
            attempt.records.push(Record {
                rule: Rule::RenameKey,
                tier: Rule::RenameKey.policy(),
                at: member.value(),
                before: Some(Side::Text(key)),
                after: Some(Side::Text(to)),
            });
        }
        kept.push(next);
    }
    if changed {
        attempt.node = walk.document.make_object(&kept, id);
    }
    attempt
}

/// Where a tool's definition says `strict: true` the model must send the null.
fn drop_tier(walk: &Walk<'_, '_, '_>) -> Policy {
    if walk.contract.strict_dialect { Policy::Narrow } else { Rule::DropNull.policy() }
}

/// Whether the member is a null that can only mean "left out": the property is declared, could hold something else,
/// and may be absent.
fn drops(walk: &Walk<'_, '_, '_>, view: &View<'_>, name: &str, member: Member) -> bool {
    matches!(walk.document.content(member.value()), Content::Null)
        && walk.contract.policy >= drop_tier(walk)
        && view.declares(name)
        && !view.requires(name)
        && !walk.view(&view.member(name), member.value()).is_impossible()
}

/// Which keys are spelled another way than declared.
struct Spelling {
    renames: Vec<(String, String)>,
    claims: Vec<Claim>,
}

impl Spelling {
    fn of(walk: &mut Walk<'_, '_, '_>, site: &Site<'_>, view: &View<'_>, members: &[Member]) -> Self {
        let mut spelling = Self { renames: Vec::new(), claims: Vec::new() };
        if !walk.has(Rule::RenameKey) {
            return spelling;
        }
        let document = &*walk.document;
        // Once the model is known to spell keys another way, what any branch declares is declared.
        let declared = site.declared.clone().unwrap_or_else(|| view.declared());
        let present: BTreeSet<&str> = members.iter().map(|member| document.key(*member)).collect();
        let undeclared: Vec<_> = members.iter().filter(|member| {
                let key = document.key(**member);
                !view.knows(key) && !declared.contains(key)
            }).collect();
        for member in &undeclared {
            let key = document.key(**member);
            let folded = fold(key);
            if folded.is_empty() {
                continue;
            }
            let targets: Vec<&str> = declared.iter().copied().filter(|declared| fold(declared) == folded).collect();
            let absent: Vec<&str> = targets.iter().copied().filter(|target| !present.contains(target)).collect();
            let Some(first) = absent.first() else { continue };
            let licensed = walk.respell || view.is_closed() || absent.iter().any(|target| view.requires(target));
            if !licensed {
                continue;
            }
            let twins = undeclared.iter().filter(|other| fold(document.key(***other)) == folded).count();
            if targets.len() == 1 && twins == 1 {
                spelling.renames.push((key.to_owned(), (*first).to_owned()));
            } else {
                let readings = targets.iter().map(|target| Reading::Text((*target).to_owned())).collect();
                let hint = if twins > 1 {
                    format!("several keys spell `{first}`: send one of them under that name")
                } else {
                    "this key could be more than one property: use the exact name".to_owned()
                };
                spelling.claims.push(Claim { of_key: true, ..Claim::ambiguous(member.value(), readings, hint) });
            }
        }
        walk.saw_rename |= !spelling.renames.is_empty();
        spelling
    }
}

/// A key without what differs between the styles of spelling it: `-`, `_` and ASCII case.
pub(crate) fn fold(key: &str) -> String {
    key.chars().filter(|character| !matches!(character, '-' | '_')).map(|character| character.to_ascii_lowercase()).collect()
}
