//! One value to judge: a node of a document, or the name of a member.

use std::str::FromStr;

use jsonschema_value::cmp;
use serde_json::{Map, Number, Value};

use super::{Content, Document, Member, NodeId};

/// A value to validate: a node, or the name of a member (for `propertyNames`).
#[derive(Clone, Copy)]
pub(crate) enum Instance<'a> {
    Node(&'a Document<'a>, NodeId),
    Name(&'a str),
}

impl<'a> Instance<'a> {
    #[inline]
    pub(crate) fn node(&self) -> Option<(&'a Document<'a>, NodeId)> {
        match *self {
            Instance::Node(document, id) => Some((document, id)),
            Instance::Name(_) => None,
        }
    }

    #[inline]
    fn content(&self) -> Option<Content> {
        self.node().map(|(document, id)| document.content(id))
    }

    /// The text of a string.
    #[inline]
    pub(crate) fn text(&self) -> Option<&'a str> {
        let Some((document, id)) = self.node() else {
            return if let Instance::Name(name) = *self { Some(name) } else { None };
        };
        match document.content(id) {
            Content::String(slice) => Some(document.slice(slice)),
            _ => None,
        }
    }

    /// The text of a number.
    #[inline]
    pub(crate) fn digits(&self) -> Option<&'a str> {
        match (self.node()?, self.content()?) {
            ((document, _), Content::Number(slice)) => Some(document.slice(slice)),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn items(&self) -> Option<(&'a Document<'a>, &'a [NodeId])> {
        match (self.node()?, self.content()?) {
            ((document, _), Content::Array(run)) => Some((document, document.items(run))),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn members(&self) -> Option<(&'a Document<'a>, &'a [Member])> {
        match (self.node()?, self.content()?) {
            ((document, _), Content::Object(run)) => Some((document, document.members(run))),
            _ => None,
        }
    }

    /// The items of an array, nothing for any other value.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (&'a Document<'a>, NodeId)> + use<'a> {
        self.items().into_iter().flat_map(|(document, items)| items.iter().map(move |item| (document, *item)))
    }

    /// The members of an object, nothing for any other value.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a Document<'a>, Member)> + use<'a> {
        self.members().into_iter().flat_map(|(document, members)| members.iter().map(move |member| (document, *member)))
    }

    /// Whether it is an object that has the member.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries().any(|(document, member)| document.key(member) == key)
    }

    /// Whether it is equal to a value of the schema: numbers by their value, however they are written.
    pub(crate) fn equals(&self, expected: &Value) -> bool {
        match (self.text(), expected) {
            (Some(text), Value::String(expected)) => text == expected,
            (Some(_), _) | (None, Value::String(_)) => false,
            (None, _) => self.node().is_some_and(|(document, id)| cmp::equal(&to_value(document, id), expected)),
        }
    }
}

/// The value as `serde_json` has it, every digit kept.
pub(crate) fn to_value(document: &Document<'_>, id: NodeId) -> Value {
    match document.content(id) {
        Content::Null => Value::Null,
        Content::Bool(value) => Value::Bool(value),
        Content::Number(slice) => Value::Number(number(document.slice(slice))),
        Content::String(slice) => Value::String(document.slice(slice).to_owned()),
        Content::Array(run) => Value::Array(document.items(run).iter().map(|item| to_value(document, *item)).collect()),
        Content::Object(run) => {
            let members = document.members(run).iter();
            let object: Map<String, Value> =
                members.map(|member| (document.key(*member).to_owned(), to_value(document, member.value()))).collect();
            Value::Object(object)
        }
    }
}

fn number(text: &str) -> Number {
    Number::from_str(text).unwrap_or_else(|_| Number::from(0))
}
