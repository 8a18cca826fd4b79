//! The walk: value and schema together, mending only what fails.
//!
//! At each place the value is asked about first: what is valid stands. Otherwise every rule and every branch of a
//! union offers its candidates, and those that the place accepts are compared: the narrowest tier that has one decides,
//! and within it one value is the answer and two are `ambiguous`. No order of evaluation decides anything.

use super::ledger::{self, Record};
use super::place::{Place, View};
use super::rules;
use super::{array, object, union};
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::issue::Code;
use crate::policy::{Policy, Rule};
use crate::schema::{Plan, Types};

/// One way to make a value valid.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) node: NodeId,
    pub(crate) records: Vec<Record>,
}

/// A value that could not be made valid, mended as far as it goes.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    pub(crate) node: NodeId,
    pub(crate) claims: Vec<Claim>,
}

/// What the repair itself has to say of a place, beside what the validator says.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) at: NodeId,
    pub(crate) code: Code,
    pub(crate) hint: String,
    /// The values that could be meant.
    pub(crate) readings: Vec<Reading>,
    /// Whether it is about the key rather than the value.
    pub(crate) of_key: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Reading {
    Node(NodeId),
    Text(String),
}

pub(crate) enum Mended {
    Done(Candidate),
    Broken(Broken),
}

/// What the rules have to offer at one place.
#[derive(Default)]
pub(crate) struct Offers {
    pub(crate) candidates: Vec<Candidate>,
    /// Two readings whatever the policy: no candidate is taken.
    pub(crate) rival: Option<Claim>,
    /// Why there is no candidate, where the validator's reason would say less.
    pub(crate) reason: Option<Claim>,
    /// The value mended as far as it goes, under the reading that is likely meant.
    pub(crate) partial: Option<Broken>,
}

impl Offers {
    /// Notes why a rule has no candidate. Of two reasons the one about the text itself says more than one about a
    /// number, and that more than two readings, whichever came first.
    pub(crate) fn because(&mut self, claim: Claim) {
        let rank = |claim: &Claim| match claim.code {
            Code::Ambiguous => 0,
            Code::NumberPrecision => 1,
            _ => 2,
        };
        if self.reason.as_ref().is_none_or(|reason| rank(reason) < rank(&claim)) {
            self.reason = Some(claim);
        }
    }
}

/// The place at which a value is mended, before any branch of a union was chosen.
pub(crate) struct Site<'w> {
    pub(crate) place: &'w Place,
    /// What the place accepts, whichever branch is chosen.
    pub(crate) types: Types,
}

/// The state of one call's walk.
pub(crate) struct Walk<'c, 'd, 'a> {
    pub(crate) contract: &'c Inner,
    pub(crate) plan: &'c Plan,
    pub(crate) document: &'d mut Document<'a>,
    /// Every undeclared key that folds to a declared one is renamed: one rename has been licensed somewhere.
    pub(crate) respell: bool,
    work: usize,
}

impl<'c, 'd, 'a> Walk<'c, 'd, 'a> {
    pub(crate) fn new(contract: &'c Inner, document: &'d mut Document<'a>, respell: bool) -> Self {
        Self { contract, plan: contract.schema.plan(), document, respell, work: contract.limits.work }
    }

