//! JSON numbers by their digits (RFC 8259 section 6): what they spell, exactly.

use serde_json::Value;

use crate::pointer::Pointer;

/// A number's text in parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) negative: bool,
    pub(crate) integer: &'a str,
    pub(crate) fraction: &'a str,
    /// With its sign, without the `e`; `None` where there is none.
    pub(crate) exponent: Option<&'a str>,
}

/// Whether a JSON number is written without fraction and exponent.
#[inline]
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| !matches!(byte, b'.' | b'e' | b'E'))
}

/// Splits `text` where it is exactly one JSON number.
pub(crate) fn parts(text: &str) -> Option<Parts<'_>> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match split(rest, |byte| matches!(byte, b'e' | b'E')) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (integer, fraction) = match split(mantissa, |byte| byte == b'.') {
        Some((integer, fraction)) if !fraction.is_empty() => (integer, fraction),
        Some(_) => return None,
        None => (mantissa, ""),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let well_formed = !integer.is_empty()
        && digits(integer)
        && (integer.len() == 1 || !integer.starts_with('0'))
        && digits(fraction)
        && exponent.is_none_or(|exponent| {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent)
        });
    well_formed.then_some(Parts { negative, integer, fraction, exponent })
}

/// `text` before and behind its first byte that is of a kind. Every number of a call comes by here, and is short: a search
/// that decodes characters costs more than it finds.
fn split(text: &str, is: impl Fn(u8) -> bool) -> Option<(&str, &str)> {
    let at = text.bytes().position(is)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Most digits of an integer that `canonical_integer` writes.
const MAX_DIGITS: usize = 21;

/// The plain spelling of a number written with a fraction of zeros or a non-negative exponent: `5.0` is `5`, `1e2` is
/// `100`. `None` for a number that is no integer, is written plainly already, is a negative zero, or would have more
/// than 21 digits.
pub(crate) fn canonical_integer(text: &str) -> Option<String> {
    let parts = parts(text)?;
    if parts.fraction.is_empty() && parts.exponent.is_none() {
        return None;
    }
    let exponent: usize = match parts.exponent {
        Some(exponent) => exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?,
        None => 0,
    };
    if exponent > MAX_DIGITS {
        return None;
    }
    let fraction = parts.fraction.trim_end_matches('0');
    if fraction.len() > exponent {
        return None;
    }
    let zeros = exponent - fraction.len();
    let digits = format!("{}{fraction}{}", parts.integer, "0".repeat(zeros));
    let digits = digits.trim_start_matches('0');
    match (digits.len(), parts.negative) {
        (0, true) => None,
        (0, false) => Some("0".to_owned()),
        (length, _) if length > MAX_DIGITS => None,
        (_, true) => Some(format!("-{digits}")),
        (_, false) => Some(digits.to_owned()),
    }
}

/// Beyond every power of ten that a text of digits could make up for, and far from where sums of such overflow.
const FAR: i64 = i64::MAX / 4;

/// The significant digits and the power of ten of the last one, without leading or trailing zeros; `None` for zero alone.
/// An exponent that no `i64` holds is far away all the same.
fn significand(text: &str) -> Option<(String, i64)> {
    let parts = parts(text)?;
    let exponent = parts.exponent.map_or(0, |exponent| {
        let far = if exponent.starts_with('-') { -FAR } else { FAR };
        exponent.parse().unwrap_or(far).clamp(-FAR, FAR)
    });
    let digits = format!("{}{}", parts.integer, parts.fraction);
    let kept = digits.trim_end_matches('0');
    let length = |text: &str| i64::try_from(text.len()).unwrap_or(FAR);
    let dropped = length(&digits) - length(kept);
    let kept = kept.trim_start_matches('0');
    (!kept.is_empty()).then(|| (kept.to_owned(), exponent - length(parts.fraction) + dropped))
}

/// Whether the number has no fractional part, however it is written.
pub(crate) fn is_whole(text: &str) -> bool {
    parts(text).is_some_and(|parts| match parts.exponent {
        None => parts.fraction.bytes().all(|digit| digit == b'0'),
        Some(_) => significand(text).is_none_or(|(_, exponent)| exponent >= 0),
    })
}

/// Whether the double nearest to the number prints the same value: no digit is lost in a host that has doubles only.
pub(crate) fn fits_double(text: &str) -> bool {
    let Ok(double) = text.parse::<f64>() else { return false };
    if !double.is_finite() {
        return false;
    }
    significand(text) == significand(&format!("{double:e}"))
}

/// Whether a double turns the number into infinity, or a number that is not zero into zero. An integer in plain digits
/// is exact in every host, however long.
pub(crate) fn leaves_doubles(text: &str) -> bool {
    !is_plain(text)
        && text.parse::<f64>().is_ok_and(|double| double.is_infinite() || double == 0.0 && significand(text).is_some())
}

/// Whether no number in a value leaves the doubles.
pub(crate) fn are_doubles(value: &Value) -> bool {
    match value {
        Value::Number(number) => !leaves_doubles(number.as_str()),
        Value::Array(items) => items.iter().all(are_doubles),
        Value::Object(object) => object.values().all(are_doubles),
        _ => true,
    }
}

/// The place of a number in a value that leaves the doubles.
pub(crate) fn beyond_doubles(value: &Value) -> Option<Pointer> {
    fn find(value: &Value, at: &Pointer) -> Option<Pointer> {
        match value {
            Value::Number(_) => Some(at.clone()),
            Value::Array(items) => {
                let (index, item) = items.iter().enumerate().find(|(_, item)| !are_doubles(item))?;
                find(item, &at.clone().index(index))
            }
            Value::Object(object) => {
                let (key, value) = object.iter().find(|(_, value)| !are_doubles(value))?;
                find(value, &at.clone().key(key))
            }
            _ => None,
        }
    }
    if are_doubles(value) { None } else { find(value, &Pointer::root()) }
}

/// Whether the digits are the number's shortest form as ECMAScript and RFC 8785 section 3.2.2.3 write it; an integer
/// without fraction and exponent always is, since its digits are exact.
pub(crate) fn is_shortest(text: &str) -> bool {
    let Some(parts) = parts(text) else { return false };
    if parts.exponent.is_none() && parts.fraction.is_empty() {
        return text != "-0";
    }
    text.parse::<f64>().is_ok_and(|double| ecmascript(double) == text)
}

/// `Number::toString` of ECMA-262 for a finite double.
fn ecmascript(double: f64) -> String {
    let magnitude = double.abs();
    if double == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&magnitude) {
        // Rust prints the shortest digits that read back, without an exponent.
        return format!("{double}");
    }
    let text = format!("{double:e}");
    match text.split_once("e-") {
        Some(_) => text,
        None => text.replace('e', "e+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_get_one_spelling() {
        for (text, want) in [
            ("5.0", Some("5")),
            ("1e2", Some("100")),
            ("1E+2", Some("100")),
            ("1.5e1", Some("15")),
            ("-3.00", Some("-3")),
            ("0.0", Some("0")),
            ("0e5", Some("0")),
            ("1e20", Some("100000000000000000000")),
            ("5", None),
            ("5.5", None),
            ("-0.0", None),
            ("-0e1", None),
            ("1e21", None),
            ("1e-2", None),
            ("100e-2", None),
            ("1e999999999999999999999", None),
        ] {
            assert_eq!(canonical_integer(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn doubles_keep_their_digits_or_not() {
        for text in ["0", "0.5", "1.000001", "123456789.25", "1e300", "9007199254740992", "-0.1", "5.0", "2.50"] {
            assert!(fits_double(text), "{text}");
        }
        for text in ["0.1000000000000000055511151231257827", "12345678901234567891", "9007199254740993", "1e400"] {
            assert!(!fits_double(text), "{text}");
        }
    }

    #[test]
    fn numbers_that_no_double_is_near_are_told() {
        for text in [
            "1e400",
            "-1e400",
            "1e-400",
            "-0.1e-400",
            "1e-99999999999999999999",
            "0.01e-9223372036854775808",
            "10e9223372036854775807",
            "1e99999999999999999999",
        ] {
            assert!(leaves_doubles(text), "{text}");
            assert!(!fits_double(text), "{text}");
            assert_eq!(is_whole(text), !text.contains("e-"), "{text}");
        }
        let zero = ["0e400", "0.0", "-0.0", "0e-99999999999999999999", "0.0e99999999999999999999"];
        for text in zero {
            assert!(is_whole(text) && fits_double(text), "{text}");
        }
        for text in zero.into_iter().chain(["1e300", "1e-300", &"9".repeat(400)]) {
            assert!(!leaves_doubles(text), "{text}");
        }
    }

    #[test]
    fn shortest_form_is_ecmascripts() {
        for text in ["1", "-7", "543820866065", "1.000001", "0.5", "1e+21", "1e-7", "123456789012345678"] {
            assert!(is_shortest(text), "{text}");
        }
        for text in ["1.10", "3.0", "12e5", "1e21", "1E-7", "-0", "0.10"] {
            assert!(!is_shortest(text), "{text}");
        }
    }

    #[test]
    fn only_json_numbers_have_parts() {
        for text in ["", "-", "+5", "01", "1.", ".5", "1e", "1e+", " 1", "1 ", "0x1", "1_0", "NaN", "١"] {
            assert!(parts(text).is_none(), "{text:?}");
        }
    }
}
