//! What a call is known by: SHA-256 (FIPS 180-4) over the canonical JSON of RFC 8785.
//!
//! RFC 8785 knows doubles only: two 18-digit ids may be one number to it, and what was approved for one would run for the
//! other. So a number that its double is not written as is told once more, by its digits, in a member of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::document::{Kind, Node};
use crate::pointer::Pointer;
use crate::text::number;

/// A call as it is digested.
#[derive(Serialize)]
struct Call<'a> {
    arguments: Doubles<'a>,
    name: Option<&'a str>,
    /// The digits of numbers that their doubles are not written as, by their JSON Pointers into the arguments.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<String, &'a str>,
}

/// The digest of a call of the tool `name`, in 64 hexadecimal digits.
pub(crate) fn call(name: Option<&str>, arguments: Node<'_>) -> String {
    let mut numbers = BTreeMap::new();
    collect(arguments, &Pointer::root(), &mut numbers);
    let call = Call { arguments: Doubles(arguments), name, numbers };
    // What `Doubles` gives is always JSON: it has no key that is no text, and no number that is not finite.
    hex(&Sha256::digest(serde_json_canonicalizer::to_vec(&call).unwrap_or_default()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn collect<'a>(node: Node<'a>, at: &Pointer, numbers: &mut BTreeMap<String, &'a str>) {
    match node.kind() {
        Kind::Number(text) if !number::fits_double(text) => {
            numbers.insert(at.as_str().to_owned(), text);
        }
        Kind::Array(elements) => {
            for (index, element) in elements.enumerate() {
                collect(element, &at.clone().index(index), numbers);
            }
        }
        Kind::Object(members) => {
            for (key, value) in members {
                collect(value, &at.clone().key(key), numbers);
            }
        }
        _ => {}
    }
}

/// A value whose numbers are doubles; `null` for a number beyond them.
struct Doubles<'a>(Node<'a>);

impl Serialize for Doubles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.kind() {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(value) => serializer.serialize_bool(value),
            Kind::Number(text) => match text.parse::<f64>() {
                Ok(double) if double.is_finite() => serializer.serialize_f64(double),
                _ => serializer.serialize_unit(),
            },
            Kind::String(text) => serializer.serialize_str(text),
            Kind::Array(elements) => {
                let mut list = serializer.serialize_seq(Some(elements.len()))?;
                for element in elements {
                    list.serialize_element(&Doubles(element))?;
                }
                list.end()
            }
            Kind::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, &Doubles(value))?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn digest(text: &str) -> String {
        call(Some("t"), Document::parse(text).unwrap().root())
    }

    #[test]
    fn is_the_sha256_of_canonical_json() {
        let canonical = r#"{"arguments":{"a":1,"b":[0.5,"é"]},"name":"t"}"#;
        let want = hex(&Sha256::digest(canonical));
        assert_eq!(digest(r#"{"b": [5e-1, "\u00e9"], "a": 1.0}"#), want);
        let unnamed = call(None, Document::parse("{}").unwrap().root());
        assert_eq!(unnamed, hex(&Sha256::digest(r#"{"arguments":{},"name":null}"#)));
    }

    #[test]
    fn numbers_that_doubles_round_are_told_apart() {
        let ids = ["1234567890123456788", "1234567890123456789", "\"1234567890123456789\""];
        let digests = ids.map(|id| digest(&format!(r#"{{"id": {id}}}"#)));
        assert!(digests[0] != digests[1] && digests[1] != digests[2]);
        let exact = r#"{"arguments":{"id":1234567890123456800},"name":"t","numbers":{"/id":"1234567890123456789"}}"#;
        assert_eq!(digests[1], hex(&Sha256::digest(exact)));
        let long = "9".repeat(400);
        let beyond = format!(r#"{{"arguments":[null],"name":"t","numbers":{{"/0":"{long}"}}}}"#);
        assert_eq!(digest(&format!("[{long}]")), hex(&Sha256::digest(beyond)));
    }
}
