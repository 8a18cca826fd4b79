//! Pairs of schemas that differ in the order of their branches only: their outcomes must be equal.

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use toolmend::{Options, Policy};

use crate::Policies;
use crate::places::{Places, lines};
use crate::run::{essence, guarded};

#[derive(Deserialize)]
struct Pair {
    id: String,
    tool: String,
    schema: Value,
    permuted: Value,
    input: String,
}

pub(crate) fn run(places: &Places, policies: &Policies) -> Result<Vec<String>> {
    let pairs: Vec<Pair> = lines(&places.shared("unions/permute.jsonl")?)?;
    let mut failures = Vec::new();
    for policy in policies.or(Policy::ALL) {
        let mut differ = Vec::new();
        for pair in &pairs {
            let said = |schema: &Value| {
                guarded(|| match Options::new().policy(policy).name(&pair.tool).compile(schema) {
                    Ok(contract) => essence(&contract.repair(&pair.input)),
                    Err(error) => error.to_string(),
                })
                .unwrap_or_else(|message| format!("panicked: {message}"))
            };
            let (left, right) = (said(&pair.schema), said(&pair.permuted));
            if left != right {
                println!(
                    "DIFFERS {} at {policy}\n  input    {}\n  schema   {left}\n  permuted {right}",
                    pair.id, pair.input
                );
                differ.push(pair.id.as_str());
            }
        }
        println!("== permute at {policy}: {} of {} pairs agree", pairs.len() - differ.len(), pairs.len());
        if !differ.is_empty() {
            failures.push(format!("permute at {policy}: {} pairs differ: {}", differ.len(), differ.join(" ")));
        }
    }
    Ok(failures)
}
