//! The options of `compile` as JavaScript hands them over, and what it is told of the contract.

use serde::Serialize;
use serde_json::Value;
use toolmend::{Contract, Limits, Options, OptionsError, SchemaError};

/// Why a contract cannot be made.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Refusal {
    Option {
        option: String,
    },
    Schema {
        path: String,
        message: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        beyond: bool,
    },
}

impl From<OptionsError> for Refusal {
    fn from(error: OptionsError) -> Self {
        Self::Option { option: error.to_string() }
    }
}

impl From<SchemaError> for Refusal {
    fn from(error: SchemaError) -> Self {
        Self::Schema { path: error.path().to_owned(), message: error.message().to_owned(), beyond: error.is_beyond() }
    }
}

/// Compiles the JSON texts of a definition and of the options: the core's, and `numbers`, which is JavaScript's own.
/// Tells also whether a number that is no exact double refuses the call.
#[inline(never)]
pub(crate) fn compile(definition: &str, options: &str) -> Result<(Contract, bool), Refusal> {
    let definition = Value::String(definition.to_owned());
    let mut options = serde_json::from_str(options).map_err(|error| Refusal::Option { option: error.to_string() })?;
    let exact_numbers = exact_numbers(&mut options)?;
    let contract = Options::from_json(&options)?.compile(&definition)?;
    Ok((contract, exact_numbers))
}

#[inline(never)]
fn exact_numbers(options: &mut Value) -> Result<bool, OptionsError> {
    match options.as_object_mut().and_then(|options| options.remove("numbers")) {
        None | Some(Value::Null) => Ok(false),
        Some(numbers) => match numbers.as_str() {
            Some("bigint") => Ok(false),
            Some("refuse") => Ok(true),
            _ => Err(format!("`numbers` is `bigint` or `refuse`, not {numbers}").into()),
        },
    }
}

/// What JavaScript is told of a new contract.
#[derive(Debug, Serialize)]
pub(crate) struct Made {
    id: u32,
    policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    limits: Limits,
}

impl Made {
    pub(crate) fn new(id: u32, contract: &Contract) -> Self {
        Self {
            id,
            policy: contract.policy().as_str(),
            name: contract.name().map(str::to_owned),
            limits: contract.limits(),
        }
    }
}
