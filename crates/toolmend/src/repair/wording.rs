//! The words in which issues are told, all in one place.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::issue::{Code, cut};
use crate::pointer::tokens;
use crate::redact::Redaction;
use crate::schema::violation::{Kind, Violation};

/// Members of an `enum` that an issue tells.
const TOLD_MEMBERS: usize = 100;

/// What would make a branch match, in a few words: the members that are wanted, or else the keys that are missing and
/// those that are too many, or else the first place where something is wrong: first by its pointer, since each judge has
/// an order of its own.
pub(super) fn line(errors: &[Violation], base: &str, redaction: &Redaction) -> String {
    let place = errors.iter().map(|error| error.instance.as_str()).min_by(|one, two| in_order(one, two));
    let Some(place) = place else { return "valid, but more than one form fits".to_owned() };
    let mut told = shaping(errors, base);
    if told.is_empty() {
        told = shaping(errors, place);
    }
    if told.is_empty() {
        let here = errors.iter().filter(|error| error.instance == place);
        told.extend(here.min_by_key(|error| error.kind.keyword()));
    }
    told.into_iter().map(|error| want(error, base, redaction)).collect::<Vec<_>>().join(", ")
}

/// The order of two pointers: indices by their number, keys by their text.
fn in_order(one: &str, two: &str) -> Ordering {
    let parts = |pointer: &str| -> Vec<(usize, String)> {
        tokens(pointer).map(|token| (token.parse().unwrap_or(usize::MAX), token)).collect()
    };
    parts(one).cmp(&parts(two))
}

/// What is wrong at a place with the shape of the value: with its tag, or else with its keys.
fn shaping<'e>(errors: &'e [Violation], place: &str) -> Vec<&'e Violation> {
    let of = |wanted: fn(&Kind) -> bool| {
        errors.iter().filter(move |error| error.instance.as_str() == place && wanted(&error.kind))
    };
    let tag = of(|kind| matches!(kind, Kind::Const(_) | Kind::Enum(_))).take(1);
    let missing = of(|kind| matches!(kind, Kind::Required(_)));
    let unknown = of(|kind| matches!(kind, Kind::AdditionalProperties(_) | Kind::UnevaluatedProperties(_)));
    let told: Vec<_> = tag.collect();
    if told.is_empty() { missing.chain(unknown).collect() } else { told }
}

/// What one error of a branch asks for.
fn want(error: &Violation, base: &str, redaction: &Redaction) -> String {
    let below = error.instance.as_str().strip_prefix(base).unwrap_or_default();
    let what = match &error.kind {
        Kind::Required(property) => format!("`{property}` required"),
        Kind::AdditionalProperties(unexpected) | Kind::UnevaluatedProperties(unexpected) => {
            let keys: Vec<String> = unexpected.iter().map(|key| redaction.key(key).to_owned()).collect();
            format!("no {}", list(keys.iter()))
        }
        Kind::NoBranch { .. } => "one of several forms".to_owned(),
        kind => simple(kind).2,
    };
    if below.is_empty() { what } else { format!("{} {what}", below.trim_start_matches('/')) }
}

