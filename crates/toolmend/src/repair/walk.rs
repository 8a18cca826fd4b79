//! The walk: value and schema together, mending only what fails.
//!
//! At each place the value is asked about first: what is valid stands. Otherwise every rule and every branch of a
//! union offers its candidates, and those that the place accepts are compared: the narrowest tier that has one decides,
//! and within it one value is the answer and two are `ambiguous`. No order of evaluation decides anything.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::ledger::{self, Record};
use super::place::{Place, View};
use super::rules;
use super::{array, object, union};
use crate::collections::ByNumber;
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::issue::Code;
use crate::policy::{Policy, Rule};
use crate::property::Property;
use crate::schema::{Plan, Types};

/// One way to make a value valid.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) node: NodeId,
    pub(crate) records: Vec<Record>,
    /// The narrowest policy that has all of the repairs.
    pub(crate) tier: Policy,
    /// Places where this is only one of several readings. Such a candidate stands for all of them while its rivals
    /// elsewhere are weighed, and is never an answer.
    pub(crate) doubts: Vec<Claim>,
}

impl Candidate {
    /// A value that is valid as it stands.
    pub(crate) fn unchanged(node: NodeId) -> Self {
        Self { node, records: Vec::new(), tier: Policy::Strict, doubts: Vec::new() }
    }

    /// A value after repairs.
    pub(crate) fn mended(node: NodeId, records: Vec<Record>) -> Self {
        let tier = ledger::tier(&records);
        Self { node, records, tier, doubts: Vec::new() }
    }

    /// One of the readings that `doubt` lists, by a rule of that tier.
    pub(crate) fn doubtful(node: NodeId, tier: Policy, doubt: Claim) -> Self {
        Self { node, records: Vec::new(), tier, doubts: vec![doubt] }
    }

    /// This candidate in the place around it: another node, and what else was done for it.
    pub(crate) fn within(self, node: NodeId, records: Vec<Record>) -> Self {
        let tier = self.tier.max(ledger::tier(&records));
        Self { node, records, tier, doubts: self.doubts }
    }
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

#[derive(Debug, Clone)]
pub(crate) enum Mended {
    Done(Candidate),
    Broken(Broken),
}

/// What a branch counts for against the work limit.
const BRANCH: usize = 200;

/// What a look at a value counts for that tells errors: making an error costs more than finding that there is one.
pub(crate) const TOLD: usize = 20;

impl Mended {
    /// Whether renames are part of the answer, or might make one where there is none.
    pub(crate) fn depends_on_renames(&self) -> bool {
        match self {
            Mended::Done(candidate) => {
                !candidate.doubts.is_empty() || candidate.records.iter().any(|record| record.rule == Rule::RenameKey)
            }
            Mended::Broken(_) => true,
        }
    }
}

/// What the rules have to offer at one place.
#[derive(Default)]
pub(crate) struct Offers {
    pub(crate) candidates: Vec<Candidate>,
    /// One of several readings, where a rule holds back for that; it counts when there is no candidate.
    pub(crate) doubtful: Option<Candidate>,
    /// Why there is no candidate, where the validator's reason would say less.
    pub(crate) reason: Option<Claim>,
    /// The value mended as far as it goes, under the reading that is likely meant.
    pub(crate) partial: Option<Broken>,
}

impl Offers {
    /// Notes why a rule has no candidate. The reason about the text itself says more than one about a number, whichever
    /// came first.
    pub(crate) fn because(&mut self, claim: Claim) {
        let order = |claim: &Claim| (claim.code == Code::NumberPrecision, claim.code, claim.hint.clone());
        if self.reason.as_ref().is_none_or(|reason| order(&claim) < order(reason)) {
            self.reason = Some(claim);
        }
    }

    /// Notes a reading that a rule holds back, of which the narrowest counts.
    pub(crate) fn doubt(&mut self, document: &Document<'_>, candidate: Candidate) {
        let order = |candidate: &Candidate| (candidate.tier, document.node(candidate.node).to_json());
        if self.doubtful.as_ref().is_none_or(|doubtful| order(&candidate) < order(doubtful)) {
            self.doubtful = Some(candidate);
        }
    }
}

/// The place at which a value is mended, before any branch of a union was chosen.
pub(crate) struct Site<'w> {
    pub(crate) place: &'w Place,
    /// What the place accepts, whichever branch is chosen.
    pub(crate) types: Types,
    /// While respelling: every key that any branch declares.
    pub(crate) declared: Option<BTreeSet<&'w str>>,
}

