//! What is measured: see tests/bench.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};

use crate::stages::{Context, step};
use crate::{node, packages, python, rust, shell};

#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(flatten)]
    speed: Speed,
    #[command(subcommand)]
    other: Option<Other>,
}

/// Without a subcommand: the speed of the packages, beside their peers, in Node and in Python.
#[derive(clap::Args)]
struct Speed {
    /// Fewer and shorter rounds.
    #[arg(long)]
    quick: bool,
    /// Only these workloads: `w1,w5`.
    #[arg(long)]
    workloads: Option<String>,
    /// Only in these hosts: `node`, `python`.
    #[arg(long)]
    hosts: Option<String>,
    /// Only these parts: `calls`, `starts`, `growth`.
    #[arg(long)]
    parts: Option<String>,
    /// Compares with the `speed.json` of an earlier run.
    #[arg(long)]
    against: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Other {
    /// The core alone, on the same workloads, by criterion.
    Core {
        /// What criterion is given: a filter, `--save-baseline NAME`, ...
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Refusals in words, beside what other libraries say to them: the facts told, and the tokens. With `-v`, each text.
    Feedback,
    /// What others make of the same calls: right, refused, or another value than was meant, silently.
    Compare,
    /// Whether fixing exactly what a refusal names makes the call valid: the gate `issues`.
    Issues,
}

pub(crate) fn run(context: &Context, args: &Args) -> Result<()> {
    match &args.other {
        None => speed(context, &args.speed),
        Some(Other::Core { arguments }) => core(context, arguments),
        Some(Other::Feedback) => feedback(context),
        Some(Other::Compare) => compare(context),
        Some(Other::Issues) => rust::gate(context, &["issues"]),
    }
}

/// Both packages as they are installed, with the peers of `speed`.
struct Installed {
    /// The npm package's folder.
    npm: PathBuf,
    /// An interpreter that has the wheel and the peers.
    python: PathBuf,
}

fn beside_peers(context: &Context) -> Result<Installed> {
    let folder = context.places.bench("speed");
    node::install_cached(context, &folder)?;
    let npm = packages::in_node(context)?.join("node_modules/toolmend");
    let peers = python::pinned(context, &folder.join("requirements.txt"), "the peers")?;
    python::wheel(context)?;
    // One interpreter has the wheel and the peers: both start in the same way.
    let python = python::installed(context, "bench/python", Some(&peers))?;
    Ok(Installed { npm, python })
}

fn speed(context: &Context, args: &Speed) -> Result<()> {
    let folder = context.places.bench("speed");
    let Installed { npm, python } = beside_peers(context)?;
    let mut bench = node::node(&folder)
        .args(["bench.mjs", "--out"])
        .arg(context.places.target("bench"))
        .env("TOOLMEND_NPM", npm)
        .env("TOOLMEND_PYTHON", python);
    if args.quick {
        bench = bench.arg("--quick");
    }
    let chosen = [("--workloads", &args.workloads), ("--hosts", &args.hosts), ("--parts", &args.parts)];
    for (option, value) in chosen {
        if let Some(value) = value {
            bench = bench.arg(option).arg(value);
        }
    }
    if let Some(earlier) = &args.against {
        let earlier = earlier.canonicalize().with_context(|| format!("finding `{}`", earlier.display()))?;
        bench = bench.arg("--against").arg(earlier);
    }
    bench.show()
}

fn core(context: &Context, arguments: &[String]) -> Result<()> {
    node::check(context)?;
    let workloads = context.places.target("bench/workloads");
    step("write the workloads", || {
        node::node(&context.places.bench("speed")).arg("workloads.mjs").arg(&workloads).run()
    })?;
    rust::cargo(context)?
        .args(["bench", "--locked", "--package", "toolmend", "--bench", "core", "--"])
        .args(arguments)
        .env("TOOLMEND_WORKLOADS", workloads)
        .show()
}

fn feedback(context: &Context) -> Result<()> {
    let folder = context.places.bench("feedback");
    node::install_cached(context, &folder)?;
    let npm = packages::in_node(context)?;
    let peers = python::pinned(context, &folder.join("requirements.txt"), "the peers")?;
    println!();
    node::node(&folder)
        .arg("bench.mjs")
        .env("TOOLMEND_NPM", npm.join("node_modules/toolmend"))
        .env("TOOLMEND_PYTHON", peers.program)
        .env("TOOLMEND_VERBOSE", if shell::is_verbose() { "1" } else { "0" })
        // A code frame is measured without the codes of its colours.
        .env("FORCE_COLOR", "0")
        .show()
}

fn compare(context: &Context) -> Result<()> {
    let Installed { npm, python } = beside_peers(context)?;
    println!();
    node::node(&context.places.bench("compare"))
        .arg("bench.mjs")
        .arg(context.places.target("bench/compare.md"))
        .env("TOOLMEND_NPM", npm)
        .env("TOOLMEND_PYTHON", python)
        .show()
}
