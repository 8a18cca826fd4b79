//! `rename_key`: keys that are spelled another way than declared, and keys that the host has a name of its own for.

use std::collections::{BTreeMap, BTreeSet};

use super::object::closes;
use super::place::View;
use super::walk::{Claim, Reading, Site, Walk};
use crate::collections::{map, set, sorted_by};
use crate::document::{Member, NodeId};
use crate::pointer::folded;
use crate::policy::Rule;

/// How the keys of one object are to be spelled.
pub(crate) struct Spelling {
    /// By the key that was sent.
    pub(crate) renames: BTreeMap<String, Rename>,
    /// Keys with more than one reading.
    pub(crate) claims: Vec<Claim>,
    /// The undeclared keys, folded.
    undeclared: BTreeSet<String>,
}

pub(crate) struct Rename {
    pub(crate) to: String,
    /// Whether it says how the model spells keys, rather than what the host calls one.
    pub(crate) licensed: bool,
    at: NodeId,
}

impl Spelling {
    pub(crate) fn of(walk: &mut Walk<'_, '_, '_>, site: &Site<'_>, view: &View<'_>, members: &[Member]) -> Self {
        let mut spelling = Self { renames: BTreeMap::new(), claims: Vec::new(), undeclared: BTreeSet::new() };
        let document = &*walk.document;
        // Mostly every key is a declared one: then there is nothing to look for.
        if members.iter().all(|member| view.knows(document.key(*member))) {
            return spelling;
        }
        let own = view.declared();
        let present = set(members.iter().map(|member| document.key(*member)));
        let names = by_fold(&own);
        // Once the model is known to spell keys another way, what any branch declares is a name too.
        let elsewhere = site.declared.as_ref().map(by_fold).unwrap_or_default();
        let keys = walk.settings(site.place).flat_map(|property| &property.keys);
        let aliases = map(keys.map(|(alias, key)| (alias.as_str(), key.as_str())));
        for member in members {
            let key = document.key(*member);
            if view.knows(key) {
                continue;
            }
            let fold = folded(key);
            spelling.undeclared.insert(fold.clone());
            if let Some(to) = aliases.get(key).filter(|to| !present.contains(*to)) {
                spelling.rename(key, to, false, *member);
                continue;
            }
            if fold.is_empty() || !walk.has(Rule::RenameKey, site.place) {
                continue;
            }
            let declared_elsewhere = site.declared.as_ref().is_some_and(|declared| declared.contains(key));
            let targets = match names.get(&fold) {
                Some(targets) => targets.as_slice(),
                None if declared_elsewhere => &[],
                None => elsewhere.get(&fold).map(Vec::as_slice).unwrap_or_default(),
            };
            let mut absent = targets.iter().copied().filter(|target| !present.contains(target)).peekable();
            let Some(first) = absent.peek().copied() else { continue };
            let licensed = walk.respell || closes(walk, view) || absent.any(|target| view.requires(target));
            if !licensed {
                continue;
            }
            if targets.len() == 1 {
                spelling.rename(key, first, true, *member);
            } else {
                let readings = targets.iter().map(|target| Reading::Text((*target).to_owned())).collect();
                let hint = "this key could be more than one property: use the exact name";
                spelling.claims.push(Claim::of_key(member.value(), readings, hint));
            }
        }
        spelling.refuse_twins();
        walk.saw_rename |= spelling.renames.values().any(|rename| rename.licensed);
        spelling
    }

    /// Whether some undeclared key spells a name, be it renamed or not.
    pub(crate) fn may_mean(&self, name: &str) -> bool {
        self.undeclared.contains(&folded(name))
    }

    fn rename(&mut self, key: &str, to: &str, licensed: bool, member: Member) {
        self.renames.insert(key.to_owned(), Rename { to: to.to_owned(), licensed, at: member.value() });
    }

    /// Two keys that stand for one have two readings.
    fn refuse_twins(&mut self) {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for rename in self.renames.values() {
            *count.entry(&rename.to).or_default() += 1;
        }
        let is_twin = |key: &str, rename: &Rename| {
            // A key that is not renamed under this policy spells the same all the same.
            let spelled_as_well = folded(key) != folded(&rename.to) && self.may_mean(&rename.to);
            count.get(rename.to.as_str()) > Some(&1) || spelled_as_well
        };
        let twins: Vec<String> =
            self.renames.iter().filter(|(key, rename)| is_twin(key, rename)).map(|(key, _)| key.clone()).collect();
        for key in twins {
            if let Some(rename) = self.renames.remove(&key) {
                let hint = format!("several keys spell `{}`: send one of them under that name", rename.to);
                self.claims.push(Claim::of_key(rename.at, vec![Reading::Text(rename.to)], hint));
            }
        }
        self.claims = sorted_by(std::mem::take(&mut self.claims), |one, two| one.at.cmp(&two.at));
    }
}

fn by_fold<'n>(names: &BTreeSet<&'n str>) -> BTreeMap<String, Vec<&'n str>> {
    let mut folds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        folds.entry(folded(name)).or_default().push(name);
    }
    folds
}
