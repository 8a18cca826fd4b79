//! The options of `compile` as JavaScript hands them over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toolmend::{Contract, Limits, Options, Policy, SchemaError};

use crate::host::{SchemaText, schema};

/// What [`compile`](crate::compile) is told. The TypeScript has checked names and types.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HostOptions {
    policy: Option<String>,
    name: Option<String>,
    assert_formats: bool,
    /// Whether a number that is no exact double refuses the call.
    pub(crate) exact_numbers: bool,
    /// The JSON text of each document, by its URI.
    schemas: BTreeMap<String, String>,
    limits: HostLimits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HostLimits {
    bytes: Option<usize>,
    depth: Option<usize>,
    work: Option<usize>,
    issues: Option<usize>,
    readings: Option<usize>,
}

/// Why a contract cannot be made.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Refusal {
    Option { option: String },
    Schema { path: String, message: String },
}

impl From<SchemaError> for Refusal {
    fn from(error: SchemaError) -> Self {
        Self::Schema { path: error.path().to_owned(), message: error.message().to_owned() }
    }
}

impl HostOptions {
    pub(crate) fn compile(&self, text: &[u8]) -> Result<Contract, Refusal> {
        let policy = match &self.policy {
            Some(policy) => policy.parse().map_err(|option| Refusal::Option { option })?,
            None => Policy::default(),
        };
        let mut options = Options::new().policy(policy).assert_formats(self.assert_formats).limits(self.limits.read());
        if let Some(name) = &self.name {
            options = options.name(name);
        }
        for (uri, text) in &self.schemas {
            options = options.document(uri, schema(&SchemaText::Document(uri), text.as_bytes())?);
        }
        Ok(options.compile(&schema(&SchemaText::Definition, text)?)?)
    }
}

impl HostLimits {
    fn read(&self) -> Limits {
        let default = Limits::default();
        Limits {
            bytes: self.bytes.unwrap_or(default.bytes),
            depth: self.depth.unwrap_or(default.depth),
            work: self.work.unwrap_or(default.work),
            issues: self.issues.unwrap_or(default.issues),
            readings: self.readings.unwrap_or(default.readings),
        }
    }
}

/// What JavaScript is told of a new contract.
#[derive(Debug, Serialize)]
pub(crate) struct Made {
    id: u32,
    policy: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    limits: MadeLimits,
}

#[derive(Debug, Serialize)]
struct MadeLimits {
    bytes: usize,
    depth: usize,
    work: usize,
    issues: usize,
    readings: usize,
}

impl Made {
    pub(crate) fn new(id: u32, contract: &Contract) -> Self {
        let Limits { bytes, depth, work, issues, readings } = contract.limits();
        Self {
            id,
            policy: contract.policy().as_str(),
            name: contract.name().map(str::to_owned),
            limits: MadeLimits { bytes, depth, work, issues, readings },
        }
    }
}