/// Code, structured expectation and hint of an error that speaks of one value alone.
pub(super) fn simple(kind: &Kind) -> (Code, Option<Value>, String) {
    match kind {
        Kind::Type(names) => {
            let hint = format!("must be {}", names.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or "));
            (Code::TypeMismatch, Some(json!({"type": names})), hint)
        }
        Kind::Const(_) | Kind::Enum(_) => {
            let members = members(kind);
            let hint = format!("must be {}", choices(&members));
            (Code::EnumMismatch, Some(json!({"enum": members.get(..TOLD_MEMBERS).unwrap_or(&members)})), hint)
        }
        Kind::False => (Code::TypeMismatch, None, "no value is allowed here".to_owned()),
        Kind::Bound { keyword, limit } => {
            let words = match *keyword {
                "minimum" => "must be at least",
                "maximum" => "must be at most",
                "exclusiveMinimum" => "must be more than",
                "exclusiveMaximum" => "must be less than",
                _ => "must be a multiple of",
            };
            (Code::OutOfRange, Some(json!({*keyword: limit})), format!("{words} {limit}"))
        }
        Kind::Size { keyword, limit } => size(keyword, *limit),
        Kind::AdditionalItems(limit) => size("maxItems", *limit),
        Kind::UnevaluatedItems => (Code::WrongSize, None, "has more items than the schema allows".to_owned()),
        Kind::UniqueItems => (Code::DuplicateItems, None, "items must differ from each other".to_owned()),
        Kind::Pattern(pattern) => {
            (Code::PatternMismatch, Some(json!({"pattern": pattern})), format!("must match the pattern `{pattern}`"))
        }
        Kind::Format(format) => {
            (Code::FormatMismatch, Some(json!({"format": format})), format!("must have the format `{format}`"))
        }
        Kind::ContentEncoding(content_encoding) => (
            Code::FormatMismatch,
            Some(json!({"contentEncoding": content_encoding})),
            format!("must be text in `{content_encoding}`"),
        ),
        Kind::ContentMediaType(content_media_type) => (
            Code::FormatMismatch,
            Some(json!({"contentMediaType": content_media_type})),
            format!("must be `{content_media_type}`"),
        ),
        Kind::NotUtf8 => (Code::FormatMismatch, None, "must decode to UTF-8".to_owned()),
        Kind::SeveralBranches => {
            (Code::NoVariant, None, "fits more than one form where exactly one is wanted".to_owned())
        }
        Kind::Contains => {
            (Code::ConstraintMismatch, None, "no item, or too many, are of the kind that is wanted".to_owned())
        }
        Kind::Not(schema) => {
            (Code::ConstraintMismatch, Some(json!({"not": schema})), "must not be what the schema excludes".to_owned())
        }
        Kind::PropertyNames(error) => (Code::ConstraintMismatch, None, format!("a key {}", simple(&error.kind).2)),
        Kind::PatternWork => (Code::WorkLimit, None, "matching the pattern takes too much work".to_owned()),
        Kind::Required(_)
        | Kind::AdditionalProperties(_)
        | Kind::UnevaluatedProperties(_)
        | Kind::NoBranch { .. }
        | Kind::Other(_) => (Code::ConstraintMismatch, None, "does not satisfy the schema".to_owned()),
    }
}

fn size(keyword: &str, limit: u64) -> (Code, Option<Value>, String) {
    let words = if keyword.starts_with("min") { "at least" } else { "at most" };
    let (one, several) = match keyword.get(3..) {
        Some("Length") => ("character", "characters"),
        Some("Items") => ("item", "items"),
        _ => ("property", "properties"),
    };
    let unit = if limit == 1 { one } else { several };
    (Code::WrongSize, Some(json!({keyword: limit})), format!("must have {words} {limit} {unit}"))
}

pub(super) fn members(kind: &Kind) -> Vec<Value> {
    match kind {
        Kind::Const(value) => vec![value.clone()],
        Kind::Enum(options) => options.clone(),
        _ => Vec::new(),
    }
}

fn article(name: &str) -> String {
    match name {
        "null" => "null".to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        other => format!("a {other}"),
    }
}

/// Values as they are written, a long list cut with a count.
pub(super) fn choices(members: &[Value]) -> String {
    const MOST: usize = 20;
    let mut seen = BTreeSet::new();
    let distinct: Vec<String> =
        members.iter().map(Value::to_string).filter(|member| seen.insert(member.clone())).collect();
    match distinct.as_slice() {
        [only] => only.clone(),
        several => {
            let told = several.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
            match several.len().checked_sub(MOST) {
                None | Some(0) => format!("one of {told}"),
                Some(rest) => format!("one of {told} and {rest} more"),
            }
        }
    }
}

pub(super) fn list<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> String {
    const MOST: usize = 20;
    let rest = names.len().saturating_sub(MOST);
    let told = names.take(MOST).map(|name| format!("`{}`", cut(name, 40))).collect::<Vec<_>>().join(", ");
    if rest == 0 { told } else { format!("{told} and {rest} more") }
}

/// A property's summary in words.
pub(super) fn in_words(property: &Value) -> String {
    if let Some(Value::Array(members)) = property.get("enum") {
        return choices(members);
    }
    if let Some(constant) = property.get("const") {
        return constant.to_string();
    }
    let kind = match property.get("type") {
        Some(Value::String(name)) => article(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).map(article).collect::<Vec<_>>().join(" or ")
        }
        _ => "a value".to_owned(),
    };
    let items = property.get("items").and_then(|items| items.get("type")).and_then(Value::as_str);
    match items {
        Some(items) => format!("{kind} of {items}s"),
        None => kind,
    }
}
