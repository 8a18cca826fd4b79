//! Formats, lints and types, in every language.

use anyhow::Result;

use crate::stages::{Context, step};
use crate::{node, playground, python, rust};

/// Formats all code.
pub(crate) fn format(context: &Context) -> Result<()> {
    rust::components(context)?;
    step("format the Rust code", || rust::cargo(context)?.args(["fmt", "--all"]).run())?;
    node::install(context, &context.places.js())?;
    step("format the TypeScript code", || node::npm(&context.places.js()).args(["run", "fmt"]).run())?;
    python::tools(context)?;
    step("format the Python code", || python::tool(context, "ruff")?.arg("format").args(python::LINTED).run())
}

/// Checks all of it.
pub(crate) fn all(context: &Context) -> Result<()> {
    rust(context)?;
    typescript(context)?;
    python(context)
}

pub(crate) fn rust(context: &Context) -> Result<()> {
    let python = python::tools(context)?;
    rust::components(context)?;
    rust::wasm(context)?;
    step("lint the Rust code", || rust::lint(context, &python.program))?;
    step("check the Rust documentation", || rust::lint_docs(context))
}

pub(crate) fn typescript(context: &Context) -> Result<()> {
    // The types that are generated with the bindings are among those that are checked.
    node::tarball(context)?;
    step("lint the TypeScript code and check its types", || {
        node::npm(&context.places.js()).args(["run", "lint"]).run()
    })?;
    playground::check(context)
}

pub(crate) fn python(context: &Context) -> Result<()> {
    python::tools(context)?;
    step("lint the Python code", || python::lint(context))?;
    python::wheel(context)?;
    step("check the Python types, and the stubs against the module", || {
        let python = python::installed(context, "python", Some(python::tools(context)?))?;
        python::types(context, &python)
    })
}
