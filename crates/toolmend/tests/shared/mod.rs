//! The shared cases of `tests/cases`.
#![allow(dead_code, reason = "each test reads the parts it needs")]

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use toolmend::{Contract, Options, Policy};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub name: String,
    pub why: String,
    tool: Option<String>,
    schema: Value,
    #[serde(default)]
    options: Value,
    pub input: String,
    pub expect: Expect,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum Expect {
    Accepted { from: String, value: String, repairs: Vec<String> },
    Refused { codes: Vec<String>, paths: Vec<String> },
}

impl Case {
    pub(crate) fn contract(&self, policy: Policy) -> Contract {
        let options = if self.options.is_null() { Value::Object(serde_json::Map::new()) } else { self.options.clone() };
        let mut options = Options::from_json(&options).unwrap().policy(policy);
        if let Some(name) = &self.tool {
            options = options.name(name);
        }
        options.compile(&self.schema).unwrap()
    }
}

/// Every case, in the order of the files' names.
pub(crate) fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| -> Vec<Case> {
        serde_json::from_str(&fs::read_to_string(file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().flat_map(read).collect()
}
