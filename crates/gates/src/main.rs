//! The gates: what the core must hold on data that is too large, or not ours, to be in the repository.
//!
//! See README.md beside `src` for how to use it while working on the engine.

mod cases;
mod corpus;
mod issues;
mod item;
mod judges;
mod outcomes;
mod permute;
mod places;
mod run;
mod suite;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use toolmend::Policy;

/// Runs the core over the shared cases, the corpora and the official suite.
#[derive(Parser)]
#[command(version)]
struct Cli {
    /// Folder with `corpus`, `unions`, `cases` and `json-schema-test-suite`; `../shared` beside the workspace by default.
    #[arg(long, global = true)]
    shared: Option<PathBuf>,
    /// Threads; as many as there are processors by default.
    #[arg(long, global = true)]
    threads: Option<usize>,
    #[command(subcommand)]
    gate: Gate,
}

#[derive(Subcommand)]
enum Gate {
    /// Corrupted calls on real tools' schemas, and real model mistakes (`corpus/items.jsonl`, `corpus/wild.jsonl`).
    Corpus(corpus::Args),
    /// The structure-heavy set (`unions/items.jsonl`), and its permuted pairs when nothing is filtered.
    Unions(corpus::Args),
    /// Pairs of schemas that differ in the order of their branches only (`unions/permute.jsonl`).
    Permute(Policies),
    /// Whether fixing exactly what a refusal names makes the call valid.
    Issues(issues::Args),
    /// The official JSON Schema test suite.
    Suite(suite::Args),
    /// The plan's own check against the `jsonschema` crate: the same outcomes.
    Judges(judges::Args),
    /// `tests/cases` against the core, and against the handed cases where they are present.
    Cases(cases::Args),
    /// Writes the core's outcome for every case at every policy, for the other hosts to compare with.
    Outcomes {
        /// Where to write to; `target/outcomes.jsonl` by default.
        path: Option<PathBuf>,
    },
}

#[derive(clap::Args, Clone)]
struct Policies {
    /// Policies to run with; each of `narrow`, `adapter`, `lenient` (and `strict`, where it makes sense) by default.
    #[arg(long = "policy", short)]
    policies: Vec<Policy>,
}

impl Policies {
    fn or(&self, default: &[Policy]) -> Vec<Policy> {
        if self.policies.is_empty() { default.to_vec() } else { self.policies.clone() }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gates: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let cli = Cli::parse();
    let places = places::Places::find(cli.shared)?;
    let threads = cli.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into));
    let failures = match cli.gate {
        Gate::Corpus(args) => corpus::run(&places, threads, corpus::Set::Corpus, &args)?,
        Gate::Unions(args) => {
            let mut failures = corpus::run(&places, threads, corpus::Set::Unions, &args)?;
            if !args.is_filtered() {
                failures.extend(permute::run(&places, &args.policies)?);
            }
            failures
        }
        Gate::Permute(policies) => permute::run(&places, &policies)?,
        Gate::Issues(args) => issues::run(&places, threads, &args)?,
        Gate::Suite(args) => suite::run(&places, threads, &args)?,
        Gate::Judges(args) => judges::run(&places, threads, &args)?,
        Gate::Cases(args) => cases::run(&places, &args)?,
        Gate::Outcomes { path } => {
            outcomes::run(&places, path)?;
            Vec::new()
        }
    };
    if failures.is_empty() {
        return Ok(());
    }
    bail!("not passed\n  {}", failures.join("\n  "));
}