/// The state of one call's walk.
pub(crate) struct Walk<'c, 'd, 'a> {
    pub(crate) contract: &'c Inner,
    pub(crate) plan: &'c Plan,
    pub(crate) document: &'d mut Document<'a>,
    /// Every undeclared key that folds to a declared one is renamed: one rename has been licensed somewhere.
    pub(crate) respell: bool,
    /// Whether any rename was licensed, in whatever reading.
    pub(crate) saw_rename: bool,
    /// Whether a valid value may be changed as well: by what the host asked for, or by renames.
    pub(crate) rewrites: bool,
    /// The whole value that was accepted last.
    accepted: Cell<Option<NodeId>>,
    /// What was found already: unions ask for the same value at the same place again and again.
    known: ByNumber<(Place, NodeId), Mended>,
    /// The values that texts hold.
    pub(crate) decoded: ByNumber<NodeId, Decoded>,
    work: Cell<usize>,
}

/// What a text holds and the repairs it takes to read it, or why it cannot be read, where that says more than the wrong
/// type does.
pub(crate) type Decoded = Result<(NodeId, Vec<Record>), Option<Claim>>;

impl<'c, 'd, 'a> Walk<'c, 'd, 'a> {
    pub(crate) fn new(contract: &'c Inner, document: &'d mut Document<'a>, respell: bool) -> Self {
        Self {
            contract,
            plan: contract.schema.plan(),
            document,
            respell,
            saw_rename: false,
            rewrites: respell || contract.rewrites_valid(),
            accepted: Cell::new(None),
            known: ByNumber::default(),
            decoded: ByNumber::default(),
            work: Cell::new(contract.limits.work),
        }
    }

