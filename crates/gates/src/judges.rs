//! The plan's own check against the `jsonschema` crate: one outcome, byte for byte, whoever judges.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;
use toolmend::{Contract, Options, Policy};

use crate::item::{Item, Schema};
use crate::places::{Places, lines};
use crate::run::{guarded, parallel};
use crate::suite;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Show this many differences.
    #[arg(long, default_value_t = 10)]
    list: usize,
}

/// A schema and texts to repair against it.
pub(crate) struct Work {
    pub(crate) name: String,
    pub(crate) tool: Option<String>,
    pub(crate) schema: Value,
    pub(crate) formats: bool,
    pub(crate) inputs: Vec<String>,
}

#[derive(Default)]
struct Report {
    compared: usize,
    /// Whether the small build can compile the schema.
    small: bool,
    differences: Vec<String>,
}

pub(crate) fn run(places: &Places, threads: usize, args: &Args) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    for (set, work) in [
        ("corpus", corpus(places, "corpus", &["items.jsonl", "wild.jsonl"])?),
        ("unions", corpus(places, "unions", &["items.jsonl"])?),
        ("suite", suite::inputs(places)?),
    ] {
        let reports = parallel(&work, threads, |work| {
            guarded(|| compare(work)).unwrap_or_else(|panic| Report {
                differences: vec![format!("{}: panicked: {panic}", work.name)],
                ..Report::default()
            })
        });
        let compared: usize = reports.iter().map(|report| report.compared).sum();
        let differences: Vec<&String> = reports.iter().flat_map(|report| &report.differences).collect();
        let small = reports.iter().filter(|report| report.small).count();
        println!(
            "== judges, {set}: {compared} outcomes compared, {} differ; {small} of {} schemas are within the plan",
            differences.len(),
            work.len(),
        );
        for text in differences.iter().take(args.list) {
            println!("  {text}");
        }
        if !differences.is_empty() {
            failures.push(format!("judges, {set}: {} outcomes differ", differences.len()));
        }
    }
    Ok(failures)
}

fn compare(work: &Work) -> Report {
    let mut report = Report::default();
    for policy in Policy::ALL {
        let options = Options::new().policy(*policy).assert_formats(work.formats);
        let options = match &work.tool {
            Some(tool) => options.name(tool),
            None => options,
        };
        let (plan, authority) =
            (options.compile(&work.schema), options.clone().judged_by_jsonschema().compile(&work.schema));
        match (plan, authority) {
            (Ok(plan), Ok(authority)) => {
                report.small = plan.is_within_plan();
                if report.small {
                    inputs(work, *policy, &plan, &authority, &mut report);
                }
            }
            (Err(_), Err(_)) => {}
            (plan, _) => {
                let who = if plan.is_ok() { "the plan" } else { "the crate" };
                report.differences.push(format!("{}: only {who} compiles it: {}", work.name, work.schema));
            }
        }
    }
    report
}

fn inputs(work: &Work, policy: Policy, plan: &Contract, authority: &Contract, report: &mut Report) {
    for input in &work.inputs {
        report.compared += 1;
        let (ours, theirs) = (plan.repair(input), authority.repair(input));
        let (ours, theirs) = (ours.to_json(), theirs.to_json());
        if ours != theirs {
            report.differences.push(format!(
                "{} at {policy}\n    input  {input}\n    plan   {ours}\n    crate  {theirs}\n    schema {}",
                work.name, work.schema
            ));
        }
    }
}

fn corpus(places: &Places, folder: &str, files: &[&str]) -> Result<Vec<Work>> {
    let folder = places.shared(folder)?;
    let mut work: BTreeMap<String, Work> = lines::<Schema>(&folder.join("schemas.jsonl"))?
        .into_iter()
        .map(|Schema { sid, schema }| {
            (sid.clone(), Work { name: sid, tool: None, schema, formats: false, inputs: vec!["{}".to_owned()] })
        })
        .collect();
    for file in files {
        for item in lines::<Item>(&folder.join(file))? {
            if let Some(work) = work.get_mut(&item.schema) {
                work.tool = Some(item.tool);
                work.inputs.push(item.input);
            }
        }
    }
    Ok(work.into_values().collect())
}
