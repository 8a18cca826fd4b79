//! What a value must be to be plainly valid, one rule a subschema.

mod json;

use std::collections::BTreeMap;

use serde_json::Value;

use super::key::QuotedKey;
use super::{Certain, Unsure, sure};
use crate::collections::sorted_by;
use crate::schema::assertion::{Assertion, Measured, Members};
use crate::schema::format::Known;
use crate::schema::pattern::Plain;
use crate::schema::plan::{self, Plan, Shape};
use crate::schema::{SchemaId, Types, format};

/// The number of a rule in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleId(u32);

impl RuleId {
    /// The place of the rule among those of its program.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The rules of a schema.
#[derive(Debug)]
pub struct Program {
    rules: Vec<Rule>,
    root: RuleId,
}

/// What a value must be. A rule that holds too little of its subschema says yes to nothing.
#[derive(Debug)]
pub struct Rule {
    /// Whether it holds all that its subschema demands.
    known: bool,
    types: Types,
    /// Text; `None` where the type takes none, or is not known well enough.
    pub strings: Strings,
    numbers: Numbers,
    /// The other scalars that an `enum` leaves.
    constants: Option<Constants>,
    /// `None` where objects are not known well enough.
    pub object: Option<Object>,
    /// The same for arrays.
    pub array: Option<Array>,
    /// The branches, for a subschema that is a union and nothing else.
    pub union: Option<Union>,
}

#[derive(Debug, Default)]
pub struct Strings {
    members: Option<Vec<Box<str>>>,
    shortest: u64,
    longest: Option<u64>,
    pattern: Option<Plain>,
    format: Option<Known>,
}

#[derive(Debug)]
struct Numbers {
    least: i64,
    most: i64,
    /// The same for a number that may have a fraction, and whether the bound itself is taken.
    above: Option<(f64, bool)>,
    below: Option<(f64, bool)>,
    /// A divisor.
    of: Option<i64>,
    /// Whether more is demanded than stands here.
    unknown: bool,
}

#[derive(Debug, Default)]
struct Constants {
    null: bool,
    yes: bool,
    no: bool,
    integers: Vec<i64>,
}

/// The members of an object.
#[derive(Debug)]
pub struct Object {
    pub properties: Vec<Property>,
    /// One bit for each of the properties that must be there.
    pub required: u64,
    pub others: Others,
    pub fewest: u64,
    pub most: u64,
}

#[derive(Debug)]
pub struct Property {
    pub key: Box<str>,
    pub rule: RuleId,
    pub(super) quoted: Option<QuotedKey>,
}

/// What becomes of a key that is not declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// It is refused, or gives a warning.
    Told,
    /// Its value has a rule.
    Rule(RuleId),
}

/// The items of an array.
#[derive(Debug)]
pub struct Array {
    pub prefix: Vec<RuleId>,
    pub rest: RuleId,
    pub fewest: u64,
    pub most: u64,
    /// Whether they must differ.
    pub unique: bool,
}

/// Branches of which one is found by the type of the value, or by a tag.
#[derive(Debug)]
pub struct Union {
    pub branches: Vec<RuleId>,
    /// Whether exactly one must fit.
    one: bool,
    /// The key whose value names the branch, and these values.
    pub tag: Option<(Box<str>, Vec<Box<str>>)>,
    /// The branches that the tag names.
    tagged: Vec<RuleId>,
}

/// Members of an object that a mask of bits can hold.
const MOST_PROPERTIES: usize = 64;

/// An integer up to here is a double that is exact, and so is its sum with one.
const SMALL: i64 = 1 << 52;

impl Program {
    /// The program of a plan that holds all that the schema demands.
    pub(crate) fn new(plan: &Plan) -> Self {
        let free = RuleId(u32::try_from(plan.shapes().len()).unwrap_or(u32::MAX));
        // The last rule takes everything.
        let open = Shape::OPEN;
        let shapes = plan.shapes().iter().chain([&open]);
        Self { rules: shapes.map(|shape| rule(shape, plan, free)).collect(), root: resolved(plan.root(), plan) }
    }

    /// The rule for the whole arguments.
    #[must_use]
    #[inline]
    pub fn root(&self) -> RuleId {
        self.root
    }

