//! `bindgen MODULE FOLDER`: writes the JavaScript glue of a WebAssembly module, whose bytes the package brings itself.

use std::env::args;

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = args().skip(1);
    let mut next = |what| arguments.next().with_context(|| format!("no {what} given"));
    let (module, folder) = (next("module")?, next("folder")?);
    Bindgen::new().input_path(module).web(true)?.omit_default_module_path(true).typescript(true).generate(folder)
}
