//! The shapes in which tools are defined: a bare JSON Schema, or one inside a definition of `OpenAI` (chat and
//! responses), Anthropic, Gemini or MCP.

use std::borrow::Cow;

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
#[inline(never)]
pub(crate) fn read(definition: Cow<'_, Value>) -> Result<Tool, SchemaError> {
    match defined(&definition)? {
        Some((tool, at)) => named(tool, at),
        None => Ok(Tool { schema: definition.into_owned(), at: Pointer::root(), name: None, strict: false }),
    }
}

/// The part of a definition that has the name and the schema.
fn defined(definition: &Value) -> Result<Option<Placed<'_>>, SchemaError> {
    let Some(object) = definition.as_object() else { return Ok(None) };
    let is_function = object.get("type").and_then(Value::as_str) == Some("function");
    if let (true, Some(Value::Object(function))) = (is_function, object.get("function")) {
        return Ok(Some((function, Pointer::root().key("function"))));
    }
    if is_function || is_named(object) {
        return Ok(Some((object, Pointer::root())));
    }
    unwrapped(object)
}

/// The name of the tool that a value defines.
pub(crate) fn name(definition: &Value) -> Option<&str> {
    let object = definition.as_object()?;
    let inner = ["function", "toolSpec"].iter().find_map(|key| object.get(*key)?.as_object());
    let named = inner.unwrap_or(object);
    (inner.is_some() || object.get("type").and_then(Value::as_str) == Some("function") || is_named(object))
        .then(|| named.get("name")?.as_str())?
}

/// Whether an object defines a tool whose name stands elsewhere.
pub(crate) fn is_unnamed(object: &Map<String, Value>) -> bool {
    !object.contains_key("name")
        && !KEYWORDS.iter().any(|key| object.contains_key(*key))
        && SCHEMA_KEYS.iter().any(|key| object.get(*key).is_some_and(Value::is_object))
}

/// Keywords that say that an object is a schema.
const KEYWORDS: [&str; 22] = [
    "$schema",
    "$ref",
    "$id",
    "$defs",
    "$dynamicRef",
    "definitions",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "items",
    "prefixItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "enum",
    "const",
    "unevaluatedProperties",
    "dependentSchemas",
];

/// A definition has a name and no keyword of JSON Schema.
fn is_named(object: &Map<String, Value>) -> bool {
    // Anthropic has `"type": "custom"` for a tool of the host's own.
    let typed = object.get("type").is_some_and(|kind| kind != "custom");
    object.get("name").is_some_and(Value::is_string) && !typed && !KEYWORDS.iter().any(|key| object.contains_key(*key))
}

/// A definition and where it stands.
type Placed<'d> = (&'d Map<String, Value>, Pointer);

/// The definition inside the wrappers of Gemini (a list of functions) and Bedrock.
fn unwrapped(object: &Map<String, Value>) -> Result<Option<Placed<'_>>, SchemaError> {
    for key in ["functionDeclarations", "function_declarations"] {
        match object.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            None => {}
            Some([Value::Object(only)]) => return Ok(Some((only, Pointer::root().key(key).index(0)))),
            Some(_) => {
                let message = "a contract is of one tool: compile each of the functions";
                return Err(SchemaError::new(Pointer::root().key(key), message));
            }
        }
    }
    let spec = object.get("toolSpec").and_then(Value::as_object);
    Ok(spec.map(|spec| (spec, Pointer::root().key("toolSpec"))))
}

#[inline(never)]
fn named(object: &Map<String, Value>, at: Pointer) -> Result<Tool, SchemaError> {
    let Some(name) = object.get("name").and_then(Value::as_str) else {
        return Err(SchemaError::new(at.key("name"), "a tool definition needs a `name`"));
    };
    let is_function =
        object.get("type").and_then(Value::as_str) == Some("function") || at.as_str().starts_with("/function");
    let found = SCHEMA_KEYS.iter().find_map(|key| Some((*key, object.get(*key)?)));
    let (schema, at) = match found {
        // OpenAI and Gemini leave out the parameters of a function that has none.
        Some((_, Value::Null)) | None if is_function => (json!({"type": "object", "properties": {}}), at),
        Some((_, Value::Null)) | None => {
            return Err(SchemaError::new(at, "a tool definition needs a schema of its arguments"));
        }
        // Bedrock has the schema one level deeper.
        Some((key, Value::Object(inner))) if inner.len() == 1 && inner.get("json").is_some_and(Value::is_object) => {
            (inner.get("json").cloned().unwrap_or_default(), at.key(key).key("json"))
        }
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
            (json!({"type": "custom", "name": "t", "input_schema": {"type": "object"}}), "/input_schema"),
            (
                json!({"functionDeclarations": [{"name": "t", "parameters": {"type": "object"}}]}),
                "/functionDeclarations/0/parameters",
            ),
            (
                json!({"toolSpec": {"name": "t", "inputSchema": {"json": {"type": "object"}}}}),
                "/toolSpec/inputSchema/json",
            ),
        ] {
            let tool = read(Cow::Borrowed(&definition)).unwrap();
            assert_eq!((tool.schema, tool.at.as_str(), tool.name.as_deref()), (schema.clone(), at, Some("t")));
        }
        assert!(read(Cow::Borrowed(&schema)).unwrap().name.is_none());
        let schema = json!({"name": "t", "parameters": {"x": 1}, "anyOf": [{"type": "object"}]});
        assert!(read(Cow::Borrowed(&schema)).unwrap().name.is_none(), "a schema with annotations of its own");
        for bad in [
            json!({"type": "function", "function": {}}),
            json!({"name": "t", "description": "d"}),
            json!({"functionDeclarations": []}),
        ] {
            assert!(read(Cow::Borrowed(&bad)).is_err(), "{bad}");
        }
    }
}
