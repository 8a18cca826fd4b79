//! Repairs as they are found: which rule, at which node, from what to what.

use crate::contract::Inner;
use crate::document::{Document, NodeId};
use crate::issue::Json;
use crate::outcome::Repair;
use crate::policy::{Policy, Rule};

/// One repair, by nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) rule: Rule,
    /// The narrowest policy that may do it.
    pub(crate) tier: Policy,
    pub(crate) at: At,
    pub(crate) before: Option<Side>,
    pub(crate) after: Option<Side>,
}

/// The place of a repair.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    /// Where that node stands in the input.
    Node(NodeId),
    /// A member of that object which did not come.
    Absent(NodeId, String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Side {
    Node(NodeId),
    /// JSON text that stood between two repairs.
    Json(String),
    /// A key.
    Key(String),
}

impl Record {
    /// A repair that puts one value in the place of another, by a rule that its own preset has.
    pub(crate) fn value(rule: Rule, at: NodeId, before: NodeId, after: NodeId) -> Self {
        Self {
            rule,
            tier: rule.tier(),
            at: At::Node(at),
            before: Some(Side::Node(before)),
            after: Some(Side::Node(after)),
        }
    }

    pub(crate) fn into_repair(self, contract: &Inner, document: &Document<'_>) -> Repair {
        let redaction = contract.redaction();
        let pointer = match &self.at {
            At::Node(id) => document.pointer(*id),
            At::Absent(parent, key) => document.pointer(*parent).key(key),
        };
        let holds_json = matches!(self.rule, Rule::ParseJsonString | Rule::RelaxedSyntax);
        let json = |side: Side| match side {
            Side::Node(id) if holds_json && document.node(id).as_str().is_some() => {
                redaction.json_text(document.node(id))
            }
            Side::Node(id) => redaction.json(document.node(id)),
            Side::Json(text) => redaction.text(&text),
            Side::Key(key) => Json::string(&key),
        };
        let before = match self.before {
            // The key that was sent is one that the schema does not declare.
            Some(Side::Key(key)) => Some(Json::string(redaction.key(&key))),
            before => before.map(json),
        };
        Repair {
            rule: self.rule,
            path: redaction.pointer(contract.schema.plan(), pointer).into(),
            before,
            after: self.after.map(json),
            lossy: self.rule == Rule::DropUnknown,
        }
    }
}

/// The widest tier among repairs; none at all is `strict`.
pub(crate) fn tier(records: &[Record]) -> Policy {
    records.iter().map(|record| record.tier).max().unwrap_or(Policy::Strict)
}

/// Whether every repair of `part` is among those of `whole`: the same rules at the same places of the input.
pub(crate) fn is_part(document: &Document<'_>, part: &[Record], whole: &[Record]) -> bool {
    let key = |record: &Record| match &record.at {
        At::Node(id) => (record.rule, At::Node(document.origin(*id))),
        At::Absent(parent, key) => (record.rule, At::Absent(document.origin(*parent), key.clone())),
    };
    let mut left: Vec<_> = whole.iter().map(key).collect();
    part.iter().map(key).all(|wanted| match left.iter().position(|found| *found == wanted) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}
