//! The shapes in which tools are defined: a bare JSON Schema, or one inside a definition of `OpenAI` (chat and
//! responses), Anthropic, Gemini or MCP.

use serde_json::{Map, Value, json};

use super::SchemaError;
use crate::pointer::Pointer;

/// A tool's schema and what its definition says beside it.
pub(crate) struct Tool {
    pub(crate) schema: Value,
    /// Where the schema stands in the definition.
    pub(crate) at: Pointer,
    pub(crate) name: Option<String>,
    pub(crate) strict: bool,
}

/// Where each shape keeps the schema of its arguments.
const SCHEMA_KEYS: [&str; 5] =
    ["input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema"];

/// Finds the schema in `definition`. Anything that is not clearly a tool's definition is taken as the schema itself.
pub(crate) fn read(definition: &Value) -> Result<Tool, SchemaError> {
    let Some(object) = definition.as_object() else { return Ok(bare(definition)) };
    let is_function = object.get("type").and_then(Value::as_str) == Some("function");
    if let (true, Some(Value::Object(function))) = (is_function, object.get("function")) {
        return named(function, Pointer::root().key("function"));
    }
    if is_function || is_named(object) {
        return named(object, Pointer::root());
    }
    Ok(bare(definition))
}

fn bare(schema: &Value) -> Tool {
    Tool { schema: schema.clone(), at: Pointer::root(), name: None, strict: false }
}

/// A definition has a name and a schema under one of the known keys, and is no schema itself.
fn is_named(object: &Map<String, Value>) -> bool {
    object.get("name").is_some_and(Value::is_string)
        && SCHEMA_KEYS.iter().any(|key| object.get(*key).is_some_and(Value::is_object))
        && !["type", "properties", "$schema", "$ref"].iter().any(|key| object.contains_key(*key))
}

fn named(object: &Map<String, Value>, at: Pointer) -> Result<Tool, SchemaError> {
    let Some(name) = object.get("name").and_then(Value::as_str) else {
        return Err(SchemaError::new(at.key("name"), "a tool definition needs a `name`"));
    };
    let found = SCHEMA_KEYS.iter().find_map(|key| Some((*key, object.get(*key)?)));
    let (schema, at) = match found {
        Some((_, Value::Null)) | None => (json!({"type": "object", "properties": {}}), at),
        Some((key, schema)) => (schema.clone(), at.key(key)),
    };
    let strict = object.get("strict").and_then(Value::as_bool).unwrap_or(false);
    Ok(Tool { schema, at, name: Some(name.to_owned()), strict })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_schema_in_every_shape() {
        let schema = json!({"type": "object"});
        for (definition, at) in [
            (
                json!({"type": "function", "function": {"name": "t", "parameters": {"type": "object"}}}),
                "/function/parameters",
            ),
            (json!({"type": "function", "name": "t", "parameters": {"type": "object"}}), "/parameters"),
            (json!({"name": "t", "input_schema": {"type": "object"}}), "/input_schema"),
            (json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {}}), "/inputSchema"),
            (json!({"name": "t", "parametersJsonSchema": {"type": "object"}}), "/parametersJsonSchema"),
        ] {
            let tool = read(&definition).unwrap();
            assert_eq!((tool.schema, tool.at.as_str(), tool.name.as_deref()), (schema.clone(), at, Some("t")));
        }
        assert!(read(&schema).unwrap().name.is_none());
        assert!(read(&json!({"type": "function", "function": {}})).is_err());
    }
}