    /// A rule.
    ///
    /// # Errors
    ///
    /// There is none of that number.
    #[inline]
    pub fn rule(&self, id: RuleId) -> Result<&Rule, Unsure> {
        self.rules.get(id.0 as usize).ok_or(Unsure)
    }

    /// Every rule, each at the place of its number.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The branch of a union for a value of a type, where only one takes it.
    ///
    /// # Errors
    ///
    /// None does, or several do.
    #[inline]
    pub fn branch(&self, union: &Union, takes: impl Fn(&Rule) -> bool) -> Result<RuleId, Unsure> {
        let mut taking = union.branches.iter().filter(|branch| self.rule(**branch).is_ok_and(&takes));
        match (taking.next(), taking.next()) {
            (Some(only), None) => Ok(*only),
            _ => Err(Unsure),
        }
    }
}

/// The shape that a chain of plain references ends at.
fn resolved(id: SchemaId, plan: &Plan) -> RuleId {
    let mut at = id;
    // A plan that holds a schema whole has no loop.
    while let [Assertion::Reference(target)] = plan.shape(at).assertions.as_slice() {
        if !matches!(plan.shape(at).format, Known::Nowhere) {
            break;
        }
        at = *target;
    }
    RuleId(at.0)
}

fn rule(shape: &Shape, plan: &Plan, free: RuleId) -> Rule {
    let mut rule = Rule {
        known: true,
        types: Types::ALL,
        strings: Strings::default(),
        numbers: Numbers { least: i64::MIN, most: i64::MAX, above: None, below: None, of: None, unknown: false },
        constants: None,
        object: None,
        array: None,
        union: None,
    };
    let known = shape.assertions.iter().all(|assertion| demand(assertion, shape, plan, &mut rule));
    if !known {
        return Rule { known: false, types: Types::NONE, union: None, ..rule };
    }
    rule.strings.format = Some(shape.format).filter(|format| *format != Known::Nowhere);
    if rule.union.is_none() && rule.constants.is_none() {
        rule.object = object(shape, plan, free);
        rule.array = array(shape, plan, free);
    }
    rule
}

/// Takes up one assertion; whether the rule can hold it.
#[inline(never)]
fn demand(assertion: &Assertion, shape: &Shape, plan: &Plan, rule: &mut Rule) -> bool {
    match assertion {
        Assertion::Type { types, .. } => rule.types = rule.types.and(*types),
        Assertion::Enum(members) => return constants(members, rule),
        Assertion::Const(member) => return constants(std::slice::from_ref(member), rule),
        Assertion::Bound(bound) => rule.numbers.bound(bound.keyword, &bound.limit),
        Assertion::MultipleOf(divisor) => {
            rule.numbers.unknown |= rule.numbers.of.is_some();
            rule.numbers.of = divisor.as_i64().filter(|divisor| *divisor < SMALL);
            rule.numbers.unknown |= rule.numbers.of.is_none();
        }
        Assertion::Size { of: Measured::Text, keyword: "minLength", limit } => rule.strings.shortest = *limit,
        Assertion::Size { of: Measured::Text, limit, .. } => rule.strings.longest = Some(*limit),
        Assertion::Pattern { text, .. } => {
            rule.strings.pattern = Plain::compile(text);
            return rule.strings.pattern.is_some();
        }
        Assertion::Any(branches) | Assertion::One(branches) => {
            // Beside a type alone: what else is demanded would have to be judged on the same value again.
            let alone = shape
                .assertions
                .iter()
                .all(|other| std::ptr::eq(other, assertion) || matches!(other, Assertion::Type { .. }));
            rule.union = Some(union(branches, matches!(assertion, Assertion::One(_)), plan));
            return alone;
        }
        Assertion::Reference(_) => return shape.assertions.len() == 1,
        // Read from the shape.
        Assertion::Size { .. }
        | Assertion::Required(_)
        | Assertion::Members(_)
        | Assertion::Items { .. }
        | Assertion::NoMoreItems(_)
        | Assertion::Unique => {}
        Assertion::Never
        | Assertion::DependentRequired(..)
        | Assertion::Dependent(_)
        | Assertion::Names(_)
        | Assertion::Contains(_)
        | Assertion::Part(_)
        | Assertion::Not(..)
        | Assertion::Condition(_) => return false,
    }
    true
}

