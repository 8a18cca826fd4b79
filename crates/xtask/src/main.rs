//! `cargo xtask`: the developer's commands. Each installs what it needs by itself, says what it does in one line a
//! step, and keeps what is slow and not the project's own code in the user's cache directory.

mod bench;
mod bindings;
mod browser;
mod cache;
mod demo;
mod lint;
mod node;
mod package_test;
mod packages;
mod places;
mod playground;
mod python;
mod pythons;
mod readme;
mod rust;
mod shell;
mod stages;
mod test;
mod version;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::stages::Context;

/// The developer's commands of toolmend.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    /// Show the output of every command that is run.
    #[arg(long, short, global = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Real tool calls to real MCP servers: as they came, then through the boundary, in Node and in Python.
    Demo,
    /// Runs everything: formats and lints, tests in every language, packages, README, demo, gates.
    Test(test::Args),
    /// Builds the playground into `target/playground`, and serves it.
    Playground(playground::Args),
    /// Leaves the npm tarball and the wheel in `target/dist/`.
    Build,
    /// Formats the Rust, TypeScript and Python code.
    Fmt,
    /// Checks formats, lints and types.
    Lint,
    /// Measures the speed of the packages beside their peers, or what a subcommand says.
    Bench(bench::Args),
    /// Measures what users download and install, against its budgets.
    Size,
    /// Installs the tarball and the wheel in every environment that users have, and checks the answers there.
    PackageTest(package_test::Args),
    /// Checks that all packages have one version, or gives them a new one.
    Version(version::Args),
    /// Runs one gate: `cargo xtask gate corpus --policy narrow`. `cargo xtask gate --help` lists them.
    #[command(disable_help_flag = true)]
    Gate {
        /// What the gates' program is given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    shell::be_verbose(cli.verbose);
    let context = Context::open()?;
    match cli.command {
        Command::Demo => demo::run(&context),
        Command::Test(args) => test::run(&context, &args),
        Command::Playground(args) => playground::run(&context, &args),
        Command::Build => packages::build(&context),
        Command::Fmt => lint::format(&context),
        Command::Lint => lint::all(&context),
        Command::Bench(args) => bench::run(&context, &args),
        Command::Size => packages::size(&context),
        Command::PackageTest(args) => package_test::run(&context, &args),
        Command::Version(args) => version::run(&context.places, &args),
        Command::Gate { arguments } => rust::gate(&context, &arguments),
    }
}
