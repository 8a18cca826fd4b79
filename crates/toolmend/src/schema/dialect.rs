//! Shapes of schema that are not JSON Schema, translated when compiled: `OpenAPI`'s `nullable: true` and Gemini's
//! upper-case types. The laws hold for the translation.

use serde_json::{Map, Value, json};

const GEMINI_TYPES: [&str; 7] = ["ARRAY", "BOOLEAN", "INTEGER", "NULL", "NUMBER", "OBJECT", "STRING"];

/// Translates `schema` and everything below it in place.
pub(crate) fn translate(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    let mut is_nullable = false;
    for (keyword, value) in object.iter_mut() {
        match keyword.as_str() {
            "type" => lower_case_types(value),
            "nullable" => is_nullable = *value == Value::Bool(true),
            // One schema, or a list of them.
            "additionalItems"
            | "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "contentSchema"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "prefixItems"
            | "propertyNames"
            | "then"
            | "unevaluatedItems"
            | "unevaluatedProperties" => match value {
                Value::Array(children) => children.iter_mut().for_each(translate),
                child => translate(child),
            },
            // Schemas by name.
            "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
                if let Value::Object(children) = value {
                    children.values_mut().for_each(translate);
                }
            }
            _ => {}
        }
    }
    if is_nullable {
        allow_null(object);
    }
}

fn lower_case_types(types: &mut Value) {
    let lower = |value: &mut Value| {
        if let Value::String(name) = value
            && GEMINI_TYPES.contains(&name.as_str())
        {
            name.make_ascii_lowercase();
        }
    };
    match types {
        Value::Array(names) => names.iter_mut().for_each(lower),
        name => lower(name),
    }
}

/// `nullable` widens the schema in which it stands.
fn allow_null(object: &mut Map<String, Value>) {
    object.remove("nullable");
    let listed = object.contains_key("enum");
    let simple = ["$ref", "allOf", "anyOf", "oneOf", "not", "const", "if"].iter().all(|key| !object.contains_key(*key));
    match object.get_mut("type") {
        Some(Value::String(name)) if simple && name != "null" => {
            let name = std::mem::take(name);
            object.insert("type".to_owned(), json!([name, "null"]));
        }
        Some(Value::Array(names)) if simple => {
            if !names.iter().any(|name| name == "null") {
                names.push(json!("null"));
            }
        }
        None if simple && !listed => {}
        _ => {
            let annotations = ["title", "description", "default", "examples", "$defs", "definitions", "$schema", "$id"];
            let mut outer = Map::new();
            let mut inner = Map::new();
            for (key, value) in std::mem::take(object) {
                if annotations.contains(&key.as_str()) { &mut outer } else { &mut inner }.insert(key, value);
            }
            outer.insert("anyOf".to_owned(), json!([inner, {"type": "null"}]));
            *object = outer;
            return;
        }
    }
    if let Some(Value::Array(members)) = object.get_mut("enum")
        && !members.contains(&Value::Null)
    {
        members.push(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn translated(mut schema: Value, want: &Value) {
        translate(&mut schema);
        assert_eq!(&schema, want);
    }

    #[test]
    fn gemini_types_become_lower_case() {
        translated(
            json!({"type": "OBJECT", "properties": {"type": {"type": "STRING"}, "n": {"type": "ARRAY", "items": {"type": "INTEGER"}}}}),
            &json!({"type": "object", "properties": {"type": {"type": "string"}, "n": {"type": "array", "items": {"type": "integer"}}}}),
        );
    }

    #[test]
    fn nullable_widens() {
        translated(json!({"type": "string", "nullable": true}), &json!({"type": ["string", "null"]}));
        translated(
            json!({"type": "string", "enum": ["a"], "nullable": true}),
            &json!({"type": ["string", "null"], "enum": ["a", null]}),
        );
        translated(
            json!({"$ref": "#/$defs/a", "nullable": true, "description": "d"}),
            &json!({"description": "d", "anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
        );
        translated(json!({"nullable": false, "type": "string"}), &json!({"nullable": false, "type": "string"}));
    }

    #[test]
    fn data_is_no_schema() {
        let data = json!({"const": {"type": "STRING", "nullable": true}, "default": {"type": "STRING"}});
        translated(data.clone(), &data);
    }
}
