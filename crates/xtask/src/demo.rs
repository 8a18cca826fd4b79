//! The main job on real input: see tests/demo/README.md.

use anyhow::Result;

use crate::stages::Context;
use crate::{node, packages, python, shell};

/// Runs the recorded calls against real servers, in both hosts.
pub(crate) fn run(context: &Context) -> Result<()> {
    let folder = context.places.demo();
    node::install_cached(context, &folder)?;
    let npm = packages::in_node(context)?;
    python::wheel(context)?;
    let python = python::installed(context, "demo/python", None)?;
    println!();
    node::node(&folder)
        .arg("run.mjs")
        .env("TOOLMEND_NPM", npm.join("node_modules/toolmend"))
        .env("TOOLMEND_PYTHON", python)
        .env("TOOLMEND_VERBOSE", if shell::is_verbose() { "1" } else { "0" })
        .show()
}
