//! The JavaScript glue of the WebAssembly module, by the generator that the workspace's wasm-bindgen wants.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::rust;
use crate::stages::{Context, step};

/// Writes the glue of `module` into `folder`.
pub(crate) fn generate(context: &Context, module: &Path, folder: &Path) -> Result<()> {
    let cargo = || -> Result<_> {
        let arguments = [
            "--quiet",
            "--locked",
            "--profile",
            "tool",
            "--package",
            "xtask",
            "--features",
            "bindgen",
            "--bin",
            "bindgen",
        ];
        Ok((rust::cargo(context)?, arguments))
    };
    // Compiled once a machine, into the cache: half of the time of a cold build would be this otherwise.
    step("build the bindings generator", || {
        let (cargo, arguments) = cargo()?;
        cargo.arg("build").args(arguments).run()
    })?;
    step("generate the bindings", || {
        let (cargo, arguments) = cargo()?;
        cargo.arg("run").args(arguments).arg("--").arg(module).arg(folder).run()?;
        ensure!(folder.join("toolmend_js_bg.wasm").exists(), "no module was written");
        Ok(())
    })
}
