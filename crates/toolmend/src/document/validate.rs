//! The `jsonschema` crate's view of a document, through its own representation traits: a validator runs over the
//! arena as it is, and no `serde_json::Value` is built.

use std::borrow::Cow;

use jsonschema::json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object};
use jsonschema::types::JsonType;
use jsonschema_value::LazyInstance;
use serde_json::{Number, Value};

use super::instance::{Instance, number};
use super::{Content, Document, Member, NodeId, Run, to_value};

/// The document's form, to the validator.
pub(crate) struct DocumentJson;

impl Json for DocumentJson {
    type Node<'a> = Instance<'a>;
    type PreparedKey = String;
    type StringBuffer = ();

    // A lookup scans the members, so one pass over them is cheaper than several lookups.
    const KEYS_PER_LOOKUP: usize = 4;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(Instance<'_>) -> T) -> T {
        f(Instance::Name(string))
    }
}

impl<'a> JsonNode<'a, DocumentJson> for Instance<'a> {
    type Object = ObjectInstance<'a>;
    type Array = ArrayInstance<'a>;
    type Number = NumberInstance<'a>;

    fn as_object(&self) -> Option<ObjectInstance<'a>> {
        match (self.node()?.0, self.content()?) {
            (document, Content::Object(run)) => Some(ObjectInstance { document, run }),
            _ => None,
        }
    }

    fn as_array(&self) -> Option<ArrayInstance<'a>> {
        match (self.node()?.0, self.content()?) {
            (document, Content::Array(run)) => Some(ArrayInstance { document, run }),
            _ => None,
        }
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.text().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<NumberInstance<'a>> {
        match (self.node()?.0, self.content()?) {
            (document, Content::Number(slice)) => Some(NumberInstance(document.slice(slice))),
            _ => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        match self.content()? {
            Content::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.content(), Some(Content::Null))
    }

    fn json_type(&self) -> JsonType {
        match self.content() {
            Some(Content::Null) => JsonType::Null,
            Some(Content::Bool(_)) => JsonType::Boolean,
            Some(Content::Number(_)) => JsonType::Number,
            Some(Content::String(_)) | None => JsonType::String,
            Some(Content::Array(_)) => JsonType::Array,
            Some(Content::Object(_)) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equals(expected)
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(match (self.node(), self.text()) {
            (Some((document, id)), _) => to_value(document, id),
            (None, Some(name)) => Value::String(name.to_owned()),
            (None, None) => Value::Null,
        })
    }

    // The report finds the place by its path. A value built for every error of every branch of a union would cost
    // more than the validation. The validator itself looks up the place of a pattern that it gave up on, from the top.
    fn lazy_value(&self) -> LazyInstance<'a> {
        LazyInstance::Ready(match self {
            Instance::Whole(..) => self.to_value(),
            _ => Cow::Owned(Value::Null),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(match *self {
            Instance::Node(document, id) | Instance::Whole(document, id) => {
                NodeIdentity::tagged(std::ptr::from_ref::<Document<'_>>(document) as usize, id.0)
            }
            // One name is looked at at a time; without an identity a reference that leads back to itself never ends.
            Instance::Name(name) => NodeIdentity::tagged(name.as_ptr() as usize, u32::MAX),
        })
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ObjectInstance<'a> {
    document: &'a Document<'a>,
    run: Run,
}

impl<'a> Object<'a, DocumentJson> for ObjectInstance<'a> {
    type Node = Instance<'a>;
    type MemberName = &'a str;
    type MembersIter = MemberInstances<'a>;

    fn len(&self) -> usize {
        self.document.members(self.run).len()
    }

    fn get(&self, key: &String) -> Option<Instance<'a>> {
        let document = self.document;
        document
            .members(self.run)
            .iter()
            .find(|member| document.key(**member) == key)
            .map(|member| Instance::Node(document, member.value()))
    }

    fn members(&self) -> MemberInstances<'a> {
        MemberInstances { document: self.document, members: self.document.members(self.run).iter() }
    }
}

pub(crate) struct MemberInstances<'a> {
    document: &'a Document<'a>,
    members: std::slice::Iter<'a, Member>,
}

impl<'a> Iterator for MemberInstances<'a> {
    type Item = (&'a str, Instance<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.members.next().map(|member| (self.document.key(*member), Instance::Node(self.document, member.value())))
    }
}

#[derive(Clone, Copy)]
pub(crate) struct ArrayInstance<'a> {
    document: &'a Document<'a>,
    run: Run,
}

impl<'a> Array<'a, DocumentJson> for ArrayInstance<'a> {
    type Node = Instance<'a>;
    type ElementsIter = ElementInstances<'a>;

    fn len(&self) -> usize {
        self.document.items(self.run).len()
    }

    fn elements(&self) -> ElementInstances<'a> {
        ElementInstances { document: self.document, items: self.document.items(self.run).iter() }
    }
}

pub(crate) struct ElementInstances<'a> {
    document: &'a Document<'a>,
    items: std::slice::Iter<'a, NodeId>,
}

impl<'a> Iterator for ElementInstances<'a> {
    type Item = Instance<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.items.next().map(|id| Instance::Node(self.document, *id))
    }
}

/// A number by its digits.
#[derive(Clone, Copy)]
pub(crate) struct NumberInstance<'a>(&'a str);

impl JsonNumber for NumberInstance<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(number(self.0))
    }

    fn is_integer(&self) -> bool {
        self.is_written_as_integer() || jsonschema_value::types::number_is_integer(&number(self.0))
    }

    fn is_written_as_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }
}