#[inline(never)]
fn constants(members: &[Value], rule: &mut Rule) -> bool {
    if rule.constants.is_some() {
        return false;
    }
    let mut constants = Constants::default();
    let mut strings = Vec::new();
    for member in members {
        match member {
            Value::Null => constants.null = true,
            Value::Bool(true) => constants.yes = true,
            Value::Bool(false) => constants.no = true,
            Value::String(text) => strings.push(text.as_str().into()),
            Value::Number(number) => constants.integers.extend(number.as_i64()),
            Value::Array(_) | Value::Object(_) => {}
        }
    }
    rule.strings.members = Some(strings);
    rule.constants = Some(constants);
    true
}

impl Numbers {
    fn bound(&mut self, keyword: &str, limit: &Value) {
        let Some(small) = limit.as_i64().filter(|limit| limit.abs() < SMALL) else {
            self.unknown = true;
            return;
        };
        #[expect(clippy::cast_precision_loss, reason = "small integers are exact")]
        let double = small as f64;
        let taken = matches!(keyword, "minimum" | "maximum");
        if matches!(keyword, "minimum" | "exclusiveMinimum") {
            self.least = self.least.max(small + i64::from(!taken));
            self.above = Some(closer(self.above, double, taken, f64::gt));
        } else {
            self.most = self.most.min(small - i64::from(!taken));
            self.below = Some(closer(self.below, double, taken, f64::lt));
        }
    }
}

/// The stricter of two bounds.
fn closer(old: Option<(f64, bool)>, limit: f64, taken: bool, stricter: fn(&f64, &f64) -> bool) -> (f64, bool) {
    match old {
        Some((other, other_taken)) if stricter(&other, &limit) || other.total_cmp(&limit).is_eq() && !other_taken => {
            (other, other_taken)
        }
        _ => (limit, taken),
    }
}

#[inline(never)]
fn object(shape: &Shape, plan: &Plan, free: RuleId) -> Option<Object> {
    let mut object =
        Object { properties: Vec::new(), required: 0, others: Others::Rule(free), fewest: 0, most: u64::MAX };
    if !shape.patterns.is_empty() || shape.properties.len() > MOST_PROPERTIES {
        return None;
    }
    // Shapes are numbered in the order of the schema, in which models write as a rule.
    let properties = sorted_by(shape.properties.iter().collect(), |one, two| one.1.cmp(two.1));
    let property = |(key, schema): (&String, &SchemaId)| Property {
        key: key.as_str().into(),
        rule: resolved(*schema, plan),
        quoted: QuotedKey::new(key),
    };
    object.properties.extend(properties.into_iter().map(property));
    object.others = match (shape.additional, shape.others) {
        (_, plan::Others::Refused) => Others::Told,
        (Some(schema), _) => Others::Rule(resolved(schema, plan)),
        (None, _) if object.properties.is_empty() => Others::Rule(free),
        (None, _) => Others::Told,
    };
    for assertion in &shape.assertions {
        match assertion {
            Assertion::Required(keys) => {
                for key in keys {
                    let at = object.properties.iter().position(|property| *property.key == **key)?;
                    object.required |= 1 << at;
                }
            }
            Assertion::Size { of: Measured::Members, keyword: "minProperties", limit } => object.fewest = *limit,
            Assertion::Size { of: Measured::Members, limit, .. } => object.most = *limit,
            Assertion::Members(Members::Patterns) => return None,
            _ => {}
        }
    }
    Some(object)
}

#[inline(never)]
fn array(shape: &Shape, plan: &Plan, free: RuleId) -> Option<Array> {
    let mut array = Array {
        prefix: shape.prefix.iter().map(|schema| resolved(*schema, plan)).collect(),
        rest: shape.rest.map_or(free, |schema| resolved(schema, plan)),
        fewest: 0,
        most: u64::MAX,
        unique: false,
    };
    for assertion in &shape.assertions {
        match assertion {
            Assertion::Size { of: Measured::Items, keyword: "minItems", limit } => array.fewest = *limit,
            Assertion::Size { of: Measured::Items, limit, .. } => array.most = *limit,
            Assertion::NoMoreItems(_) => return None,
            Assertion::Unique => array.unique = true,
            _ => {}
        }
    }
    Some(array)
}

