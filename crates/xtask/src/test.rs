//! Everything, stage by stage; a stage that fails does not stop the ones after it.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context as _, Result};

use crate::stages::{Context, Table, step};
use crate::{demo, lint, node, packages, playground, python, readme, rust};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run the property tests with 100,000 examples each instead of 2,000, from a seed that is printed.
    #[arg(long)]
    long: bool,
    /// The seed of the property tests, as an earlier run printed it.
    #[arg(long)]
    seed: Option<u64>,
    /// Only the stages whose name contains one of these.
    stages: Vec<String>,
}

const EXAMPLES: u32 = 2_000;
const LONG_EXAMPLES: u32 = 100_000;

/// The gates that need data that is not in the repository, and where it lies.
const GATES: [(&str, &str, &[&str]); 6] = [
    ("handed cases", "cases/cases.jsonl", &["cases"]),
    ("official suite", "json-schema-test-suite", &["suite"]),
    ("corpus", "corpus/items.jsonl", &["corpus"]),
    ("unions", "unions/items.jsonl", &["unions"]),
    ("issues", "unions/items.jsonl", &["issues"]),
    ("judges", "json-schema-test-suite", &["judges"]),
];

pub(crate) fn run(context: &Context, args: &Args) -> Result<()> {
    let mut table = Table::default();
    table.is_partial = !args.stages.is_empty();
    let wanted = |name: &str| args.stages.is_empty() || args.stages.iter().any(|part| name.contains(part.as_str()));
    let mut stage = |name: &str, work: &dyn Fn() -> Result<()>| {
        if wanted(name) {
            table.stage(name, work);
        }
    };
    stage("rust tests", &|| rust_tests(context, args));
    stage("npm package", &|| node::tarball(context).map(drop));
    stage("wheel", &|| python::wheel(context).map(drop));
    stage("rust lint", &|| lint::rust(context));
    stage("node lint", &|| lint::typescript(context));
    stage("python lint", &|| lint::python(context));
    stage("node tests", &|| node_tests(context));
    stage("node agents", &|| node_agents(context));
    stage("python tests", &|| python_tests(context));
    stage("python agents", &|| python::agents(context));
    stage("packages", &|| packages::test(context));
    stage("playground", &|| playground::test(context));
    stage("size", &|| packages::size(context));
    stage("readme", &|| readme::check(&context.places.root).and_then(|()| readme::test(context)));
    stage("demo", &|| demo::run(context));
    for (name, path, arguments) in GATES {
        let name = format!("gate: {name}");
        if !wanted(&name) {
            continue;
        }
        if context.places.shared(path).is_some() {
            table.stage(&name, || rust::gate(context, arguments));
        } else {
            println!("{name}: SKIPPED, `../shared/{path}` is not there");
            table.skipped.push(name);
        }
    }
    table.close()
}

fn rust_tests(context: &Context, args: &Args) -> Result<()> {
    let examples = if args.long { LONG_EXAMPLES } else { EXAMPLES };
    let seed = args.seed.map_or_else(random, Ok)?;
    rust::target(context)?;
    step(&format!("run the Rust tests, properties with {examples} examples each from seed {seed}"), || {
        rust::test(context, examples, seed)
    })
}

/// A seed that no earlier run had.
fn random() -> Result<u64> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(now.as_secs() << 20 | u64::from(now.subsec_micros()))
}

/// What the core says to every case, for the other hosts to repeat.
fn outcomes(context: &Context) -> Result<PathBuf> {
    let path = context.places.target("outcomes.jsonl");
    let gates = rust::gates(context)?;
    step("write the core's outcomes of all cases", || gates.arg("outcomes").arg(&path).run())?;
    Ok(path)
}

fn node_tests(context: &Context) -> Result<()> {
    let tarball = node::tarball(context)?;
    let outcomes = outcomes(context)?;
    step("run the Node tests", || {
        let npm = node::npm(&context.places.js()).args(["test", "--"]).arg(tarball);
        npm.env("TOOLMEND_OUTCOMES", outcomes).run().context("bindings-js")
    })
}

fn node_agents(context: &Context) -> Result<()> {
    let tarball = node::tarball(context)?;
    node::install_cached(context, &context.places.js().join("test-agents"))?;
    step("run the adapters against the real frameworks", || {
        node::node(&context.places.js()).arg("scripts/test-agents.mjs").arg(tarball).run()
    })
}

fn python_tests(context: &Context) -> Result<()> {
    python::wheel(context)?;
    let outcomes = outcomes(context)?;
    step("run the Python tests", || {
        let python = python::installed(context, "python", Some(python::tools(context)?))?;
        python::test(context, &python, &outcomes).context("bindings-py")
    })
}
