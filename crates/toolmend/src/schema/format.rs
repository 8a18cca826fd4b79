//! The formats whose whole grammar is short: dates and times (RFC 3339), UUIDs (RFC 9562) and IP addresses.
//!
//! They are read as the `jsonschema` crate reads them, which `tests/judges.rs` holds together, but for one mistake of
//! version 0.60: it takes some signs (`*` to `/`) for digits of a date or time. The other formats it knows are its own to
//! judge; those it does not know are annotations.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::draft::Draft;

/// A format that is judged here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Date,
    DateTime,
    Time,
    Uuid,
    Ipv4,
    Ipv6,
}

/// What is known of the name of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Here(Format),
    /// The `jsonschema` crate judges the format of that name.
    Elsewhere(&'static str),
    /// Nobody does.
    Nowhere,
}

/// The formats that the `jsonschema` crate knows beside these.
const OTHERS: [&str; 13] = [
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri",
    "uri-reference",
    "uri-template",
];

impl Format {
    pub(crate) fn named(name: &str, draft: Draft) -> Known {
        Known::Here(match name {
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            "time" => Self::Time,
            "uuid" if draft >= Draft::V2019 => Self::Uuid,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            other => {
                let known = OTHERS.iter().find(|name| **name == other);
                return known.map_or(Known::Nowhere, |name| Known::Elsewhere(name));
            }
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Time => "time",
            Self::Uuid => "uuid",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
        }
    }

    pub(crate) fn takes(self, text: &str) -> bool {
        match self {
            Self::Date => is_date(text),
            Self::DateTime => text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time)),
            Self::Time => is_time(text),
            Self::Uuid => is_uuid(text),
            Self::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        }
    }
}

/// A number of exactly so many digits.
fn digits(text: Option<&str>, count: usize) -> Option<u32> {
    let text = text?;
    (text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// RFC 3339 section 5.6, `full-date`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (digits(parts.next(), 4), digits(parts.next(), 2), digits(parts.next(), 2));
    let (Some(year), Some(month), Some(day), None) = (year, month, day, parts.next()) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// RFC 3339 section 5.6, `full-time`; a leap second stands at the end of a day in UTC.
fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let mut parts = clock.split(':');
    let (hour, minute, second) = (digits(parts.next(), 2), digits(parts.next(), 2), digits(parts.next(), 2));
    let (Some(hour), Some(minute), Some(second), None) = (hour, minute, second, parts.next()) else { return false };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|character: char| character.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let offset = match zone.split_at_checked(1) {
        Some(("Z" | "z", "")) => Some(0),
        Some((sign @ ("+" | "-"), offset)) => offset.split_once(':').and_then(|(hours, minutes)| {
            let (hours, minutes) = (digits(Some(hours), 2)?, digits(Some(minutes), 2)?);
            let ahead = i64::from(hours * 60 + minutes);
            (hours < 24 && minutes < 60).then_some(if sign == "+" { ahead } else { -ahead })
        }),
        _ => None,
    };
    let Some(offset) = offset else { return false };
    let utc = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    hour < 24 && minute < 60 && (second < 60 || second == 60 && utc == 24 * 60 - 1)
}

/// RFC 9562 section 4: hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether text has a format that is judged elsewhere beyond all doubt: the usual addresses.
pub(crate) fn is_plainly(name: &str, text: &str) -> bool {
    let labels = |domain: &str| {
        domain.len() < 200
            && domain.contains('.')
            && domain.split('.').all(|label| {
                let inner = label.trim_matches('-');
                !label.is_empty()
                    && label.len() < 60
                    && inner.len() == label.len()
                    && !label.contains("--")
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            })
    };
    match name {
        "email" => text.split_once('@').is_some_and(|(local, domain)| {
            let words = local.split('.').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'-'))
            });
            local.len() < 60 && words && labels(domain)
        }),
        "uri" | "uri-reference" => text.split_once("://").is_some_and(|(scheme, rest)| {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            matches!(scheme, "http" | "https")
                && labels(host)
                && path.bytes().all(|byte| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/' | b'=' | b'&' | b'?')
                })
        }),
        _ => false,
    }
}
