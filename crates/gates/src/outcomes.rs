//! `target/outcomes.jsonl`: the core's wire text for every case at every policy, which every host must repeat.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::json;
use toolmend::Policy;

use crate::cases;
use crate::places::Places;

pub(crate) fn run(places: &Places, path: Option<PathBuf>) -> Result<()> {
    let path = path.map_or_else(|| places.output("outcomes.jsonl"), Ok)?;
    let mut text = String::new();
    let cases = cases::read(places)?;
    for case in &cases {
        for policy in Policy::ALL {
            let contract = case.compile(*policy)?;
            let outcome = contract.repair(&case.input).to_json();
            let _ = writeln!(text, "{}", json!({"case": case.name, "policy": policy.as_str(), "outcome": outcome}));
        }
    }
    std::fs::write(&path, text).with_context(|| format!("writing `{}`", path.display()))?;
    println!("== outcomes: {} cases at {} policies in `{}`", cases.len(), Policy::ALL.len(), path.display());
    Ok(())
}
