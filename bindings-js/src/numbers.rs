//! What a JSON number becomes in JavaScript, by its digits.

use toolmend::{Code, Issue, Kind, Node, Pointer, Received};

/// What of a number JavaScript can hold, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// A double that prints the same number.
    Exact,
    /// A double after rounding: more digits of a fraction than it holds.
    Rounded,
    /// Plain digits beyond `Number.MAX_SAFE_INTEGER`: a `bigint`.
    Unsafe,
    /// Beyond every double: `1e400` would be `Infinity`, `1e-400` would be `0`.
    Lost,
}

const MAX_SAFE: &str = "9007199254740991";

/// How `text`, a JSON number, fits into JavaScript.
pub(crate) fn fit(text: &str) -> Fit {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let safe = digits.len() < MAX_SAFE.len() || digits.len() == MAX_SAFE.len() && digits <= MAX_SAFE;
        return if safe { Fit::Exact } else { Fit::Unsafe };
    }
    let Ok(double) = text.parse::<f64>() else { return Fit::Lost };
    match (significand(text), significand(&format!("{double:e}"))) {
        _ if double.is_infinite() => Fit::Lost,
        (Some((digits, _)), _) if double == 0.0 && !digits.is_empty() => Fit::Lost,
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

/// The worst fit of any number in a value.
pub(crate) fn worst(node: Node<'_>) -> Fit {
    match node.kind() {
        Kind::Number(text) => fit(text),
        Kind::Array(elements) => elements.map(worst).max().unwrap_or(Fit::Exact),
        Kind::Object(members) => members.map(|(_, value)| worst(value)).max().unwrap_or(Fit::Exact),
        Kind::Null | Kind::Bool(_) | Kind::String(_) => Fit::Exact,
    }
}

/// One issue for every number that JavaScript cannot hold as the caller wants it: anything but an exact double where
/// `exact` is asked for, otherwise what no double and no `bigint` can stand for. No more than `most`.
pub(crate) fn issues(node: Node<'_>, exact: bool, most: usize) -> Vec<Issue> {
    let mut found = Vec::new();
    collect(node, Pointer::root(), exact, most, &mut found);
    found
}

fn collect(node: Node<'_>, at: Pointer, exact: bool, most: usize, found: &mut Vec<Issue>) {
    if found.len() >= most {
        return;
    }
    match node.kind() {
        Kind::Number(text) if refused(fit(text), exact) => found.push(issue(text, at)),
        Kind::Array(elements) => {
            for (index, element) in elements.enumerate() {
                collect(element, at.clone().index(index), exact, most, found);
            }
        }
        Kind::Object(members) => {
            for (key, value) in members {
                collect(value, at.clone().key(key), exact, most, found);
            }
        }
        Kind::Number(_) | Kind::Null | Kind::Bool(_) | Kind::String(_) => {}
    }
}

/// Whether a call with such a number is refused.
pub(crate) fn refused(fit: Fit, exact: bool) -> bool {
    if exact { fit > Fit::Exact } else { fit == Fit::Lost }
}

fn issue(text: &str, at: Pointer) -> Issue {
    let kind = if text.contains(['.', 'e', 'E']) { "number" } else { "integer" };
    let preview = text.get(..Received::CAP).map_or_else(|| text.to_owned(), |start| format!("{start}…"));
    Issue {
        code: Code::NumberPrecision,
        path: at.into(),
        keyword: None,
        schema: None,
        expected: None,
        hint: format!("`{preview}` is a number that the tool cannot take without losing digits"),
        received: Some(Received { kind, preview: Some(preview) }),
        candidates: Vec::new(),
        span: None,
    }
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
            ("1e400", Fit::Lost),
            ("-1e400", Fit::Lost),
            ("1e-400", Fit::Lost),
            ("0e999999999999999999999", Fit::Exact),
        ] {
            assert_eq!(fit(text), wanted, "{text}");
        }
    }
}