    /// Whether the work limit was passed: nothing that was found counts then.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work == 0
    }

    /// Whether the policy has a rule at a tier.
    pub(crate) fn allows(&self, rule: Rule, tier: Policy) -> bool {
        self.contract.policy >= rule.policy().max(tier)
    }

    pub(crate) fn has(&self, rule: Rule) -> bool {
        self.allows(rule, Policy::Strict)
    }

    pub(crate) fn types_of(&self, id: NodeId) -> Types {
        Types::of_node(self.document, id)
    }

    pub(crate) fn accepts(&self, place: &Place, id: NodeId) -> bool {
        place.accepts(self.plan, self.document, id)
    }

    pub(crate) fn view(&self, place: &Place, id: NodeId) -> View<'c> {
        place.view(self.plan, self.document, id)
    }

    /// Makes the value `id` valid at `place`, if it can be done without a guess.
    pub(crate) fn mend(&mut self, place: &Place, id: NodeId) -> Mended {
        if place.is_free() {
            return Mended::Done(Candidate { node: id, records: Vec::new() });
        }
        self.work = self.work.saturating_sub(1);
        if self.is_exhausted() {
            return Mended::Broken(Broken { node: id, claims: Vec::new() });
        }
        let valid = self.accepts(place, id);
        let container = matches!(self.document.content(id), Content::Array(_) | Content::Object(_));
        if valid && !(self.respell && container) {
            return Mended::Done(Candidate { node: id, records: Vec::new() });
        }
        let site = Site { place, types: self.view(place, id).types };
        let offers = if valid { self.respelled(&site, place, id) } else { self.offers(&site, place, id) };
        self.decide(place, id, offers)
    }

    /// Everything that the branches and rules offer for a value that is not valid.
    fn offers(&mut self, site: &Site<'_>, place: &Place, id: NodeId) -> Offers {
        self.work = self.work.saturating_sub(1);
        if self.is_exhausted() {
            return Offers::default();
        }
        let view = self.view(place, id);
        if let Some((union, branches)) = view.unions.first().copied() {
            let attempts = branches
                .iter()
                .map(|branch| self.offers(site, &place.choose(union, *branch), id))
                .collect();
            return union::merge(self, branches, id, attempts);
        }
        let mut offers = Offers::default();
        let own = self.types_of(id);
        if view.types.meets(own) {
            match self.document.content(id) {
                Content::Object(_) => object::mend(self, place, &view, id, &mut offers),
                Content::Array(_) => array::mend(self, place, &view, id, &mut offers),
                _ => {}
            }
        }
        for rule in rules::ALL {
            rule(self, &rules::Leaf { site, place, view: &view, own }, id, &mut offers);
        }
        offers
    }

    /// What renaming alone offers for a value that is valid.
    fn respelled(&mut self, site: &Site<'_>, place: &Place, id: NodeId) -> Offers {
        let view = self.view(place, id);
        if let Some((union, branches)) = view.unions.first().copied() {
            let mut all = Offers::default();
            for branch in branches {
                if self.plan.accepts(*branch, self.document, id) {
                    let offers = self.respelled(site, &place.choose(union, *branch), id);
                    all.candidates.extend(offers.candidates);
                    all.reason = all.reason.or(offers.reason);
                    all.partial = all.partial.or(offers.partial);
                }
            }
            return all;
        }
        let mut offers = Offers::default();
        match self.document.content(id) {
            Content::Object(_) => object::mend(self, place, &view, id, &mut offers),
            _ => array::mend(self, place, &view, id, &mut offers),
        }
        offers
    }

    /// Takes a candidate if the place accepts it.
    pub(crate) fn offer(&self, place: &Place, candidate: Candidate, offers: &mut Offers) -> bool {
        let tier = ledger::tier(&candidate.records);
        let taken = tier <= self.contract.policy && self.accepts(place, candidate.node);
        if taken {
            offers.candidates.push(candidate);
        }
        taken
    }

    fn decide(&mut self, place: &Place, id: NodeId, mut offers: Offers) -> Mended {
        let partial = offers.partial.take();
        let broken = |claim: Claim| Mended::Broken(Broken { node: id, claims: vec![claim] });
        if let Some(rival) = offers.rival {
            return broken(rival);
        }
        offers.candidates.retain(|candidate| place.accepts(self.plan, self.document, candidate.node));
        let narrowest = offers.candidates.iter().map(|candidate| ledger::tier(&candidate.records)).min();
        let Some(narrowest) = narrowest else {
            return match (offers.reason, partial) {
                (Some(reason), _) => broken(reason),
                (None, Some(partial)) => Mended::Broken(partial),
                (None, None) => Mended::Broken(Broken { node: id, claims: Vec::new() }),
            };
        };
        offers.candidates.retain(|candidate| ledger::tier(&candidate.records) == narrowest);
        let mut distinct: Vec<Candidate> = Vec::new();
        for candidate in offers.candidates {
            let document = &*self.document;
            let twin = distinct.iter_mut().find(|other| document.node(other.node).same(document.node(candidate.node)));
            match twin {
                // The fewer repairs say the same.
                Some(twin) if candidate.records.len() < twin.records.len() => *twin = candidate,
                Some(_) => {}
                None => distinct.push(candidate),
            }
        }
        let document = &*self.document;
        let simplest: Vec<&Candidate> = distinct
            .iter()
            .filter(|candidate| {
                !distinct.iter().any(|other| {
                    other.records.len() < candidate.records.len()
                        && ledger::is_part(document, &other.records, &candidate.records)
                })
            })
            .collect();
        match simplest.as_slice() {
            [only] => Mended::Done((*only).clone()),
            several => {
                let readings = several.iter().map(|candidate| Reading::Node(candidate.node)).collect();
                broken(Claim::ambiguous(id, readings, "more than one value could be meant here"))
            }
        }
    }
}

impl Claim {
    pub(crate) fn new(at: NodeId, code: Code, hint: impl Into<String>) -> Self {
        Self { at, code, hint: hint.into(), readings: Vec::new(), of_key: false }
    }

    pub(crate) fn ambiguous(at: NodeId, readings: Vec<Reading>, hint: impl Into<String>) -> Self {
        Self { at, code: Code::Ambiguous, hint: hint.into(), readings, of_key: false }
    }
}
