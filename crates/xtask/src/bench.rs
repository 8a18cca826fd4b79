//! What is measured: see tests/bench.

use anyhow::Result;
use clap::Subcommand;

use crate::stages::Context;
use crate::{node, packages, python, rust, shell};

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Refusals in words, beside what other libraries say to them: the facts told, and the tokens. With `-v`, each text.
    Feedback,
    /// Whether fixing exactly what a refusal names makes the call valid: the gate `issues`.
    Issues,
}

pub(crate) fn run(context: &Context, bench: &Bench) -> Result<()> {
    match bench {
        Bench::Feedback => feedback(context),
        Bench::Issues => rust::gate(context, &["issues"]),
    }
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
