//! From what the validator has against a value, and what the repair has to say itself, to issues about what was sent.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::union::{self, Meant};
use super::walk::{Claim, Reading, TOLD};
use super::wording::{choices, in_words, line, list, members, simple};
use crate::collections::{set, sorted_by};
use crate::contract::Inner;
use crate::document::{Content, Document, NodeId};
use crate::issue::{Code, Issue, Json, Span, cut};
use crate::pointer::{Pointer, folded, folded_characters, tokens};
use crate::schema::Types;
use crate::schema::violation::{Kind, Violation};

/// Errors of the validator that are read for each issue that may be told: several may speak of one fact.
const ERRORS_AN_ISSUE: usize = 4;

/// The issues of a refusal: the value `root` is the input mended as far as it goes, `claims` are the repair's own.
pub(crate) fn issues(
    contract: &Inner,
    document: &Document<'_>,
    root: NodeId,
    claims: &[Claim],
    undeclared: Vec<Issue>,
) -> Vec<Issue> {
    let plan = contract.schema.plan();
    if plan.cost_of_errors(plan.root(), document, root).saturating_mul(TOLD) > contract.limits.work {
        return vec![work_limit()];
    }
    let report = Report { contract, document, root };
    let most = contract.limits.issues;
    let claims = claims.get(..most).unwrap_or(claims);
    let mut found: Vec<Found> = claims.iter().map(|claim| report.claim(claim)).collect();
    let claimed: Vec<(String, Vec<String>)> =
        found.iter().zip(claims).map(|(found, claim)| (found.issue.path.clone(), report.other_names(claim))).collect();
    let mut told = Vec::new();
    for error in &contract.schema.violations(document, root, most.saturating_mul(ERRORS_AN_ISSUE)) {
        report.explain(error, &mut told);
    }
    found.extend(told.into_iter().filter(|found| {
        let path = &found.issue.path;
        !claimed.iter().any(|(claim, names)| is_within(path, claim) || names.contains(path))
    }));
    // Keys that only the host's reading of the schema refuses.
    for issue in undeclared {
        if !found.iter().any(|found| found.issue.path == issue.path) {
            found.push(report.refused(issue));
        }
    }
    if found.is_empty() {
        // The validator's verdict and its errors are computed apart; a refusal is never without a reason.
        found.push(report.here(Code::ConstraintMismatch, root, "the arguments do not satisfy the schema"));
    }
    in_order(found, contract.limits.issues)
}

/// The issue of a call on which too much work was done already, or would be to explain it: the validator tells every
/// error of every branch.
pub(crate) fn work_limit() -> Issue {
    Issue::new(
        Code::WorkLimit,
        "",
        "the arguments leave too many readings to look at: send them as the schema has them",
    )
}

/// An issue about the value of a node.
pub(crate) fn about(
    contract: &Inner,
    document: &Document<'_>,
    id: NodeId,
    code: Code,
    hint: impl Into<String>,
) -> Issue {
    let redaction = contract.redaction();
    let mut issue = Issue::new(code, redaction.pointer(contract.schema.plan(), document.pointer(id)), hint);
    issue.received = Some(redaction.received(document.node(id), Types::of_node(document, id)));
    issue.span = span(document, document.offset(id));
    issue
}

fn span(document: &Document<'_>, offset: usize) -> Option<Span> {
    let text = document.text();
    (!text.is_empty()).then(|| Span::at(text, offset))
}

/// Warnings for what a validator that asserts formats has against a valid value.
pub(crate) fn format_warnings(
    contract: &Inner,
    document: &Document<'_>,
    root: NodeId,
    errors: &[Violation],
) -> Vec<Issue> {
    let report = Report { contract, document, root };
    let mut found = Vec::new();
    for error in errors {
        report.formats(error, &mut found);
    }
    in_order(found, contract.limits.issues)
}

