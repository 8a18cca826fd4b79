//! The tools of an agent, compiled together: each with a verdict of its own, and called by name.

use serde_json::Value;

use crate::contract::Contract;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::schema::SchemaError;
use crate::tools::definitions;

/// Many compiled tools.
///
/// ```
/// use serde_json::json;
/// use toolmend::{Options, Toolbox};
///
/// let toolbox = Toolbox::compile(&Options::new(), &json!([
///     {"name": "read", "inputSchema": {"type": "object", "properties": {"paths": {"type": "array"}}}},
///     {"name": "write", "inputSchema": {"type": "objekt"}},
/// ]))?;
/// assert!(toolbox.repair("read", r#"{"paths": "a.txt"}"#).is_ok());
/// assert_eq!(toolbox.faults()[0].name.as_deref(), Some("write"));
/// assert_eq!(toolbox.repair("raed", "{}").issues()[0].code.as_str(), "unknown_tool");
/// # Ok::<(), toolmend::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Toolbox {
    tools: Vec<(String, Contract)>,
    faults: Vec<Fault>,
}

/// One entry of the list that is no tool to call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// Its name, where there is one.
    pub name: Option<String>,
    /// Its place in the list, from 0.
    pub index: usize,
    /// What is wrong.
    pub error: SchemaError,
}

impl Toolbox {
    /// Compiles every tool of a list (see [`definitions`]) with the same options, [within](Options::within) what its
    /// effect allows. What cannot be compiled is a [`Fault`], and the other tools stand.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] for a value that is no list of tools at all.
    pub fn compile(options: &Options, tools: &Value) -> Result<Self, SchemaError> {
        let mut toolbox = Self { tools: Vec::new(), faults: Vec::new() };
        for tool in definitions(tools)? {
            let name = tool.name.clone().unwrap_or_default();
            let options = options.clone().name(&name).within(tool.effect);
            let compiled = tool.message.map_or_else(
                || options.compile(&Value::String(tool.definition)),
                |message| Err(SchemaError::new("", message)),
            );
            match compiled {
                Ok(contract) => toolbox.tools.push((name, contract)),
                Err(error) => toolbox.faults.push(Fault { name: tool.name, index: tool.index, error }),
            }
        }
        Ok(toolbox)
    }

    /// The names of the tools that can be called, in the order of the list.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|(name, _)| name.as_str())
    }

    /// What of the list is no tool to call, and why.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The contract of a tool.
    #[must_use]
    pub fn contract(&self, name: &str) -> Option<&Contract> {
        self.tools.iter().find(|(known, _)| known == name).map(|(_, contract)| contract)
    }

    /// Repairs the raw argument text of a call of the tool `name`; refuses it where there is no such tool.
    #[must_use]
    pub fn repair<'t>(&self, name: &str, text: &'t str) -> Outcome<'t> {
        match self.contract(name) {
            Some(contract) => contract.repair(text),
            None => Outcome::unknown_tool(name, &self.names().collect::<Vec<_>>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::{Policy, Rule};

    #[test]
    fn nothing_said_of_all_tools_widens_what_may_destroy() {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "l": {"type": "array"}}});
        let tools = json!([
            {"name": "read", "inputSchema": schema, "annotations": {"readOnlyHint": true}},
            {"name": "delete", "inputSchema": schema, "annotations": {"destructiveHint": true}},
        ]);
        let asked = |options: Options, text| {
            let toolbox = Toolbox::compile(&options, &tools).expect("a list of tools");
            ["read", "delete"].map(|name| toolbox.repair(name, text).is_ok())
        };
        let (number, list) = (r#"{"n": "5"}"#, r#"{"l": "a"}"#);
        let switched = Options::new().rule(Rule::ParseNumber, true);
        assert_eq!(asked(Options::new().policy(Policy::Lenient), number), [true, false]);
        assert_eq!(asked(switched, number), [true, false]);
        assert_eq!(asked(Options::new().policy(Policy::Lenient), list), [true, true]);
        assert_eq!(asked(Options::new().rule(Rule::WrapInArray, false), list), [false, false]);
        assert_eq!(asked(Options::new().policy(Policy::Strict), list), [false, false]);
    }
}