#[inline(never)]
fn union(branches: &[SchemaId], one: bool, plan: &Plan) -> Union {
    let ids: Vec<RuleId> = branches.iter().map(|branch| resolved(*branch, plan)).collect();
    let tag = tag(&ids, plan);
    let tagged = tag.iter().flat_map(|(_, values)| values.iter().map(|(_, rule)| *rule)).collect();
    let tag = tag.map(|(key, values)| (key, values.into_iter().map(|(value, _)| value).collect()));
    Union { branches: ids, one, tag, tagged }
}

type Tag = (Box<str>, Vec<(Box<str>, RuleId)>);

/// The key that is required in each branch for objects, with one text of its own in each.
fn tag(branches: &[RuleId], plan: &Plan) -> Option<Tag> {
    let shapes: Vec<(RuleId, &Shape)> = branches
        .iter()
        .map(|branch| (*branch, plan.shape(SchemaId(branch.0))))
        .filter(|(_, shape)| shape.types.meets(Types::OBJECT))
        .collect();
    let (_, first) = shapes.first().filter(|_| shapes.len() > 1)?;
    first.required.iter().find_map(|key| {
        let mut values: BTreeMap<&str, RuleId> = BTreeMap::new();
        for (rule, shape) in &shapes {
            let required = shape.required.iter().any(|other| other == key);
            let only = shape.properties.get(key).map(|schema| plan.shape(SchemaId(resolved(*schema, plan).0)));
            let Some([Value::String(only)]) = only.and_then(|only| only.members.as_deref()) else { return None };
            if !required || values.insert(only, *rule).is_some() {
                return None;
            }
        }
        Some((key.as_str().into(), values.into_iter().map(|(value, rule)| (value.into(), rule)).collect()))
    })
}

impl Object {
    /// The place of a key among the properties, which is looked for at `hint` first.
    #[must_use]
    #[inline]
    pub fn position(&self, key: &str, hint: usize) -> Option<usize> {
        if self.properties.get(hint).is_some_and(|property| *property.key == *key) {
            return Some(hint);
        }
        self.properties.iter().position(|property| *property.key == *key)
    }

    /// Whether so many members, these properties among them, are neither too few nor too many.
    #[must_use]
    #[inline]
    pub fn takes(&self, count: u64, seen: u64) -> bool {
        seen & self.required == self.required && count >= self.fewest && count <= self.most
    }
}

impl Array {
    /// The rule for the item at `index`.
    #[must_use]
    #[inline]
    pub fn item(&self, index: usize) -> RuleId {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }

    /// Whether so many items are neither too few nor too many, and need not be compared with each other.
    #[must_use]
    #[inline]
    pub fn takes(&self, count: usize) -> bool {
        let size = count as u64;
        size >= self.fewest && size <= self.most && !(self.unique && count > 1)
    }
}

impl Union {
    /// The branch that a tag names.
    ///
    /// # Errors
    ///
    /// It names none.
    #[inline]
    pub fn named(&self, value: &str) -> Result<RuleId, Unsure> {
        let (_, values) = self.tag.as_ref().ok_or(Unsure)?;
        let at = values.iter().position(|other| **other == *value).ok_or(Unsure)?;
        self.tagged.get(at).copied().ok_or(Unsure)
    }
}

/// Scalars. Each says yes, or that it is not sure; what a repair would do about it is not looked at.
impl Rule {
    /// Whether it may take an object.
    #[must_use]
    #[inline]
    pub fn takes_objects(&self) -> bool {
        !self.known || self.types.meets(Types::OBJECT)
    }

    /// Whether it may take an array.
    #[must_use]
    #[inline]
    pub fn takes_arrays(&self) -> bool {
        !self.known || self.types.meets(Types::ARRAY)
    }

    /// `null`.
    ///
    /// # Errors
    ///
    /// It may not be valid.
    #[inline]
    pub fn null(&self, program: &Program) -> Certain {
        let takes = |rule: &Rule| {
            rule.types.meets(Types::NULL) && rule.constants.as_ref().is_none_or(|constants| constants.null)
        };
        self.scalar(program, Types::NULL, takes)
    }

