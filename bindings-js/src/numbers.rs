//! What a JSON number becomes in JavaScript, by its digits.

use toolmend::{Code, Contract, Issue, Kind, Node, Outcome, Received};

/// What of a number JavaScript can hold, from the best to the worst. What is beyond every double the core refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// A double that prints the same number.
    Exact,
    /// A double after rounding: more digits of a fraction than it holds.
    Rounded,
    /// Plain digits beyond `Number.MAX_SAFE_INTEGER`: a `bigint`.
    Unsafe,
}

const MAX_SAFE: &str = "9007199254740991";

/// How `text`, a JSON number, fits into JavaScript.
fn fit(text: &str) -> Fit {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let safe = digits.len() < MAX_SAFE.len() || digits.len() == MAX_SAFE.len() && digits <= MAX_SAFE;
        return if safe { Fit::Exact } else { Fit::Unsafe };
    }
    let held = text.parse::<f64>().ok().and_then(|double| significand(&format!("{double:e}")));
    match (significand(text), held) {
        (Some(written), Some(held)) if written == held => Fit::Exact,
        _ => Fit::Rounded,
    }
}

/// The digits of a number without zeros at either end, and the power of ten of the last one. Nothing but `("", 0)` is
/// zero.
fn significand(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (integer, fraction) = mantissa.trim_start_matches('-').split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", integer.trim_start_matches('-'));
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let dropped = digits.len() - digits.trim_end_matches('0').len();
    let exponent = exponent.parse::<i64>().ok()?;
    let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
    Some((significant.to_owned(), exponent.checked_add(shift)?))
}

/// The outcome, or where `exact` is asked for a refusal with one issue for every number that is no exact double; and
/// whether the value holds an unsafe integer.
pub(crate) fn judged<'i>(contract: &Contract, outcome: Outcome<'i>, exact: bool) -> (Outcome<'i>, bool) {
    let Some(value) = outcome.value() else { return (outcome, false) };
    match worst(value) {
        Fit::Exact => (outcome, false),
        _ if exact => {
            let mut found = Vec::new();
            collect(value, contract.limits().issues, &mut found);
            (contract.refuse(found), false)
        }
        fit => (outcome, fit == Fit::Unsafe),
    }
}

fn worst(node: Node<'_>) -> Fit {
    match node.kind() {
        Kind::Number(text) => fit(text),
        Kind::Array(elements) => elements.map(worst).max().unwrap_or(Fit::Exact),
        Kind::Object(members) => members.map(|(_, value)| worst(value)).max().unwrap_or(Fit::Exact),
        Kind::Null | Kind::Bool(_) | Kind::String(_) => Fit::Exact,
    }
}

fn collect(node: Node<'_>, most: usize, found: &mut Vec<Issue>) {
    if found.len() >= most {
        return;
    }
    match node.kind() {
        Kind::Number(text) if fit(text) > Fit::Exact => found.push(issue(node, text)),
        Kind::Array(elements) => elements.for_each(|element| collect(element, most, found)),
        Kind::Object(members) => members.for_each(|(_, value)| collect(value, most, found)),
        Kind::Number(_) | Kind::Null | Kind::Bool(_) | Kind::String(_) => {}
    }
}

fn issue(node: Node<'_>, text: &str) -> Issue {
    let kind = if text.contains(['.', 'e', 'E']) { "number" } else { "integer" };
    // The number itself stands in the preview alone, which the contract may redact.
    let hint = "the tool cannot take this number without losing digits";
    Issue { received: Some(Received::new(kind, Some(text))), ..Issue::new(Code::NumberPrecision, node.origin(), hint) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_a_double_holds() {
        for (text, wanted) in [
            ("0", Fit::Exact),
            ("-0", Fit::Exact),
            ("-0.0", Fit::Exact),
            ("0.1", Fit::Exact),
            ("1.10", Fit::Exact),
            ("5.0", Fit::Exact),
            ("1e2", Fit::Exact),
            ("1e21", Fit::Exact),
            ("1E-7", Fit::Exact),
            ("100.0e-2", Fit::Exact),
            ("1.7976931348623157e308", Fit::Exact),
            ("9007199254740991", Fit::Exact),
            ("-9007199254740991", Fit::Exact),
            ("9007199254740992", Fit::Unsafe),
            ("-12345678901234567890", Fit::Unsafe),
            ("0.12345678901234567890123", Fit::Rounded),
            ("9007199254740993.0", Fit::Rounded),
            ("1e400", Fit::Rounded),
            ("-1e-400", Fit::Rounded),
            ("0e999999999999999999999", Fit::Exact),
        ] {
            assert_eq!(fit(text), wanted, "{text}");
        }
    }
}
