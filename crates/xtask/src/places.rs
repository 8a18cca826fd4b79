//! Where things lie in the clone.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of one clone.
pub(crate) struct Places {
    pub(crate) root: PathBuf,
}

impl Places {
    pub(crate) fn find() -> Result<Self> {
        // Cargo says it to what it runs; a binary that is started by hand was built for the folder that it names.
        let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let root = Path::new(&package).ancestors().nth(2).context("the package lies two folders deep")?;
        Ok(Self { root: root.to_owned() })
    }

    /// What is built in this clone.
    pub(crate) fn target(&self, path: &str) -> PathBuf {
        self.root.join("target").join(path)
    }

    /// What is handed to a user: the npm tarball and the wheel.
    pub(crate) fn dist(&self) -> PathBuf {
        self.target("dist")
    }

    pub(crate) fn js(&self) -> PathBuf {
        self.root.join("bindings-js")
    }

    pub(crate) fn playground(&self) -> PathBuf {
        self.js().join("playground")
    }

    pub(crate) fn py(&self) -> PathBuf {
        self.root.join("bindings-py")
    }

    pub(crate) fn demo(&self) -> PathBuf {
        self.root.join("tests/demo")
    }

    pub(crate) fn bench(&self, name: &str) -> PathBuf {
        self.root.join("tests/bench").join(name)
    }

    /// Data that is not in the repository, if it lies beside the clone.
    pub(crate) fn shared(&self, path: &str) -> Option<PathBuf> {
        Some(self.root.join("../shared").join(path)).filter(|path| path.exists())
    }
}

/// The files of a folder with an extension.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading `{}`", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The folder, emptied.
pub(crate) fn emptied(folder: PathBuf) -> Result<PathBuf> {
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("emptying `{}`", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("making `{}`", folder.display()))?;
    Ok(folder)
}