    /// `true` or `false`.
    ///
    /// # Errors
    ///
    /// It may not be valid.
    #[inline]
    pub fn boolean(&self, value: bool, program: &Program) -> Certain {
        let takes = |rule: &Rule| {
            rule.types.meets(Types::BOOLEAN)
                && rule.constants.as_ref().is_none_or(|constants| if value { constants.yes } else { constants.no })
        };
        self.scalar(program, Types::BOOLEAN, takes)
    }

    /// An integer in plain digits.
    ///
    /// # Errors
    ///
    /// It may not be valid.
    #[inline]
    pub fn integer(&self, value: i64, program: &Program) -> Certain {
        let takes = |rule: &Rule| {
            rule.types.meets(Types::INTEGER)
                && !rule.numbers.unknown
                && value >= rule.numbers.least
                && value <= rule.numbers.most
                && rule.numbers.of.is_none_or(|of| value % of == 0)
                && rule.constants.as_ref().is_none_or(|constants| constants.integers.contains(&value))
        };
        self.scalar(program, Types::INTEGER, takes)
    }

    /// A number with a fraction, of at most 15 digits.
    ///
    /// # Errors
    ///
    /// It may not be valid, or `canonical_integer` may write it otherwise.
    #[inline]
    pub fn fraction(&self, value: f64) -> Certain {
        let numbers = &self.numbers;
        sure(
            self.union.is_none()
                && self.types.meets(Types::FRACTION)
                && self.types.meets(Types::INTEGER)
                && self.constants.is_none()
                && !numbers.unknown
                && numbers.of.is_none()
                && numbers.above.is_none_or(|(limit, taken)| value > limit || taken && value >= limit)
                && numbers.below.is_none_or(|(limit, taken)| value < limit || taken && value <= limit),
        )
    }

    /// Text.
    ///
    /// # Errors
    ///
    /// It may not be valid.
    #[inline]
    pub fn string(&self, text: &str, program: &Program) -> Certain {
        self.scalar(program, Types::STRING, |rule: &Rule| rule.types.meets(Types::STRING) && rule.strings.take(text))
    }

    /// Whether any text at all is valid.
    #[must_use]
    #[inline]
    pub fn takes_any_text(&self) -> bool {
        self.union.is_none() && self.types.meets(Types::STRING) && self.strings.are_free()
    }

    /// A union takes a scalar that one of its branches takes and, where exactly one must, no other could.
    fn scalar(&self, program: &Program, kind: Types, takes: impl Fn(&Rule) -> bool) -> Certain {
        let Some(union) = &self.union else { return sure(takes(self)) };
        sure(self.types.meets(kind))?;
        let mut possible = 0;
        let mut certain = false;
        for branch in &union.branches {
            let rule = program.rule(*branch)?;
            // A union in a union, or a branch of which too little is known, could take anything.
            let known = rule.union.is_none() && rule.known;
            if !known || rule.types.meets(kind) {
                possible += 1;
                certain |= known && takes(rule);
            }
        }
        sure(certain && (!union.one || possible == 1))
    }
}

impl Strings {
    fn are_free(&self) -> bool {
        self.members.is_none()
            && self.shortest == 0
            && self.longest.is_none()
            && self.pattern.is_none()
            && self.format.is_none()
    }

    fn take(&self, text: &str) -> bool {
        self.members.as_ref().is_none_or(|members| members.iter().any(|member| **member == *text))
            && self.has_length(text)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
            && match self.format {
                None | Some(Known::Nowhere) => true,
                Some(Known::Here(format)) => format.takes(text),
                Some(Known::Elsewhere(name)) => format::is_plainly(name, text),
            }
    }

    fn has_length(&self, text: &str) -> bool {
        // A character has one byte at least and four at most.
        let bytes = text.len() as u64;
        let longest = self.longest.unwrap_or(u64::MAX);
        if bytes <= longest && bytes >= self.shortest.saturating_mul(4) {
            return true;
        }
        let length = text.chars().count() as u64;
        length >= self.shortest && length <= longest
    }
}
