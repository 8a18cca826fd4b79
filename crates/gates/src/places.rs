//! Where things lie.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub(crate) struct Places {
    /// The workspace's folder.
    pub(crate) root: PathBuf,
    shared: PathBuf,
}

impl Places {
    pub(crate) fn find(shared: Option<PathBuf>) -> Result<Self> {
        // Cargo says it to what it runs; a binary that is started by hand was built for the folder that it names.
        let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&package).ancestors().nth(2).context("the package lies two folders deep")?.to_owned();
        let shared = shared.unwrap_or_else(|| root.join("../shared"));
        Ok(Self { root, shared })
    }

    /// A file or folder of the shared data.
    pub(crate) fn shared(&self, path: &str) -> Result<PathBuf> {
        let path = self.shared.join(path);
        if path.exists() {
            return Ok(path);
        }
        bail!("`{}` is not there", path.display());
    }

    /// A file to write to, its folder made.
    pub(crate) fn output(&self, path: &str) -> Result<PathBuf> {
        let path = self.root.join("target").join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

/// Every line of a file of JSON lines.
pub(crate) fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading `{}`", path.display()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| deep(line).with_context(|| format!("`{}`, line {}", path.display(), at + 1)))
        .collect()
}

fn deep<T: serde::de::DeserializeOwned>(line: &str) -> Result<T> {
    Ok(serde_json::from_str(line)?)
}
