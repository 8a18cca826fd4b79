//! What of the input is not echoed: in previews, readings, repairs, and keys inside pointers.
//!
//! A property is sensitive when its schema says so (`x-sensitive: true`, `writeOnly: true`, `format: password`) or the
//! host does. It is known by its name, however it is spelled and wherever it stands: a secret under a misspelled key or
//! inside an envelope or text is one all the same.

use std::collections::BTreeSet;

use crate::collections::set;
use crate::document::{Kind, Node, write_string};
use crate::issue::{Issue, Json, Received};
use crate::pointer::{Pointer, folded, tokens};
use crate::schema::{Plan, Types};

/// What the host wants kept out of everything that is told about a call. The value itself is never touched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redact {
    /// No value that came is echoed.
    pub values: bool,
    /// No key that the schema does not declare is echoed.
    pub keys: bool,
    /// Properties whose values are not echoed, as patterns of JSON Pointers.
    pub properties: Vec<String>,
}

/// In place of what is not echoed.
const MASK: &str = "***";

/// The redaction in force for a contract.
#[derive(Debug)]
pub(crate) struct Redaction {
    values: bool,
    keys: bool,
    /// Names of sensitive properties, folded.
    names: BTreeSet<String>,
}

impl Redaction {
    pub(crate) fn new(redact: &Redact, plan: &Plan) -> Self {
        let mut names = set(plan.sensitive().map(folded));
        for pattern in &redact.properties {
            // The items of a list are as sensitive as the list.
            names.extend(
                tokens(pattern)
                    .filter(|token| token != "*" && token.parse::<usize>().is_err())
                    .last()
                    .map(|name| folded(&name)),
            );
        }
        Self { values: redact.values, keys: redact.keys, names }
    }

    /// Whether raw text may be echoed: it may hold anything.
    fn hides_text(&self) -> bool {
        self.values || !self.names.is_empty()
    }

    /// Whether the value at a place of the input is hidden.
    fn hides(&self, node: Node<'_>) -> bool {
        self.values || !self.names.is_empty() && tokens(node.origin().as_str()).any(|token| self.is_sensitive(&token))
    }

    fn is_sensitive(&self, key: &str) -> bool {
        self.names.contains(&folded(key))
    }

    /// A value for an outcome.
    pub(crate) fn json(&self, node: Node<'_>) -> Json {
        if self.hides(node) {
            return Json::string(MASK);
        }
        if self.names.is_empty() {
            return Json::from(node);
        }
        let mut out = String::new();
        self.write(node, &mut out);
        Json::canonical(out)
    }

    /// Text of the input for an outcome.
    pub(crate) fn text(&self, text: &str) -> Json {
        Json::string(if self.hides_text() { MASK } else { text })
    }

    /// A string of the input that holds JSON.
    pub(crate) fn json_text(&self, node: Node<'_>) -> Json {
        if self.hides_text() { Json::string(MASK) } else { Json::from(node) }
    }

    /// What came as raw text.
    pub(crate) fn received_text(&self, text: &str) -> Received {
        Received::new("text", (!self.hides_text()).then_some(text))
    }

    /// What came at a place.
    pub(crate) fn received(&self, node: Node<'_>, types: Types) -> Received {
        let kind = types.names().first().copied().unwrap_or("null");
        let scalar = !types.meets(Types::CONTAINERS) && types != Types::NULL;
        let hidden = self.hides(node) || !self.names.is_empty() && node.as_str().is_some_and(may_hold_json);
        let text = (scalar && !hidden).then(|| node.to_json());
        Received::new(kind, text.as_deref())
    }

    /// An issue that a host made.
    pub(crate) fn issue(&self, plan: &Plan, issue: Issue) -> Issue {
        let pointer = tokens(&issue.path).fold(Pointer::root(), |pointer, token| pointer.key(&token));
        let hidden = self.values
            || tokens(&issue.path).any(|token| self.is_sensitive(&token))
            || issue.path.is_empty() && self.hides_text();
        let received =
            issue.received.map(|received| if hidden { Received { preview: None, ..received } } else { received });
        let candidates = if hidden { Vec::new() } else { issue.candidates };
        Issue { path: self.pointer(plan, pointer).into(), received, candidates, ..issue }
    }

    /// A key that the schema does not declare.
    pub(crate) fn key<'k>(&self, key: &'k str) -> &'k str {
        if self.keys { MASK } else { key }
    }

    /// A pointer into the input.
    pub(crate) fn pointer(&self, plan: &Plan, pointer: Pointer) -> Pointer {
        if self.keys { plan.declared_pointer(&pointer, MASK) } else { pointer }
    }

    fn write(&self, node: Node<'_>, out: &mut String) {
        match node.kind() {
            Kind::Array(elements) => {
                out.push('[');
                for (index, element) in elements.enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(element, out);
                }
                out.push(']');
            }
            Kind::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(out, key);
                    out.push(':');
                    if self.is_sensitive(key) {
                        write_string(out, MASK);
                    } else {
                        self.write(value, out);
                    }
                }
                out.push('}');
            }
            Kind::String(text) if may_hold_json(text) => {
                write_string(out, MASK);
            }
            _ => node.write_to(out),
        }
    }
}

/// Text that may hold a whole call.
fn may_hold_json(text: &str) -> bool {
    text.contains(['{', '['])
}
