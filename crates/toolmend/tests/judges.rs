//! What the plan judges itself, against the `jsonschema` crate: formats, patterns, and which schemas are none.

use serde_json::{Value, json};
use toolmend::{Options, Policy};

/// The outcomes of texts under a schema that the plan can judge, which must not depend on who judges.
fn agree(schema: &Value, values: &[&str]) {
    let options = Options::new().policy(Policy::Strict).assert_formats(true);
    let plan = options.compile(schema).expect("compiles");
    assert!(plan.is_within_plan(), "{schema}");
    let authority = options.judged_by_jsonschema().compile(schema).expect("compiles");
    for value in values {
        let text = json!(value).to_string();
        assert_eq!(plan.repair(&text).to_json(), authority.repair(&text).to_json(), "{value:?} under {schema}");
    }
}

#[test]
fn formats_are_read_as_the_crate_reads_them() {
    let values = [
        "",
        "2026-12-02",
        "2024-02-29",
        "2023-02-29",
        "1900-02-29",
        "2000-02-29",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-1-2",
        "2026-12-02 ",
        "2026-12-0é",
        "２０２６-12-02",
        "2026-12-02T10:00:00Z",
        "2026-12-02t10:00:00z",
        "2026-12-02 10:00:00Z",
        "2026-12-02T10:00:00",
        "2026-12-02T10:00:00.123456789012+01:30",
        "2026-12-02T10:00:00.Z",
        "2026-12-02T24:00:00Z",
        "2026-12-31T23:59:60Z",
        "2026-12-31T22:59:60Z",
        "2027-01-01T00:59:60+01:00",
        "2026-12-31T15:59:60-08:00",
        "2026-12-02T10:00:00+24:00",
        "2026-12-02T10:00:00+23:59",
        "2026-12-02T10:00:00+0100",
        "T10:00:00Z",
        "10:00:00Z",
        "10:00:00",
        "10:00:60Z",
        "23:59:60Z",
        "00:29:60+00:30",
        "10:0:00Z",
        "10:00:00.5-01:00",
        "10:00:0éZ",
        "10:00:00Zé",
        "10:00:00+1:000",
        "123e4567-e89b-12d3-a456-426614174000",
        "123E4567-E89B-12D3-A456-426614174000",
        "123e4567e89b12d3a456426614174000",
        "{123e4567-e89b-12d3-a456-426614174000}",
        "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a456-42661417400",
        "1.2.3.4",
        "01.2.3.4",
        "1.2.3",
        "256.0.0.1",
        "1.2.3.4 ",
        "::1",
        "::",
        "1::2::3",
        "fe80::1%eth0",
        "::ffff:1.2.3.4",
        "12345::",
    ];
    for format in ["date", "date-time", "time", "uuid", "ipv4", "ipv6"] {
        agree(&json!({"type": "string", "format": format}), &values);
    }
}

/// The crate takes a sign for a digit (0.60). RFC 3339 does not.
#[test]
fn a_sign_is_no_digit() {
    let schema = json!({"type": "string", "format": "date"});
    let contract = Options::new().policy(Policy::Strict).assert_formats(true).compile(&schema).expect("compiles");
    assert!(!contract.repair(r#""+026-12-02""#).is_ok());
    assert!(contract.repair(r#""2026-12-02""#).is_ok());
}

#[test]
fn plain_patterns_match_as_the_crate_matches_them() {
    let values =
        ["", "a", "abc", "ABC-12", "a\nb", "a\r", "é", "🦄", "٣", "2026-12-02", "a.b", "\u{2028}", "x@y.z", "--", "a]"];
    for pattern in [
        "",
        "^",
        "$",
        "^$",
        "^a",
        "a$",
        "^.$",
        "^.+$",
        "^[^a]$",
        "^[^a]{1,2}$",
        r"^\d+$",
        r"^\w+$",
        r"\.",
        "^(?:a|b)+?c$",
        "^(a|bc)*$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^[\w.-]+@[\w.]+$",
        "[A-Z]{2,3}-[0-9]*",
        r"^[a\-z]+$",
        "^[a-c-]+$",
        "a|",
        r"^[\]]",
        "^[.]$",
        r"^\/",
        r"[\d\-]",
    ] {
        agree(&json!({"type": "string", "pattern": pattern}), &values);
    }
}

#[test]
fn what_the_crate_refuses_to_compile_is_refused() {
    let draft = |number: u8| format!("http://json-schema.org/draft-0{number}/schema#");
    for schema in [
        json!({"type": "objekt"}),
        json!({"type": []}),
        json!({"type": ["string", "string"]}),
        json!({"required": ["a", "a"]}),
        json!({"required": "a"}),
        json!({"minLength": -1}),
        json!({"minLength": 1.5}),
        json!({"multipleOf": 0}),
        json!({"enum": "a"}),
        json!({"pattern": "("}),
        json!({"pattern": "a**"}),
        json!({"properties": {"a": 1}}),
        json!({"items": "a"}),
        json!({"anyOf": []}),
        json!({"allOf": {}}),
        json!({"not": 1}),
        json!({"title": 1}),
        json!({"$ref": "#/$defs/none"}),
        json!({"$defs": {"unused": {"type": "objekt"}}}),
        json!({"properties": {"a": {"$defs": {"unused": {"minItems": "1"}}}}}),
        json!({"$schema": draft(4), "properties": {"additionalProperties": true}}),
        json!({"$schema": draft(4), "items": true}),
        json!({"$schema": draft(4), "required": []}),
        json!({"$schema": draft(4), "enum": []}),
        json!({"$schema": draft(7), "definitions": {"a": {"exclusiveMinimum": true}}}),
    ] {
        let theirs = Options::new().judged_by_jsonschema().compile(&schema).is_ok();
        assert_eq!(Options::new().compile(&schema).is_ok(), theirs, "{schema}");
    }
}
