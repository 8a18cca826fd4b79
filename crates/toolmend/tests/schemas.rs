//! A bad schema fails when it is compiled, with where and why.

use serde_json::{Value, json};
use toolmend::{Options, Property, SchemaError};

fn error(options: &Options, schema: &Value) -> SchemaError {
    options.compile(schema).expect_err("no schema")
}

#[test]
fn a_bad_schema_says_where_and_why() {
    for (schema, path, why) in [
        (json!({"type": "objekt"}), "/type", "objekt"),
        (json!({"properties": {"a": {"pattern": "("}}}), "/properties/a/pattern", "regex"),
        (json!({"properties": {"q": {"$ref": "#/$defs/nope"}}}), "/properties/q/$ref", "/$defs/nope"),
        (
            json!({"properties": {"q": {"items": {"$ref": "https://example.org/far"}}}}),
            "/properties/q/items/$ref",
            "https://example.org/far",
        ),
        (
            json!({"name": "t", "input_schema": {"type": "object", "properties": {"n": {"minimum": "1"}}}}),
            "/input_schema/properties/n/minimum",
            "number",
        ),
        (json!(3), "", "object or a boolean"),
        (json!("{"), "", "no JSON"),
    ] {
        let error = error(&Options::new(), &schema);
        assert_eq!(error.path(), path, "{error}");
        assert!(error.message().contains(why), "{error}");
    }
}

#[test]
fn options_that_do_not_go_with_the_schema_are_told() {
    let schema =
        json!({"type": "object", "properties": {"mode": {"enum": ["edit", "write"]}}, "additionalProperties": false});
    for (property, pattern, why) in [
        (Property::new(), "/mod", "did you mean `mode`?"),
        (Property::new(), "mode", "starts with `/`"),
        (Property::new().alias("a", json!("b")).alias("b", json!("edit")), "/mode", "does not allow"),
        (Property::new().alias("a", json!("edit")).alias("edit", json!("write")), "/mode", "alias chain"),
        (Property::new().key_alias("m", "mood"), "", "did you mean `mode`?"),
    ] {
        let error = error(&Options::new().property(pattern, property), &schema);
        assert!(error.to_string().starts_with("invalid options: "), "{error}");
        assert!(error.message().contains(why), "{error}");
    }
    for (options, why) in [
        (json!({"polcy": "narrow"}), "did you mean `policy`?"),
        (json!({"policy": "loose"}), "`strict`, `narrow`, `adapter`, `lenient`"),
        (json!({"rules": {"wrap_in_arrays": true}}), "did you mean `wrap_in_array`?"),
        (json!({"limits": {"bytes": -1}}), "whole number"),
        (json!({"overrides": {"/a": {"alias": {}}}}), "did you mean `aliases`?"),
    ] {
        let error = Options::from_json(&options).expect_err("no options");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn documents_that_are_handed_in_are_checked_too() {
    let options = Options::new().document("https://example.org/a", json!({"type": 3}));
    let error = error(&options, &json!({"type": "object"}));
    assert!(error.message().contains("https://example.org/a"), "{error}");
}