/// Names that may have been meant by `key`, the most similar first; suggestions only.
pub(crate) fn similar<'k>(key: &str, names: impl Iterator<Item = &'k str>) -> Vec<Json> {
    const AT_LEAST: f64 = 0.6;
    const MOST: usize = 3;
    // Comparing takes the product of the lengths; nobody misspells a name that long.
    const LONGEST: usize = 64;
    const NAMES: usize = 500;
    if key.len() > LONGEST {
        return Vec::new();
    }
    let key = folded(key);
    let score = |name: &str| {
        // Most names share too few characters to be similar whatever their order, which is quicker to tell.
        (shared(&key, name) >= AT_LEAST).then(|| strsim::normalized_damerau_levenshtein(&key, &folded(name)))
    };
    let mut scored: Vec<(f64, &str)> = names
        .filter(|name| name.len() <= LONGEST)
        .take(NAMES)
        .filter_map(|name| Some((score(name)?, name)))
        .filter(|(score, _)| *score >= AT_LEAST)
        .collect();
    scored = sorted_by(scored, |one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    scored.dedup_by(|one, two| one.1 == two.1);
    scored.into_iter().take(MOST).map(|(_, name)| Json::string(name)).collect()
}

/// The share of the longer name's characters that the other one may have too, both folded, which bounds the similarity
/// from above: a step from one to the other puts in, takes out or replaces one character, or swaps two.
fn shared(one: &str, two: &str) -> f64 {
    // How often each occurs; characters beyond ASCII count as the same one.
    let mut counts = [0_u8; 129];
    let place = |character: char| usize::try_from(u32::from(character)).unwrap_or(usize::MAX).min(128);
    let (mut length_of_one, mut length_of_two, mut common) = (0_u32, 0_u32, 0_u32);
    for character in folded_characters(one) {
        length_of_one += 1;
        if let Some(count) = counts.get_mut(place(character)) {
            *count += 1;
        }
    }
    for character in folded_characters(two) {
        length_of_two += 1;
        if let Some(count) = counts.get_mut(place(character)).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let longer = length_of_one.max(length_of_two);
    if longer == 0 { 1.0 } else { f64::from(common) / f64::from(longer) }
}

fn is_within(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An issue and where it stands in the document.
struct Found {
    issue: Issue,
    order: (Vec<u32>, bool),
    /// Whether it only follows from another fault of the same object.
    follows: bool,
}

struct Report<'r> {
    contract: &'r Inner,
    document: &'r Document<'r>,
    root: NodeId,
}

impl Report<'_> {
    fn claim(&self, claim: &Claim) -> Found {
        let mut found = self.here(claim.code, claim.at, claim.hint.clone());
        found.issue.candidates = claim
            .readings
            .iter()
            .take(self.contract.limits.readings)
            .map(|reading| match reading {
                Reading::Node(id) => self.contract.redaction().json(self.document.node(*id)),
                Reading::Text(text) => Json::string(text),
            })
            .collect();
        found
    }

    /// A warning about an undeclared key, where the host refuses those.
    fn refused(&self, issue: Issue) -> Found {
        let id = self.sent(&issue.path);
        Found { issue, order: (self.document.rank(id), false), follows: false }
    }

    /// The places that a claim about a key speaks of as well: the declared keys that it may have meant.
    fn other_names(&self, claim: &Claim) -> Vec<String> {
        let path = String::from(self.document.pointer(claim.at));
        let Some((parent, _)) = path.rsplit_once('/').filter(|_| claim.of_key) else { return Vec::new() };
        claim
            .readings
            .iter()
            .filter_map(|reading| match reading {
                Reading::Text(name) => Some(format!("{parent}{}", Pointer::root().key(name))),
                Reading::Node(_) => None,
            })
            .collect()
    }

    /// The node at a path of the mended value.
    fn at(&self, path: &str) -> NodeId {
        self.below(self.root, path)
    }

    /// The node at a path of the input.
    fn sent(&self, path: &str) -> NodeId {
        self.below(self.document.root_id(), path)
    }

    fn below(&self, root: NodeId, path: &str) -> NodeId {
        let mut at = root;
        for token in tokens(path) {
            let next = match self.document.content(at) {
                Content::Object(run) => {
                    let members = self.document.members(run).iter();
                    members
                        .copied()
                        .find(|member| self.document.key(*member) == token)
                        .map(super::super::document::Member::value)
                }
                Content::Array(run) => {
                    token.parse::<usize>().ok().and_then(|index| self.document.items(run).get(index).copied())
                }
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    /// An issue about the value of a node.
    fn here(&self, code: Code, id: NodeId, hint: impl Into<String>) -> Found {
        let issue = about(self.contract, self.document, id, code, hint);
        Found { issue, order: (self.document.rank(id), false), follows: false }
    }

    /// Whether the node is the one item of a list that was wrapped around it.
    fn is_wrapped(&self, path: &str, id: NodeId) -> bool {
        let Some((parent, _)) = path.rsplit_once('/') else { return false };
        let list = self.at(parent);
        let same = self.document.origin(list) == self.document.origin(id);
        same && list != id && matches!(self.document.content(list), Content::Array(_))
    }

    /// An issue about a member that is not there.
    fn absent(&self, code: Code, parent: NodeId, key: &str, hint: impl Into<String>) -> Found {
        let pointer = self.document.pointer(parent).key(key);
        let pointer = self.contract.redaction().pointer(self.contract.schema.plan(), pointer);
        let mut issue = Issue::new(code, pointer, hint);
        issue.span = span(self.document, self.document.offset(parent));
        // Behind everything that is there.
        let mut order = self.document.rank(parent);
        order.push(u32::MAX);
        Found { issue, order: (order, true), follows: false }
    }

    fn explain(&self, error: &Violation, found: &mut Vec<Found>) {
        let path = error.instance.as_str();
        let id = self.at(path);
        let mark = found.len();
        match &error.kind {
            Kind::NoBranch { branches, .. } => self.union(error, branches, id, found),
            Kind::AdditionalProperties(unexpected) => self.unknown(error, unexpected, id, found),
            Kind::UnevaluatedProperties(unexpected) if self.wants_of_others(error).is_some() => {
                let wanted = self.wants_of_others(error).unwrap_or_default();
                for key in unexpected.iter().take(self.contract.limits.issues) {
                    let Some(member) = self.document.node(id).get(key) else { continue };
                    let hint = format!("must be {}", in_words(&wanted));
                    let mut one = self.here(Code::TypeMismatch, member.id(), hint);
                    one.issue.expected = Some(wanted.clone());
                    found.push(one);
                }
            }
            Kind::UnevaluatedProperties(unexpected) => {
                // A part of the schema that fails evaluates nothing, so that all its properties count as unevaluated.
                // What is wrong is that part, and its errors are told.
                let declared = self.declared(error);
                self.unknown(error, unexpected, id, found);
                for one in found.iter_mut().skip(mark) {
                    one.follows = tokens(&one.issue.path).last().is_some_and(|key| declared.contains(&key));
                }
            }
            Kind::Required(key) => {
                let wanted = self.property(error, key);
                let hint = match &wanted {
                    Some(wanted) => format!("required: {}", in_words(wanted)),
                    None => "required".to_owned(),
                };
                let mut one = self.absent(Code::MissingProperty, id, key, hint);
                one.issue.expected = wanted;
                found.push(one);
            }
            Kind::False if self.document.is_member(id) => {
                let mut one = self.here(Code::UnknownProperty, id, "no such key is allowed");
                one.issue.received = None;
                found.push(one);
            }
            kind => {
                let (code, expected, mut hint) = simple(kind);
                if self.is_wrapped(path, id) {
                    // One value came for a list: to fix the value alone would make a list of one of it.
                    hint = format!("must be an array; an item {hint}");
                }
                let mut one = self.here(code, id, hint);
                one.issue.expected = expected.map(|expected| self.described(error, expected));
                found.push(one);
            }
        }
        for one in found.iter_mut().skip(mark).filter(|one| one.issue.keyword.is_none()) {
            one.issue.keyword = Some(error.kind.keyword().to_owned());
            one.issue.schema = Some(error.schema.as_str().to_owned());
        }
    }

    /// Keys that are not allowed in an object.
    fn unknown(&self, error: &Violation, keys: &[String], id: NodeId, found: &mut Vec<Found>) {
        let declared = self.declared(error);
        // More are not told, and looking for similar names takes its time.
        for key in keys.iter().take(self.contract.limits.issues) {
            let Some(member) = self.document.node(id).get(key) else { continue };
            let candidates = similar(key, declared.iter().map(String::as_str));
            // What is similar first: a long list is cut.
            let near: Vec<String> =
                candidates.iter().filter_map(|candidate| serde_json::from_str(candidate.as_str()).ok()).collect();
            let others = declared.iter().filter(|name| !near.contains(name));
            let known: Vec<&String> = near.iter().chain(others).collect();
            let hint = match known.len() {
                0 => "no such key is allowed".to_owned(),
                _ => format!("unknown key; known are {}", list(known.into_iter())),
            };
            let mut one = self.here(Code::UnknownProperty, member.id(), hint);
            one.issue.received = None;
            one.issue.candidates = candidates;
            found.push(one);
        }
    }

    /// The issues of the branch that was meant; otherwise one that says what would make a branch fit.
    fn union(&self, error: &Violation, context: &[Vec<Violation>], id: NodeId, found: &mut Vec<Found>) {
        let path = error.instance.as_str();
        let facts: Vec<_> = {
            let sent = Types::of_node(self.document, id);
            context.iter().map(|branch| union::facts(branch, path, sent)).collect()
        };
        match union::meant(&facts) {
            Meant::Branch(index) => {
                for error in context.get(index).into_iter().flatten() {
                    self.explain(error, found);
                }
            }
            Meant::Tag(key) => {
                let at = format!("{path}/{key}");
                let errors = context.iter().flatten().filter(|error| error.instance.as_str() == at);
                let members: Vec<Value> = errors.flat_map(|error| members(&error.kind)).collect();
                let hint = format!("must be {}", choices(&members));
                let mut one = self.here(Code::EnumMismatch, self.at(&at), hint);
                one.issue.candidates = self.similar_members(self.at(&at), &members);
                one.issue.expected = Some(json!({"enum": members}));
                found.push(one);
            }
            Meant::Missing(key) => {
                let wanted = context
                    .iter()
                    .flatten()
                    .find(|error| matches!(&error.kind, Kind::Required(property) if *property == key));
                let tags: Vec<Value> = context
                    .iter()
                    .flatten()
                    .filter(|error| matches!(&error.kind, Kind::Required(property) if *property == key))
                    .filter_map(|error| self.property(error, &key))
                    .flat_map(|property| match (property.get("const"), property.get("enum")) {
                        (Some(constant), _) => vec![constant.clone()],
                        (None, Some(Value::Array(members))) => members.clone(),
                        _ => Vec::new(),
                    })
                    .collect();
                let (expected, hint) = if tags.is_empty() {
                    (wanted.and_then(|error| self.property(error, &key)), "required".to_owned())
                } else {
                    (Some(json!({"enum": tags})), format!("required: {}", choices(&tags)))
                };
                let mut one = self.absent(Code::MissingProperty, id, &key, hint);
                one.issue.expected = expected;
                found.push(one);
            }
            Meant::None => {
                let mut lines: Vec<String> = Vec::new();
                for branch in context {
                    let told = line(branch, path, self.contract.redaction());
                    if !lines.contains(&told) {
                        lines.push(told);
                    }
                }
                let hint = format!("must fit one form: {}", lines.join("; or "));
                let mut one = self.here(Code::NoVariant, id, cut(&hint, 300));
                one.issue.expected = Some(json!({"branches": lines}));
                found.push(one);
            }
        }
    }

    fn formats(&self, error: &Violation, found: &mut Vec<Found>) {
        match &error.kind {
            Kind::Format(_) => self.explain(error, found),
            Kind::NoBranch { branches, .. } => {
                for error in branches.iter().flatten() {
                    self.formats(error, found);
                }
            }
            _ => {}
        }
    }

    /// The subschema that holds the keyword of an error.
    fn schema_of(&self, error: &Violation) -> Option<&Value> {
        let (parent, _) = error.schema.as_str().rsplit_once('/')?;
        self.contract.schema.root().pointer(parent)
    }

    /// What `unevaluatedProperties` wants, where it is more than `false`.
    fn wants_of_others(&self, error: &Violation) -> Option<Value> {
        self.schema_of(error)?.get("unevaluatedProperties").filter(|schema| schema.is_object()).cloned()
    }

    /// What is expected, with the schema's description of the place beside it.
    fn described(&self, error: &Violation, mut expected: Value) -> Value {
        let description = self.schema_of(error).and_then(|schema| schema.get("description"));
        if let (Some(object), Some(description)) = (expected.as_object_mut(), description) {
            object.insert("description".to_owned(), description.clone());
        }
        expected
    }

    /// The keys that the schema of an error declares, whichever of its parts applies.
    fn declared(&self, error: &Violation) -> BTreeSet<String> {
        let root = self.contract.schema.root();
        let mut open: Vec<&Value> = self.schema_of(error).into_iter().collect();
        let mut seen = Vec::new();
        let mut declared = BTreeSet::new();
        while let Some(schema) = open.pop() {
            let Some(object) = schema.as_object().filter(|_| !seen.contains(&std::ptr::from_ref(schema))) else {
                continue;
            };
            seen.push(std::ptr::from_ref(schema));
            declared.extend(
                object.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.clone()),
            );
            for keyword in ["allOf", "anyOf", "oneOf"] {
                open.extend(object.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
            open.extend(["then", "else"].iter().filter_map(|keyword| object.get(*keyword)));
            let reference = object.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
            open.extend(reference.and_then(|pointer| root.pointer(pointer)));
        }
        declared
    }

    /// What the schema says of a property, so far as a model needs it.
    fn property(&self, error: &Violation, key: &str) -> Option<Value> {
        let root = self.contract.schema.root();
        let mut schema = self.schema_of(error)?.get("properties")?.get(key)?;
        // One step is enough for what is told: the type and the members.
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
            schema = root.pointer(target).unwrap_or(schema);
        }
        let told = [
            "type",
            "enum",
            "const",
            "items",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "description",
        ];
        let object = schema.as_object()?;
        let mut kept = serde_json::Map::new();
        for key in told {
            match object.get(key) {
                Some(Value::Object(items)) if key == "items" => {
                    if let Some(kind) = items.get("type") {
                        kept.insert(key.to_owned(), json!({"type": kind}));
                    }
                }
                Some(value) => {
                    kept.insert(key.to_owned(), value.clone());
                }
                None => {}
            }
        }
        (!kept.is_empty()).then_some(Value::Object(kept))
    }

    fn similar_members(&self, id: NodeId, members: &[Value]) -> Vec<Json> {
        let Some(text) = self.document.node(id).as_str() else { return Vec::new() };
        similar(text, members.iter().filter_map(Value::as_str))
    }
}

/// In document order, one issue a fact, and no follow-up noise: a value of the wrong type has no other fault.
fn in_order(mut found: Vec<Found>, most: usize) -> Vec<Issue> {
    let mistyped = found.iter().filter(|one| one.issue.code == Code::TypeMismatch);
    let mistyped = set(mistyped.map(|one| one.issue.path.clone()));
    found.retain(|one| one.issue.code == Code::TypeMismatch || !mistyped.contains(&one.issue.path));
    let faults: Vec<String> = found.iter().filter(|one| !one.follows).map(|one| one.issue.path.clone()).collect();
    found.retain(|one| {
        let object = one.issue.path.rsplit_once('/').map_or("", |(object, _)| object);
        !one.follows || !faults.iter().any(|fault| is_within(fault, object))
    });
    pair_misspelled(&mut found);
    found = sorted_by(found, |one, two| {
        (&one.order, &one.issue.path, one.issue.code).cmp(&(&two.order, &two.issue.path, two.issue.code))
    });
    let mut seen = BTreeSet::new();
    found.retain(|one| seen.insert((one.issue.path.clone(), one.issue.code)));
    found.truncate(most);
    for one in &mut found {
        if one.issue.code == Code::EnumMismatch
            && one.issue.candidates.is_empty()
            && let Some(Value::Array(members)) = one.issue.expected.as_ref().and_then(|expected| expected.get("enum"))
        {
            let text = one.issue.received.as_ref().and_then(|received| received.preview.as_deref());
            let text = text.and_then(|preview| serde_json::from_str::<String>(preview).ok());
            if let Some(text) = text {
                one.issue.candidates = similar(&text, members.iter().filter_map(Value::as_str));
            }
        }
    }
    found.into_iter().map(|one| one.issue).collect()
}

/// Lets a required key that is missing and the unknown key that is most similar to it point at each other.
fn pair_misspelled(found: &mut [Found]) {
    let parent = |path: &str| path.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let unknown: Vec<(usize, Option<String>, String, Json)> = found
        .iter()
        .enumerate()
        .filter(|(_, one)| one.issue.code == Code::UnknownProperty)
        .filter_map(|(index, one)| {
            let key = tokens(&one.issue.path).last()?;
            Some((index, parent(&one.issue.path), key, one.issue.candidates.first()?.clone()))
        })
        .collect();
    for index in 0..found.len() {
        let Some(missing) = found.get(index).filter(|one| one.issue.code == Code::MissingProperty) else { continue };
        let (above, key) = (parent(&missing.issue.path), tokens(&missing.issue.path).last().unwrap_or_default());
        let wanted = missing.issue.hint.clone();
        let mut twins =
            unknown.iter().filter(|(_, other, _, candidate)| *other == above && *candidate == Json::string(&key));
        let (Some((other, _, sent, _)), None) = (twins.next(), twins.next()) else { continue };
        if let Some(missing) = found.get_mut(index) {
            missing.issue.candidates = vec![Json::string(sent)];
        }
        if let Some(unknown) = found.get_mut(*other) {
            unknown.issue.hint = format!("unknown key: `{key}` ({wanted}) may be meant");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_that_share_little_are_not_similar(one in "[a-dA-D_äö-]{0,9}", two in "[a-dA-D_äö-]{0,9}") {
            let (one, two) = (folded(&one), folded(&two));
            prop_assert!(shared(&one, &two) >= strsim::normalized_damerau_levenshtein(&one, &two) - 1e-9);
        }
    }
}
