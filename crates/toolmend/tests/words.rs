//! What is told: feedback, hints and logs, and that none of it holds a secret.

use serde_json::{Value, json};
use toolmend::{FeedbackFormat, Options, Policy, Redact};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"enum": ["edit", "write"]},
            "filter": {"type": "object", "properties": {"owner": {"type": "string"}, "max": {"type": "integer"}}, "required": ["owner"], "additionalProperties": false},
            "at": {"type": ["string", "null"]}
        },
        "required": ["file_path", "mode"],
        "additionalProperties": false
    })
}

#[test]
fn feedback_tells_each_fact_once() {
    let contract = Options::new().policy(Policy::Lenient).compile(&schema()).unwrap();
    let outcome = contract.repair(r#"{"file_pth": "a", "mode": "edt", "tags": "a, b", "filter": {"max": "x"}}"#);
    assert_eq!(
        outcome.feedback(),
        "Not run. Resend the whole call, fixing only:\n\
         /file_pth: unknown key: `file_path` (required: a string) may be meant\n\
         /mode: must be one of \"edit\", \"write\"\n\
         /tags: must be an array, one item or several\n\
         /filter/max: must be an integer\n\
         /filter/owner: required: a string"
    );
    let json: Value = serde_json::from_str(&outcome.feedback_as(FeedbackFormat::Json, 1024)).unwrap();
    assert_eq!(json["issues"].as_array().unwrap().len(), 5);
    assert!(contract.repair(r#"{"file_path": "a", "mode": "edit"}"#).feedback().is_empty());
}

#[test]
fn feedback_has_a_cap() {
    let contract = Options::new().compile(&schema()).unwrap();
    let text = Value::Object((0..90).map(|index| (format!("k{index}"), json!(1))).collect()).to_string();
    let outcome = contract.repair(&text);
    for (format, cap) in [(FeedbackFormat::Text, 400), (FeedbackFormat::Json, 600), (FeedbackFormat::Text, 60)] {
        let told = outcome.feedback_as(format, cap);
        assert!(told.len() <= cap, "{} > {cap}: {told}", told.len());
    }
    assert!(outcome.feedback_as(FeedbackFormat::Text, 400).ends_with("more"));
}

#[test]
fn one_wrong_field_in_one_of_twelve_branches_is_one_line() {
    let branch = |index: usize| json!({"type": "object", "properties": {"kind": {"const": format!("k{index}")}, "n": {"type": "integer"}, "s": {"type": "string"}}, "required": ["kind", "n"], "additionalProperties": false});
    let schema = json!({"type": "object", "properties": {"op": {"oneOf": (0..12).map(branch).collect::<Vec<_>>()}}, "required": ["op"]});
    let contract = Options::new().policy(Policy::Lenient).compile(&schema).unwrap();
    let outcome = contract.repair(r#"{"op": {"kind": "k7", "n": "many"}}"#);
    assert_eq!(outcome.feedback(), "Not run. Resend the whole call, fixing only:\n/op/n: must be an integer");
    let outcome = contract.repair(r#"{"op": {"n": 1}}"#);
    assert_eq!(outcome.issues()[0].path, "/op/kind");
}

#[test]
fn hints_give_the_keys() {
    let contract = Options::new().compile(&schema()).unwrap();
    assert_eq!(
        contract.hints(1024),
        "Arguments, exact keys: {file_path: string, mode: \"edit\" | \"write\", at?: null | string, \
         filter?: {owner: string, max?: integer}, tags?: string[]}\nLists, also for one item: tags"
    );
    for budget in [40, 80, 120, 160, 200] {
        assert!(contract.hints(budget).len() <= budget);
    }
    let tree = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/n"}}}}}});
    assert!(Options::new().compile(&tree).unwrap().hints(2_000).len() < 400);
}

#[test]
fn equal_schemas_have_one_fingerprint() {
    let fingerprint = |schema: &Value| Options::new().compile(schema).unwrap().fingerprint();
    assert_eq!(
        fingerprint(&json!({"type": "object", "title": "a"})),
        fingerprint(&json!({"title": "a", "type": "object"}))
    );
    assert_ne!(fingerprint(&json!({"type": "object"})), fingerprint(&json!({"type": "array"})));
}

const SECRET: &str = "hunter2";

/// Everything that is told about an outcome, its value left out.
fn told(contract: &toolmend::Contract, text: &str) -> String {
    let outcome = contract.repair(text);
    let mut wire: Value = serde_json::from_str(&outcome.to_json()).unwrap();
    wire.as_object_mut().unwrap().remove("value");
    let feedback = [FeedbackFormat::Text, FeedbackFormat::Json].map(|format| outcome.feedback_as(format, 4_000));
    format!("{wire} {} {} {feedback:?} {:?} {:?}", outcome.log(), outcome.patch(), outcome.issues(), outcome.repairs())
}

/// Calls with the secret under a sensitive property, in every way that is told about: repaired, refused, unreadable.
fn calls(key: &str) -> Vec<String> {
    let s = SECRET;
    vec![
        format!(r#"{{"user": "u", "{key}": "{s}"}}"#),
        format!(r#"{{"user": 1, "{key}": "{s}"}}"#),
        format!(r#"{{"user": "u", "{key}": ["{s}"]}}"#),
        format!(r#"{{"user": "u", "{key}": {{"v": "{s}"}}}}"#),
        format!(r#"{{"User": "u", "{}": "{s}"}}"#, key.to_uppercase()),
        format!(r#"{{"arguments": {{"user": "u", "{key}": "{s}"}}}}"#),
        format!(r#"{{"arguments": {{"user": "u", "{key}": "{s}", "x": 1}}}}"#),
        json!(format!(r#"{{"user": "u", "{key}": "{s}"}}"#)).to_string(),
        json!({"user": "u", "opts": format!(r#"{{"{key}": "{s}"}}"#)}).to_string(),
        json!({"user": "u", "opts": format!(r#"{{"{key}": "{s}""#)}).to_string(),
        json!({"user": "u", "opts": [{key: s}, {key: s}]}).to_string(),
        json!({"user": format!(r#"{{"{key}": "{s}"}}"#), "n": "x"}).to_string(),
        json!({"n": format!(r#"{{"{key}": "{s}"}}"#)}).to_string(),
        format!("```json\n{{\"user\": \"u\", \"{key}\": \"{s}\"}}\n```"),
        format!("Here: {{'user': 'u', '{key}': '{s}',}} done"),
        format!(r#"{{"user": "u", "{key}": "{s}"#),
        format!(r#"{{"user": "u", "{key}": "{s}"}} {{"a": 1}}"#),
        format!(r#"{{"{key}": "{s}", "{key}": "{s}"}}"#),
        format!(r#"{{"user": "u", "{key}": "{s}", "tags": "a, b", "n": 1.10}}"#),
    ]
}

fn with_secret(property: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "user": {"type": "string"}, "api_key": property, "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "opts": {"type": "object", "properties": {"api_key": {"type": "string"}}, "additionalProperties": false}
        },
        "required": ["user"], "additionalProperties": false
    })
}

#[test]
fn no_secret_is_told() {
    let marked = [
        (json!({"type": "string", "maxLength": 3, "x-sensitive": true}), Redact::default()),
        (json!({"type": "string", "writeOnly": true}), Redact::default()),
        (json!({"type": "string", "enum": ["a"], "format": "password"}), Redact::default()),
        (json!({"type": "integer"}), Redact { properties: vec!["/api_key".to_owned()], ..Redact::default() }),
        (json!({"type": "string", "pattern": "^x"}), Redact { values: true, ..Redact::default() }),
    ];
    for (property, redact) in marked {
        for policy in Policy::ALL {
            let options = Options::new().policy(*policy).redact(redact.clone());
            let contract = options.compile(&with_secret(&property)).unwrap();
            for call in calls("api_key") {
                let told = told(&contract, &call);
                assert!(!told.contains(SECRET), "{policy}: {call}\n{told}");
            }
        }
    }
}

#[test]
fn no_undeclared_key_is_told_when_keys_are_masked() {
    let redact = Redact { keys: true, ..Redact::default() };
    for policy in Policy::ALL {
        let schema = json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "o": {"oneOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": false}, {"type": "object", "properties": {"b": {"const": 1}}, "required": ["b"], "additionalProperties": false}]}},
            "required": ["path"], "additionalProperties": false
        });
        let contract = Options::new().policy(*policy).redact(redact.clone()).compile(&schema).unwrap();
        for call in [
            format!(r#"{{"{SECRET}": 1}}"#),
            format!(r#"{{"path": "a", "o": {{"{SECRET}": 1}}}}"#),
            format!(r#"{{"path": "a", "o": {{"a": 1, "b": 1, "{SECRET}": {{"x": 1}}}}}}"#),
            format!(r#"{{"pth": "a", "{SECRET}": {{"{SECRET}": "\ud800"}}}}"#),
            format!(r#"{{"path": "a", "{SECRET}": 1, "{SECRET}": 1}}"#),
        ] {
            let told = told(&contract, &call);
            assert!(!told.contains(SECRET), "{policy}: {call}\n{told}");
        }
    }
}

#[test]
fn a_log_line_holds_nothing_of_what_was_sent() {
    let contract = Options::new().policy(Policy::Lenient).name("tool").compile(&schema()).unwrap();
    for call in [
        format!(r#"{{"file_path": "{SECRET}", "mode": "{SECRET}", "{SECRET}": "{SECRET}", "tags": "{SECRET}"}}"#),
        format!(r#"{{"FilePath": "{SECRET}", "mode": "EDIT", "tags": "{SECRET}"}}"#),
    ] {
        let log = contract.repair(&call).log();
        assert!(!log.contains(SECRET), "{log}");
        let log: Value = serde_json::from_str(&log).unwrap();
        assert_eq!((&log["tool"], &log["policy"]), (&json!("tool"), &json!("lenient")));
    }
}
