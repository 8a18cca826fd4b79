//! Reading a document: the value under a node, and its canonical JSON text.

use std::fmt::{self, Write as _};

use super::{Content, Document, Member, NodeId};
use crate::certain::plain_end;
use crate::pointer::Pointer;

/// One value of a [`Document`].
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    id: NodeId,
}

/// What a [`Node`] holds. A number is the text in which it was written (RFC 8259 section 6): no digit is lost.
#[derive(Debug, Clone)]
pub enum Kind<'d> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(&'d str),
    /// A string, unescaped.
    String(&'d str),
    /// An array and its elements in order.
    Array(Elements<'d>),
    /// An object and its members in the order in which they came.
    Object(Members<'d>),
}

impl<'d> Node<'d> {
    #[inline]
    pub(super) fn new(document: &'d Document<'_>, id: NodeId) -> Self {
        Self { document, id }
    }

    #[inline]
    pub(crate) fn id(self) -> NodeId {
        self.id
    }

    /// The value under this node.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Kind<'d> {
        let document = self.document;
        match document.content(self.id) {
            Content::Null => Kind::Null,
            Content::Bool(value) => Kind::Bool(value),
            Content::Number(slice) => Kind::Number(document.slice(slice)),
            Content::String(slice) => Kind::String(document.slice(slice)),
            Content::Array(run) => Kind::Array(Elements { document, items: document.items(run).iter() }),
            Content::Object(run) => Kind::Object(Members { document, members: document.members(run).iter() }),
        }
    }

    /// The JSON Pointer of the place in the input that this value stands for: after repairs it may stand elsewhere.
    #[must_use]
    pub fn origin(self) -> Pointer {
        self.document.pointer(self.id)
    }

    /// The elements of an array, nothing for any other value.
    #[must_use]
    pub fn elements(self) -> Elements<'d> {
        match self.kind() {
            Kind::Array(elements) => elements,
            _ => Elements { document: self.document, items: [].iter() },
        }
    }

    /// The members of an object, nothing for any other value.
    #[must_use]
    pub fn members(self) -> Members<'d> {
        match self.kind() {
            Kind::Object(members) => members,
            _ => Members { document: self.document, members: [].iter() },
        }
    }

    /// The member `key` of an object.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.members().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        match self.kind() {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether two values are equal: numbers by their digits as written, objects whatever the order of their members.
    #[must_use]
    pub fn same(self, other: Node<'_>) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(one), Kind::Bool(two)) => one == two,
            (Kind::Number(one), Kind::Number(two)) | (Kind::String(one), Kind::String(two)) => one == two,
            (Kind::Array(one), Kind::Array(two)) => {
                one.len() == two.len() && one.zip(two).all(|(one, two)| one.same(two))
            }
            (Kind::Object(mut one), Kind::Object(two)) => {
                one.len() == two.len() && one.all(|(key, value)| other.get(key).is_some_and(|found| value.same(found)))
            }
            _ => false,
        }
    }

    /// The canonical JSON text: no white space, members in the order in which they came, numbers as they were written.
    #[must_use]
    pub fn to_json(self) -> String {
        // A value is seldom longer than the text that it came in.
        let mut out = String::with_capacity(if self.id == self.document.root { self.document.text.len() } else { 0 });
        self.write_to(&mut out);
        out
    }

    /// Writes the canonical JSON text behind what stands in `out`.
    pub(crate) fn write_to(self, out: &mut String) {
        match self.kind() {
            Kind::Null => out.push_str("null"),
            Kind::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Kind::Number(text) => out.push_str(text),
            Kind::String(text) => write_string(out, text),
            Kind::Array(elements) => {
                out.push('[');
                for (index, element) in elements.enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    element.write_to(out);
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
                    value.write_to(out);
                }
                out.push('}');
            }
        }
    }
}

/// What [`Node::to_json`] gives.
impl fmt::Display for Node<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_json())
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_json())
    }
}

/// Writes `text` as a JSON string (RFC 8259 section 7), escaping only what must be.
pub(crate) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    loop {
        let at = plain_end(text.as_bytes(), plain);
        out.push_str(text.get(plain..at).unwrap_or_default());
        match text.as_bytes().get(at) {
            None => break,
            Some(b'"') => out.push_str("\\\""),
            Some(b'\\') => out.push_str("\\\\"),
            Some(b'\n') => out.push_str("\\n"),
            Some(b'\r') => out.push_str("\\r"),
            Some(b'\t') => out.push_str("\\t"),
            Some(8) => out.push_str("\\b"),
            Some(12) => out.push_str("\\f"),
            Some(other) => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{other:04x}");
            }
        }
        plain = at + 1;
    }
    out.push('"');
}

/// `text` as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// The elements of an array.
#[derive(Debug, Clone)]
pub struct Elements<'d> {
    document: &'d Document<'d>,
    items: std::slice::Iter<'d, NodeId>,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Node<'d>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.items.next().map(|id| Node { document: self.document, id: *id })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Members<'d> {
    document: &'d Document<'d>,
    members: std::slice::Iter<'d, Member>,
}

impl<'d> Iterator for Members<'d> {
    type Item = (&'d str, Node<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.members
            .next()
            .map(|member| (self.document.key(*member), Node { document: self.document, id: member.value() }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members.size_hint()
    }
}

impl ExactSizeIterator for Members<'_> {}
