//! The playground: a page of static files, built, served, and driven in a real browser.

use anyhow::{Context as _, Result};

use crate::places::emptied;
use crate::stages::{Context, step};
use crate::{browser, node, python};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only build it, into `target/playground`.
    #[arg(long)]
    build_only: bool,
    /// The port of the server.
    #[arg(long, default_value_t = 4173)]
    port: u16,
}

/// Builds the page and serves it, with the headers that a server can send.
pub(crate) fn run(context: &Context, args: &Args) -> Result<()> {
    build(context)?;
    if args.build_only {
        println!("  target/playground: for any static host, under any path");
        return Ok(());
    }
    println!("  Ctrl-C stops the server\n");
    let port = args.port.to_string();
    node::npm(&context.places.playground()).args(["run", "preview", "--", "--port", &port]).show()
}

/// Builds the page from the package as it was built, and checks the page's types.
fn build(context: &Context) -> Result<()> {
    node::tarball(context)?;
    let folder = context.places.playground();
    node::install_cached(context, &folder)?;
    step("build the playground", || node::npm(&folder).args(["run", "build"]).run())
}

/// Drives the built page in Chromium; screenshots are left in `target/playground-shots`.
pub(crate) fn test(context: &Context) -> Result<()> {
    build(context)?;
    let browser = browser::chromium()?;
    let shots = emptied(context.places.target("playground-shots"))?;
    // The programs that the page writes are run, by both packages.
    python::wheel(context)?;
    let python = python::installed(context, "packed/python", None)?;
    println!();
    node::npm(&context.places.playground())
        .args(["run", "--silent", "test"])
        .env("TOOLMEND_BROWSER", browser)
        .env("TOOLMEND_SHOTS", shots)
        .env("TOOLMEND_PYTHON", python)
        .show()
        .context("bindings-js/playground")
}

/// The types of the page, which need its packages.
pub(crate) fn check(context: &Context) -> Result<()> {
    let folder = context.places.playground();
    node::install_cached(context, &folder)?;
    step("check the types of the playground", || node::npm(&folder).args(["run", "check"]).run())
}
