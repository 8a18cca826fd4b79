//! What is valid but looks wrong: keys that the tool will likely ignore, strings without their format, and JSON text
//! where text is allowed.

use super::place::{Place, View};
use super::report;
use super::wording::list;
use crate::collections::set;
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::issue::{Code, Issue};
use crate::options::Undeclared;
use crate::schema::Plan;

/// The warnings about an accepted value.
pub(crate) fn find(contract: &Inner, document: &Document<'_>, id: NodeId) -> Vec<Issue> {
    let survey = Survey::of(contract, document, id);
    let mut warnings = survey.undeclared;
    warnings.extend(survey.texts);
    let errors = contract.schema.format_violations(document, id, contract.limits.issues);
    warnings.extend(report::format_warnings(contract, document, id, &errors));
    warnings.truncate(contract.limits.issues);
    warnings
}

/// Every undeclared key of an object that has declared properties and does not speak of others.
pub(crate) fn undeclared(contract: &Inner, document: &Document<'_>, id: NodeId) -> Vec<Issue> {
    Survey::of(contract, document, id).undeclared
}

struct Survey<'s> {
    contract: &'s Inner,
    plan: &'s Plan,
    document: &'s Document<'s>,
    undeclared: Vec<Issue>,
    texts: Vec<Issue>,
}

impl<'s> Survey<'s> {
    fn of(contract: &'s Inner, document: &'s Document<'s>, id: NodeId) -> Self {
        let plan = contract.schema.plan();
        let mut survey = Self { contract, plan, document, undeclared: Vec::new(), texts: Vec::new() };
        // Where every object is closed, or speaks of other keys, nothing depends on where a text stands.
        let places = if plan.ignores_others() { vec![Place::whole(plan)] } else { Vec::new() };
        survey.look(&places, id);
        survey
    }

    fn look(&mut self, places: &[Place], id: NodeId) {
        let document = self.document;
        match document.content(id) {
            Content::String(slice) => self.text(document.slice(slice), id),
            Content::Array(run) => {
                let views = self.branches(places, id);
                for (index, item) in document.items(run).iter().enumerate() {
                    if self.is_container(*item) {
                        self.look(&below(views.iter().map(|view| view.item(index))), *item);
                    } else {
                        self.look(&[], *item);
                    }
                }
            }
            Content::Object(run) => {
                let views = self.branches(places, id);
                // Where more than one branch accepts the value, what any of them declares is declared.
                let ignores = !views.is_empty() && views.iter().all(View::ignores_others);
                for member in document.members(run) {
                    let key = document.key(*member);
                    if ignores
                        && self.undeclared.len() < self.contract.limits.issues
                        && !views.iter().any(|view| view.knows(key))
                    {
                        self.undeclared.push(self.ignored(&views, key, member.value()));
                    }
                    if self.is_container(member.value()) {
                        self.look(&below(views.iter().map(|view| view.member(key))), member.value());
                    } else {
                        self.look(&[], member.value());
                    }
                }
            }
            Content::Null | Content::Bool(_) | Content::Number(_) => {}
        }
    }

    /// Whether it matters which places a value stands at: nothing is said of a scalar that depends on it.
    fn is_container(&self, id: NodeId) -> bool {
        matches!(self.document.content(id), Content::Array(_) | Content::Object(_))
    }

    fn ignored(&self, views: &[View<'_>], key: &str, id: NodeId) -> Issue {
        let hint = match self.contract.undeclared {
            Undeclared::Warn => "not among the declared properties: the tool may ignore it".to_owned(),
            Undeclared::Refuse => {
                let declared = set(views.iter().flat_map(View::declared).map(str::to_owned));
                format!("unknown key; known are {}", list(declared.iter()))
            }
        };
        let mut issue = report::about(self.contract, self.document, id, Code::UnknownProperty, hint);
        issue.received = None;
        issue.candidates = report::similar(key, views.iter().flat_map(View::declared));
        issue
    }

    fn text(&mut self, text: &str, id: NodeId) {
        let looks =
            matches!(text.trim_end().bytes().last(), Some(b'}' | b']')) && text.trim_start().starts_with(['{', '[']);
        if looks && self.texts.len() < self.contract.limits.issues && Document::parse(text).is_ok() {
            let hint = "text that is JSON: sent as text, not as the value";
            self.texts.push(report::about(self.contract, self.document, id, Code::Ambiguous, hint));
        }
    }

    /// The places seen with the value, every union resolved to each branch that accepts it.
    fn branches(&self, places: &[Place], id: NodeId) -> Vec<View<'s>> {
        // More accepting combinations than this say nothing about which keys are meant.
        const MOST: usize = 16;
        let mut open = places.to_vec();
        let mut done = Vec::new();
        while let Some(place) = open.pop() {
            let view = place.view(self.plan, self.document, id);
            match view.unions.first() {
                Some((union, branches)) if open.len() + done.len() < MOST => {
                    let accepting = branches.iter().filter(|branch| self.plan.accepts(**branch, self.document, id));
                    open.extend(accepting.map(|branch| place.choose(*union, *branch)));
                }
                _ => done.push(view),
            }
        }
        done
    }
}

fn below(places: impl Iterator<Item = Place>) -> Vec<Place> {
    places.filter(|place| !place.is_free()).collect()
}
