//! What a subschema demands, keyword by keyword, in the order in which it is written.
//!
//! Numbers are compared by `jsonschema-value`, the part of the `jsonschema` crate that holds its arithmetic.

use jsonschema_value::numeric_check::{BoundOp, CompiledBound, check_bound, compile_bound, satisfies_multiple_of};
use serde_json::{Map, Number, Value};

use super::SchemaId;
use super::draft::Draft;
use super::pattern::Plain;
use super::plan::Condition;
use super::types::Types;

/// One keyword, or several that are one fact.
#[derive(Debug)]
pub(crate) enum Assertion {
    /// The schema `false`.
    Never,
    Type {
        types: Types,
        names: Vec<String>,
    },
    Enum(Vec<Value>),
    Const(Value),
    Bound(Bound),
    MultipleOf(Number),
    Size {
        of: Measured,
        keyword: &'static str,
        limit: u64,
    },
    Unique,
    Pattern {
        text: String,
        plain: Plain,
    },
    Required(Vec<String>),
    /// Keys that must be there beside another, under `dependentRequired` or `dependencies`.
    DependentRequired(&'static str, Vec<(String, Vec<String>)>),
    Dependent(Vec<(String, SchemaId)>),
    /// `properties`, `patternProperties` and `additionalProperties` as far as they stand in the shape.
    Members(Members),
    Names(SchemaId),
    /// The items at the front, and those behind them if these are not told as one fact.
    Items {
        rest: bool,
    },
    /// `additionalItems: false` behind so many items.
    NoMoreItems(usize),
    Contains(SchemaId),
    /// One part of `allOf`.
    Part(SchemaId),
    Reference(SchemaId),
    Any(Vec<SchemaId>),
    One(Vec<SchemaId>),
    Not(SchemaId, Value),
    Condition(Condition),
}

impl Assertion {
    /// The place in the order in which assertions are looked at and told: the `jsonschema` crate's, cheap ones first.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Never => 0,
            Self::Type { .. } => 1,
            Self::Const(_) => 5,
            Self::Enum(_) => 6,
            Self::Bound(bound) => match bound.keyword {
                "minimum" => 10,
                "maximum" => 11,
                "exclusiveMinimum" => 12,
                _ => 13,
            },
            Self::MultipleOf(_) => 14,
            Self::Size { keyword, .. } => match *keyword {
                "minLength" => 20,
                "maxLength" => 21,
                "minItems" => 22,
                "maxItems" => 23,
                "minProperties" => 24,
                _ => 25,
            },
            Self::Required(_) => 26,
            Self::DependentRequired("dependentRequired", _) => 27,
            Self::Pattern { .. } => 30,
            Self::Unique => 35,
            Self::Members(Members::Declared) => 40,
            Self::Members(Members::Patterns) => 41,
            Self::Members(Members::All) => 42,
            Self::Names(_) => 43,
            Self::Items { .. } => 44,
            Self::NoMoreItems(_) => 46,
            Self::Contains(_) => 47,
            Self::DependentRequired(..) => 48,
            Self::Dependent(_) => 49,
            Self::Part(_) => 50,
            Self::Any(_) => 51,
            Self::One(_) => 52,
            Self::Not(..) => 53,
            Self::Condition(_) => 54,
            Self::Reference(_) => 70,
        }
    }

    /// The subschemas that apply to the value itself.
    pub(super) fn here(&self) -> Vec<SchemaId> {
        match self {
            Self::Part(part) | Self::Reference(part) | Self::Not(part, _) => vec![*part],
            Self::Any(branches) | Self::One(branches) => branches.clone(),
            Self::Dependent(dependents) => dependents.iter().map(|(_, schema)| *schema).collect(),
            Self::Condition(condition) => {
                [Some(condition.test), condition.then, condition.otherwise].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Which of the keywords for members an assertion covers: they are told in the place of the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    Declared,
    Patterns,
    /// All of them, others under `additionalProperties`.
    All,
}

/// What a size is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured {
    /// Text, in code points.
    Text,
    Items,
    Members,
}

/// `minimum`, `maximum` and their exclusive forms.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) keyword: &'static str,
    pub(crate) limit: Value,
    op: BoundOp,
    /// The limit, where it is a small integer.
    small: Option<i64>,
    exact: CompiledBound,
}

