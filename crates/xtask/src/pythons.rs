//! The interpreters of a machine, and those that `uv` can get.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::python::Python;
use crate::shell::call;

/// The versions that the package is for; `t` are those without a global lock.
pub(crate) const VERSIONS: [&str; 7] = ["3.10", "3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t"];

/// An interpreter of a version: of the system, of pyenv, or put into `folder` by `uv`. The error says why there is none.
pub(crate) fn find(version: &str, tools: &Python, folder: &Path) -> Result<PathBuf> {
    let pyenv = std::env::home_dir().unwrap_or_default().join(".pyenv/versions");
    let installed =
        std::fs::read_dir(pyenv).into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python"));
    let found = [PathBuf::from(format!("python{version}")), PathBuf::from("python3")]
        .into_iter()
        .chain(installed)
        .find(|program| is(program, version));
    if let Some(program) = found {
        return Ok(program);
    }
    let uv = || {
        call(&tools.program)
            .args(["-m", "uv", "python"])
            .env("UV_PYTHON_INSTALL_DIR", folder)
            .env("UV_HTTP_RETRIES", "0")
    };
    let (installed, said) = uv().args(["install", "--no-bin", version]).said()?;
    if !installed {
        let lines: Vec<_> = said
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with("error:") || line.starts_with("cause:"))
            .collect();
        let [first, .., last] = lines.as_slice() else { bail!("uv could not install it: {}", said.trim()) };
        bail!("uv: {}; {}", first.trim_start_matches("error: "), last.trim_start_matches("cause: "));
    }
    Ok(uv().args(["find", "--managed-python", version]).read()?.into())
}

/// Whether a program is an interpreter of that version which can make environments.
fn is(program: &Path, version: &str) -> bool {
    let script = "import ensurepip, sys, sysconfig, venv; \
        print(*sys.version_info[:2], sep='.', end='t' if sysconfig.get_config_var('Py_GIL_DISABLED') else '')";
    call(program).args(["-c", script]).read().is_ok_and(|found| found == version)
}