    /// Whether the work limit was passed: nothing that was found counts then.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work.get() == 0
    }

    /// Counts the look at a value against the work limit.
    pub(crate) fn charge(&self, id: NodeId) {
        self.spend(self.document.size(id));
    }

    /// Counts looks at that many values against the work limit.
    pub(crate) fn spend(&self, looks: usize) {
        self.work.set(self.work.get().saturating_sub(looks));
    }

    /// Whether a rule is on at a place, where it takes at least the preset `from`.
    pub(crate) fn allows(&self, rule: Rule, from: Policy, place: &Place) -> bool {
        self.contract.allows(rule, from, place.path())
    }

    /// Whether a rule is on at a place.
    pub(crate) fn has(&self, rule: Rule, place: &Place) -> bool {
        self.allows(rule, rule.tier(), place)
    }

    /// What the host says of a place.
    pub(crate) fn settings(&self, place: &Place) -> impl Iterator<Item = &'c Property> {
        self.contract.settings(place.path())
    }

    pub(crate) fn types_of(&self, id: NodeId) -> Types {
        Types::of_node(self.document, id)
    }

    pub(crate) fn accepts(&self, place: &Place, id: NodeId) -> bool {
        self.charge(id);
        let accepts = place.accepts(self.plan, self.document, id);
        if accepts && place.whole {
            self.accepted.set(Some(id));
        }
        accepts
    }

    /// Whether the place of the whole arguments has accepted the value.
    pub(crate) fn has_accepted(&self, id: NodeId) -> bool {
        self.accepted.get() == Some(id)
    }

    pub(crate) fn view(&self, place: &Place, id: NodeId) -> View<'c> {
        place.view(self.plan, self.document, id)
    }

    /// The verdict on the value of a member as it came; `None` where the host has a say in it. Most values are valid, and
    /// those need no place of their own.
    pub(crate) fn verdict(&self, view: &View<'_>, key: &str, id: NodeId) -> Option<bool> {
        if self.rewrites || !self.contract.properties.is_empty() {
            return None;
        }
        let accepts = |schema| {
            self.charge(id);
            self.plan.accepts(schema, self.document, id)
        };
        Some(view.member_schemas(key).all(accepts))
    }

    /// Makes the value `id` valid at `place`, if it can be done without a guess.
    pub(crate) fn mend(&mut self, place: &Place, id: NodeId) -> Mended {
        self.mend_known(place, id, None)
    }

    /// The same for a value on which there may be a verdict already.
    pub(crate) fn mend_known(&mut self, place: &Place, id: NodeId, verdict: Option<bool>) -> Mended {
        if place.is_free() {
            return Mended::Done(Candidate::unchanged(id));
        }
        if self.is_exhausted() {
            return Mended::Broken(Broken { node: id, claims: Vec::new() });
        }
        // A scalar is found again as fast as it is looked up.
        if !self.is_container(id) {
            return self.mend_new(place, id, verdict);
        }
        let key = (place.clone(), id);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mended = self.mend_new(place, id, verdict);
        self.known.insert(key, mended.clone());
        mended
    }

    fn is_container(&self, id: NodeId) -> bool {
        matches!(self.document.content(id), Content::Array(_) | Content::Object(_))
    }

    fn mend_new(&mut self, place: &Place, id: NodeId, verdict: Option<bool>) -> Mended {
        let (node, aliased) = self.aliased(place, id);
        match self.mend_value(place, node, verdict.filter(|_| node == id)) {
            Mended::Done(candidate) if !aliased.is_empty() => {
                let records = aliased.into_iter().chain(candidate.records.iter().cloned()).collect();
                let node = candidate.node;
                Mended::Done(candidate.within(node, records))
            }
            mended => mended,
        }
    }

    /// The value that the host's aliases put in place of a text.
    fn aliased(&mut self, place: &Place, id: NodeId) -> (NodeId, Vec<Record>) {
        let Some(text) = self.document.node(id).as_str() else { return (id, Vec::new()) };
        let canonical = self.settings(place).find_map(|property| {
            let other = || property.other.as_ref().filter(|_| !self.accepts(place, id));
            property.aliases.get(text).or_else(other)
        });
        match canonical {
            None => (id, Vec::new()),
            Some(canonical) => {
                let node = self.document.make_value(canonical, id);
                (node, vec![Record::value(Rule::Alias, id, id, node)])
            }
        }
    }

    fn mend_value(&mut self, place: &Place, id: NodeId, verdict: Option<bool>) -> Mended {
        let valid = verdict.unwrap_or_else(|| self.accepts(place, id));
        if valid && !(self.is_container(id) && self.rewrites) {
            return Mended::Done(Candidate::unchanged(id));
        }
        let types = self.view(place, id).types;
        let declared = self.respell.then(|| place.declared_anywhere(self.plan));
        let site = Site { place, types, declared };
        let mut offers = if valid { self.rewritten(&site, place, id) } else { Offers::default() };
        if offers.candidates.is_empty() {
            offers = self.offers(&site, place, id);
        }
        self.decide(id, offers)
    }

    /// Everything that the branches and rules offer for a value that is not valid.
    fn offers(&mut self, site: &Site<'_>, place: &Place, id: NodeId) -> Offers {
        // What it costs to look at a branch is more than what it costs to judge a scalar.
        self.spend(BRANCH);
        if self.is_exhausted() {
            return Offers::default();
        }
        let view = self.view(place, id);
        if let Some((union, branches)) = view.unions.first().copied() {
            let branches = match union::tagged(self, branches, id) {
                Some(index) => branches.get(index..=index).unwrap_or(branches),
                None => branches,
            };
            let attempts = branches.iter().map(|branch| self.offers(site, &place.choose(union, *branch), id)).collect();
            return union::merge(self, branches, id, attempts);
        }
        let mut offers = Offers::default();
        let own = self.types_of(id);
        if view.types.meets(own) {
            match self.document.content(id) {
                Content::Object(_) => object::mend(self, site, place, &view, id, &mut offers),
                Content::Array(_) => array::mend(self, place, &view, id, &mut offers),
                _ => {}
            }
        }
        for rule in rules::ALL {
            rule(self, &rules::Leaf { site, place, view: &view, own }, id, &mut offers);
        }
        offers
    }

    /// What renaming and the host's rules offer for a value that is valid.
    fn rewritten(&mut self, site: &Site<'_>, place: &Place, id: NodeId) -> Offers {
        let view = self.view(place, id);
        if let Some((union, branches)) = view.unions.first().copied() {
            let mut all = Offers::default();
            for branch in branches {
                if self.plan.accepts(*branch, self.document, id) {
                    let offers = self.rewritten(site, &place.choose(union, *branch), id);
                    all.candidates.extend(offers.candidates);
                    if let Some(doubtful) = offers.doubtful {
                        all.doubt(self.document, doubtful);
                    }
                    all.reason = all.reason.or(offers.reason);
                    all.partial = all.partial.or(offers.partial);
                }
            }
            return all;
        }
        let mut offers = Offers::default();
        match self.document.content(id) {
            Content::Object(_) => object::mend(self, site, place, &view, id, &mut offers),
            _ => array::mend(self, place, &view, id, &mut offers),
        }
        offers
    }

    /// Takes a candidate if the place accepts it.
    pub(crate) fn offer(&self, place: &Place, candidate: Candidate, offers: &mut Offers) -> bool {
        let taken = self.accepts(place, candidate.node);
        if taken {
            offers.candidates.push(candidate);
        }
        taken
    }

    fn decide(&self, id: NodeId, mut offers: Offers) -> Mended {
        let narrowest = offers.candidates.iter().map(|candidate| candidate.tier).min();
        let Some(narrowest) = narrowest else {
            return match (offers.reason, offers.doubtful, offers.partial) {
                (Some(reason), _, _) => Mended::Broken(Broken { node: id, claims: vec![reason] }),
                (None, Some(doubtful), _) => Mended::Done(doubtful),
                (None, None, Some(partial)) => Mended::Broken(partial),
                (None, None, None) => Mended::Broken(Broken { node: id, claims: Vec::new() }),
            };
        };
        offers.candidates.retain(|candidate| candidate.tier == narrowest);
        let mut distinct: Vec<Candidate> = Vec::new();
        for candidate in offers.candidates {
            let document = &*self.document;
            let twin = distinct.iter_mut().find(|other| document.node(other.node).same(document.node(candidate.node)));
            match twin {
                Some(twin) if candidate.weight() < twin.weight() => *twin = candidate,
                Some(_) => {}
                None => distinct.push(candidate),
            }
        }
        let document = &*self.document;
        let simplest: Vec<&Candidate> = distinct
            .iter()
            .filter(|candidate| {
                !distinct.iter().any(|other| {
                    other.doubts.is_empty()
                        && other.records.len() < candidate.records.len()
                        && ledger::is_part(document, &other.records, &candidate.records)
                })
            })
            .collect();
        match simplest.as_slice() {
            [only] => Mended::Done((*only).clone()),
            several => {
                let readings = several.iter().map(|candidate| Reading::Node(candidate.node)).collect();
                let claim = Claim::ambiguous(id, readings, "more than one value could be meant here");
                // Which of them stands for all must not depend on the order of branches.
                let first = several.iter().min_by_key(|candidate| document.node(candidate.node).to_json());
                let node = first.map_or(id, |candidate| candidate.node);
                Mended::Done(Candidate::doubtful(node, narrowest, claim))
            }
        }
    }
}

impl Candidate {
    /// Of two candidates with one value the doubtful one counts, whose other readings are not gone, and otherwise the
    /// one with fewer repairs.
    fn weight(&self) -> (bool, usize) {
        (self.doubts.is_empty(), self.records.len())
    }
}

impl Claim {
    pub(crate) fn new(at: NodeId, code: Code, hint: impl Into<String>) -> Self {
        Self { at, code, hint: hint.into(), readings: Vec::new(), of_key: false }
    }

    /// Two readings of a key.
    pub(crate) fn of_key(at: NodeId, readings: Vec<Reading>, hint: impl Into<String>) -> Self {
        Self { of_key: true, ..Self::ambiguous(at, readings, hint) }
    }

    pub(crate) fn ambiguous(at: NodeId, readings: Vec<Reading>, hint: impl Into<String>) -> Self {
        Self { at, code: Code::Ambiguous, hint: hint.into(), readings, of_key: false }
    }
}
