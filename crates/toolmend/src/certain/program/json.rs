//! A program as JSON text, for a host that walks its own data (bindings-js/ts/plain.ts).
//!
//! What holds nothing back is left out; what is not known well enough takes nothing.

use serde_json::{Map, Value, json};

use super::{Array, Constants, Numbers, Object, Others, Program, Rule, RuleId, Strings, Union};
use crate::schema::Types;
use crate::schema::format::Known;

impl Program {
    /// The program as compact JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let rules: Vec<Value> = self.rules.iter().map(Rule::to_json).collect();
        json!({ "root": self.root.0, "rules": rules }).to_string()
    }
}

impl Rule {
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        if !self.known {
            out.insert("unknown".into(), true.into());
            return out.into();
        }
        let kinds = [
            ("null", Types::NULL),
            ("boolean", Types::BOOLEAN),
            ("integer", Types::INTEGER),
            ("fraction", Types::FRACTION),
            ("string", Types::STRING),
            ("array", Types::ARRAY),
            ("object", Types::OBJECT),
        ];
        let types: Vec<&str> = kinds.iter().filter(|(_, of)| self.types.meets(*of)).map(|(name, _)| *name).collect();
        out.insert("types".into(), types.into());
        if let Some(union) = &self.union {
            out.insert("union".into(), union.to_json());
            return out.into();
        }
        out.insert("strings".into(), self.strings.to_json());
        if !self.numbers.unknown {
            out.insert("numbers".into(), self.numbers.to_json());
        }
        let parts = [
            ("constants", self.constants.as_ref().map(Constants::to_json)),
            ("object", self.object.as_ref().map(Object::to_json)),
            ("array", self.array.as_ref().map(Array::to_json)),
        ];
        out.extend(parts.into_iter().filter_map(|(name, part)| Some((name.into(), part?))));
        out.into()
    }
}

impl Strings {
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        if let Some(members) = &self.members {
            out.insert("members".into(), members.iter().map(|member| &**member).collect());
        }
        if self.shortest > 0 {
            out.insert("shortest".into(), self.shortest.into());
        }
        if let Some(longest) = self.longest {
            out.insert("longest".into(), longest.into());
        }
        if let Some(pattern) = &self.pattern {
            out.insert("pattern".into(), pattern.as_str().into());
        }
        let format = match self.format {
            Some(Known::Here(format)) => Some(format.name()),
            Some(Known::Elsewhere(name)) => Some(name),
            Some(Known::Nowhere) | None => None,
        };
        if let Some(format) = format {
            out.insert("format".into(), format.into());
        }
        out.into()
    }
}

impl Numbers {
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        if self.least > i64::MIN {
            out.insert("least".into(), self.least.into());
        }
        if self.most < i64::MAX {
            out.insert("most".into(), self.most.into());
        }
        // A fraction lies strictly between integers: whether the bound itself is taken makes no difference to it.
        for (name, bound) in [("above", self.above), ("below", self.below)] {
            if let Some((limit, _)) = bound {
                out.insert(name.into(), limit.into());
            }
        }
        if let Some(of) = self.of {
            out.insert("of".into(), of.into());
        }
        out.into()
    }
}

impl Constants {
    fn to_json(&self) -> Value {
        json!({ "null": self.null, "true": self.yes, "false": self.no, "integers": self.integers })
    }
}

impl Object {
    fn to_json(&self) -> Value {
        let required = |at: usize| self.required >> at & 1 == 1;
        let properties: Vec<Value> = self
            .properties
            .iter()
            .enumerate()
            .map(|(at, property)| json!([property.key, property.rule.0, required(at)]))
            .collect();
        let mut out = Map::new();
        out.insert("properties".into(), properties.into());
        if let Others::Rule(RuleId(rule)) = self.others {
            out.insert("others".into(), rule.into());
        }
        insert_size(&mut out, self.fewest, self.most);
        out.into()
    }
}

impl Array {
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("prefix".into(), self.prefix.iter().map(|rule| rule.0).collect());
        out.insert("rest".into(), self.rest.0.into());
        // Whether items differ is not told of more than one.
        insert_size(&mut out, self.fewest, if self.unique { self.most.min(1) } else { self.most });
        out.into()
    }
}

impl Union {
    fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("branches".into(), self.branches.iter().map(|rule| rule.0).collect());
        out.insert("one".into(), self.one.into());
        if let Some((key, values)) = &self.tag {
            let named: Vec<Value> =
                values.iter().zip(&self.tagged).map(|(value, rule)| json!([value, rule.0])).collect();
            out.insert("tag".into(), json!([key, named]));
        }
        out.into()
    }
}

fn insert_size(out: &mut Map<String, Value>, fewest: u64, most: u64) {
    if fewest > 0 {
        out.insert("fewest".into(), fewest.into());
    }
    if most < u64::MAX {
        out.insert("most".into(), most.into());
    }
}