impl Bound {
    fn new(keyword: &'static str, limit: &Number) -> Self {
        let op = match keyword {
            "minimum" => BoundOp::Gte,
            "maximum" => BoundOp::Lte,
            "exclusiveMinimum" => BoundOp::Gt,
            _ => BoundOp::Lt,
        };
        let limit_value = Value::Number(limit.clone());
        Self { keyword, limit: limit_value, op, small: limit.as_i64(), exact: compile_bound(op, limit) }
    }

    /// Whether a number, by its JSON text, is within.
    pub(crate) fn takes(&self, text: &str) -> bool {
        match (self.small, text.parse::<i64>()) {
            (Some(limit), Ok(value)) => self.takes_small(value, limit),
            _ => text.parse::<Number>().is_ok_and(|number| check_bound(&self.exact, &number)),
        }
    }

    fn takes_small(&self, value: i64, limit: i64) -> bool {
        match self.op {
            BoundOp::Gte => value >= limit,
            BoundOp::Lte => value <= limit,
            BoundOp::Gt => value > limit,
            BoundOp::Lt => value < limit,
        }
    }
}

/// Whether a number, by its JSON text, is a multiple.
pub(crate) fn is_multiple(text: &str, divisor: &Number) -> bool {
    text.parse::<Number>().is_ok_and(|number| satisfies_multiple_of(divisor, &number))
}

/// What a keyword without subschemas demands.
pub(crate) enum Read {
    Demand(Assertion),
    /// Nothing: an annotation, or a keyword that is not JSON Schema's.
    Nothing,
    /// It holds subschemas.
    Applicator,
    /// More than is known here: another draft's keyword, a value of the wrong kind, or what only the `jsonschema` crate
    /// understands.
    Beyond,
}

/// Reads one keyword. Whatever the metaschema of its draft would refuse is beyond.
#[inline(never)]
pub(crate) fn read(keyword: &str, value: &Value, object: &Map<String, Value>, draft: Draft) -> Read {
    demand(keyword, value, object, draft).unwrap_or(Read::Beyond)
}

