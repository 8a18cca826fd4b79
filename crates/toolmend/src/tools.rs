//! Many tools at once: the list, in the shapes in which hosts hold it, as one definition a tool.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::schema::{SchemaError, tool};

/// What a tool does to the world, as its definition says (MCP's `annotations`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effect {
    /// It changes nothing (`readOnlyHint: true`).
    Read,
    /// It changes things and destroys none (`destructiveHint: false`).
    Write,
    /// It may destroy (`destructiveHint: true`).
    Destructive,
}

impl Effect {
    fn of(definition: &Value) -> Option<Self> {
        let hint = |name: &str| definition.get("annotations")?.get(name)?.as_bool();
        match (hint("readOnlyHint"), hint("destructiveHint")) {
            (Some(true), _) => Some(Self::Read),
            (_, Some(true)) => Some(Self::Destructive),
            (_, Some(false)) => Some(Self::Write),
            _ => None,
        }
    }
}

/// One entry of a list of tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Definition {
    /// The tool's name; none where there is none to be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its place in the list, from 0.
    pub index: usize,
    /// What [`Options::compile`](crate::Options::compile) takes, as JSON text.
    pub definition: String,
    /// What the tool does to the world, if the definition says so.
    pub effect: Option<Effect>,
    /// The schema of the tool's results, as JSON text, if the definition has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Why this entry is no tool that can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Definition {
    fn new(index: usize, name: Option<String>, definition: &Value) -> Self {
        let inner = ["function", "toolSpec"].iter().find_map(|key| definition.get(*key)).filter(|it| it.is_object());
        let told = [Some(definition), inner];
        let find = |key: &str| told.iter().flatten().find_map(|it| it.get(key)).filter(|it| it.is_object());
        Self {
            name,
            index,
            definition: definition.to_string(),
            effect: told.iter().flatten().find_map(|it| Effect::of(it)),
            output: find("outputSchema").or_else(|| find("output_schema")).map(ToString::to_string),
            message: None,
        }
    }
}

/// Reads a list of tools: an array of definitions, `{"tools": [...]}`, Gemini's `functionDeclarations` with any number
/// of functions, or an object of definitions or schemas by name. One entry that is no tool says so, and the others stand.
///
/// # Errors
///
/// [`SchemaError`] for a value that is no list of tools at all.
pub fn definitions(tools: &Value) -> Result<Vec<Definition>, SchemaError> {
    let mut found = Vec::new();
    match tools {
        Value::Array(list) => listed(list, &mut found),
        Value::Object(object) => match object.get("tools") {
            Some(Value::Array(list)) => listed(list, &mut found),
            _ if declared(object).is_some() => listed(std::slice::from_ref(tools), &mut found),
            _ => by_name(object, &mut found)?,
        },
        _ => return Err(SchemaError::new("", "the tools must be a list of definitions, or an object by name")),
    }
    let names: Vec<Option<String>> = found.iter().map(|it| it.name.clone()).collect();
    for (at, definition) in found.iter_mut().enumerate() {
        let is_second = definition.name.is_some() && names.iter().take(at).any(|name| *name == definition.name);
        if is_second && definition.message.is_none() {
            definition.message = Some("there is a tool of this name before it".to_owned());
        }
    }
    Ok(found)
}

/// The functions of a tool in Gemini's shape.
fn declared(object: &Map<String, Value>) -> Option<&Vec<Value>> {
    ["functionDeclarations", "function_declarations"].iter().find_map(|key| object.get(*key)?.as_array())
}

fn listed(list: &[Value], found: &mut Vec<Definition>) {
    for entry in list {
        match entry.as_object().and_then(declared) {
            Some(functions) => functions.iter().for_each(|function| one(function, found)),
            None => one(entry, found),
        }
    }
}

fn one(entry: &Value, found: &mut Vec<Definition>) {
    let name = tool::name(entry).map(str::to_owned);
    let mut definition = Definition::new(found.len(), name, entry);
    if definition.name.is_none() {
        definition.message = Some("a tool in a list needs a `name`, and a schema of its arguments".to_owned());
    }
    found.push(definition);
}

fn by_name(object: &Map<String, Value>, found: &mut Vec<Definition>) -> Result<(), SchemaError> {
    if let Some((key, _)) = object.iter().find(|(_, value)| !value.is_object() && !value.is_boolean()) {
        let message = format!("the tools must be a list of definitions, or an object by name: `{key}` is none");
        return Err(SchemaError::new("", message));
    }
    for (name, value) in object {
        let mut value = value.clone();
        if let Some(unnamed) = value.as_object_mut().filter(|value| tool::is_unnamed(value)) {
            unnamed.insert("name".to_owned(), name.as_str().into());
        }
        found.push(Definition::new(found.len(), Some(name.clone()), &value));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(tools: &Value) -> Vec<Option<String>> {
        definitions(tools).unwrap().into_iter().map(|it| it.name).collect()
    }

    #[test]
    fn every_shape_of_a_list_is_read() {
        let schema = json!({"type": "object"});
        let mcp = json!({"name": "a", "inputSchema": schema});
        let openai = json!({"type": "function", "function": {"name": "b", "parameters": schema}});
        let gemini = json!({"functionDeclarations": [{"name": "c", "parameters": schema}, {"name": "d"}]});
        let want: Vec<_> = ["a", "b", "c", "d"].map(|name| Some(name.to_owned())).into();
        let list = json!([mcp, openai, gemini]);
        assert_eq!(names(&list), want);
        assert_eq!(names(&json!({"tools": list})), want);
        assert_eq!(names(&gemini), want[2..]);
        assert_eq!(names(&json!({"a": schema, "b": {"description": "d", "inputSchema": schema}})), want[..2]);
    }

    #[test]
    fn an_entry_that_is_no_tool_says_so() {
        let found = definitions(&json!([{"type": "web_search"}, {"name": "a", "parameters": {}}, 5])).unwrap();
        let told: Vec<_> = found.iter().map(|it| it.message.is_some()).collect();
        assert_eq!(told, [true, false, true]);
        let twice = json!({"name": "a", "parameters": {}});
        assert!(definitions(&json!([twice, twice])).unwrap()[1].message.is_some());
        for none in [json!(5), json!({"name": "a", "parameters": {}}), json!(null)] {
            assert!(definitions(&none).is_err(), "{none}");
        }
    }

    #[test]
    fn effects_and_outputs_are_told() {
        let tool = |annotations: Value| json!([{"name": "a", "inputSchema": {}, "annotations": annotations}]);
        for (annotations, effect) in [
            (json!({"readOnlyHint": true, "destructiveHint": true}), Some(Effect::Read)),
            (json!({"destructiveHint": true}), Some(Effect::Destructive)),
            (json!({"readOnlyHint": false, "destructiveHint": false}), Some(Effect::Write)),
            (json!({}), None),
        ] {
            let found = definitions(&tool(annotations)).unwrap().remove(0);
            assert_eq!(found.effect, effect);
        }
        let found =
            definitions(&json!([{"name": "a", "inputSchema": {}, "outputSchema": {"type": "object"}}])).unwrap();
        assert_eq!(found[0].output.as_deref(), Some(r#"{"type":"object"}"#));
    }
}
