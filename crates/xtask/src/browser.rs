//! A browser to run pages in.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::shell::{apt_install, call};
use crate::stages::step;

/// The names that Chromium goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// Finds Chromium, or installs Debian's. `TOOLMEND_BROWSER` names another one.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("TOOLMEND_BROWSER").filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    if let Some(path) = found() {
        return Ok(path);
    }
    step("install Chromium", || apt_install(&["chromium"]))?;
    found().context("Chromium was installed, and is not on the path")
}

fn found() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let programs = std::env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    programs.filter(|program| program.exists()).find(|program| call(program).arg("--version").succeeds())
}