fn demand(keyword: &str, value: &Value, object: &Map<String, Value>, draft: Draft) -> Option<Read> {
    let nothing_if = |well_formed: bool| well_formed.then_some(Read::Nothing);
    let since = |introduced: Draft| (draft >= introduced).then_some(());
    let size = |of, keyword| value.as_u64().map(|limit| Read::Demand(Assertion::Size { of, keyword, limit }));
    Some(match keyword {
        "type" => Read::Demand(types(value, draft)?),
        "enum" => {
            let members = value.as_array().filter(|members| is_set(members))?;
            Read::Demand(Assertion::Enum(members.clone()))
        }
        "const" => {
            since(Draft::V6)?;
            Read::Demand(Assertion::Const(value.clone()))
        }
        "minimum" | "maximum" => {
            let of_draft_4 = ["exclusiveMinimum", "exclusiveMaximum"].iter().any(|key| object.contains_key(*key));
            if draft == Draft::V4 && of_draft_4 {
                return None;
            }
            let keyword = if keyword == "minimum" { "minimum" } else { "maximum" };
            Read::Demand(Assertion::Bound(Bound::new(keyword, value.as_number()?)))
        }
        "exclusiveMinimum" | "exclusiveMaximum" => {
            since(Draft::V6)?;
            let keyword = if keyword == "exclusiveMinimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
            Read::Demand(Assertion::Bound(Bound::new(keyword, value.as_number()?)))
        }
        "multipleOf" => {
            let divisor = value.as_number().filter(|number| number.as_f64().is_some_and(|double| double > 0.0))?;
            Read::Demand(Assertion::MultipleOf(divisor.clone()))
        }
        "minLength" => size(Measured::Text, "minLength")?,
        "maxLength" => size(Measured::Text, "maxLength")?,
        "minItems" => size(Measured::Items, "minItems")?,
        "maxItems" => size(Measured::Items, "maxItems")?,
        "minProperties" => size(Measured::Members, "minProperties")?,
        "maxProperties" => size(Measured::Members, "maxProperties")?,
        "uniqueItems" if value.as_bool()? => Read::Demand(Assertion::Unique),
        "pattern" => {
            let text = value.as_str()?;
            Read::Demand(Assertion::Pattern { text: text.to_owned(), plain: Plain::compile(text)? })
        }
        "required" => Read::Demand(Assertion::Required(names(value, draft)?)),
        "dependentRequired" => {
            since(Draft::V2019)?;
            let keys = value.as_object()?.iter();
            let keys: Option<Vec<_>> =
                keys.map(|(key, names)| Some((key.clone(), self::names(names, draft)?))).collect();
            Read::Demand(Assertion::DependentRequired("dependentRequired", keys?))
        }
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "items"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        | "$ref"
        | "$defs"
        | "definitions"
        | "dependencies" => Read::Applicator,
        "additionalItems" if draft < Draft::V2020 => Read::Applicator,
        "prefixItems" if draft >= Draft::V2020 => Read::Applicator,
        "dependentSchemas" if draft >= Draft::V2019 => Read::Applicator,
        "contains" | "propertyNames" if draft >= Draft::V6 => Read::Applicator,
        "if" if draft >= Draft::V7 => Read::Applicator,
        "then" | "else" if draft >= Draft::V7 && object.contains_key("if") => Read::Nothing,
        "title" | "description" | "$comment" | "format" => nothing_if(value.is_string())?,
        "deprecated" | "readOnly" | "writeOnly" => nothing_if(value.is_boolean())?,
        "examples" => nothing_if(value.is_array())?,
        "$id"
        | "id"
        | "$schema"
        | "$anchor"
        | "$dynamicAnchor"
        | "$dynamicRef"
        | "$recursiveAnchor"
        | "$recursiveRef"
        | "$vocabulary"
        | "additionalItems"
        | "prefixItems"
        | "dependentSchemas"
        | "contains"
        | "propertyNames"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "minContains"
        | "maxContains"
        | "contentEncoding"
        | "contentMediaType"
        | "contentSchema" => return None,
        _ => Read::Nothing,
    })
}

fn types(value: &Value, draft: Draft) -> Option<Assertion> {
    let names: Vec<String> = match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        _ => return None,
    };
    // As the validator lists them.
    let order = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let ordered: Vec<String> =
        order.iter().filter(|name| names.iter().any(|own| own == *name)).map(|name| (*name).to_owned()).collect();
    // In draft 4 an integer is what is written as one.
    let written = draft == Draft::V4 && ordered.iter().any(|name| name == "integer");
    if ordered.len() != names.len() || names.is_empty() || written {
        return None;
    }
    Some(Assertion::Type { types: Types::named(value), names: ordered })
}

/// A list of different names; in draft 4 it is not empty.
pub(super) fn names(value: &Value, draft: Draft) -> Option<Vec<String>> {
    let list = value.as_array().filter(|list| !(draft == Draft::V4 && list.is_empty()))?;
    let names: Vec<String> = list.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let distinct = names.iter().enumerate().all(|(index, name)| !names.iter().take(index).any(|other| other == name));
    distinct.then_some(names)
}

fn is_set(members: &[Value]) -> bool {
    !members.is_empty() && jsonschema_value::unique::is_unique(members)
}
