//! What is slow to make and not the project's own, outside the clone: a clean clone on a warm machine is quick.
//!
//! In `$XDG_CACHE_HOME/toolmend` (`~/.cache/toolmend`): `cargo-<rustc>` is a target directory for every build but
//! xtask's own, `python-<hash>` an environment with the pinned requirements, `npm-<hash>` the demo's servers. Each is
//! keyed by the version or lock file that it depends on. One run at a time uses the cache: a lock is held.
//!
//! Cargo tells the project's own crates of two clones apart by their paths, so nothing of another clone is ever used.
//! What an earlier clone *at the same path* left would be told apart by times alone; so each clone gets an identity,
//! and artefacts of the project's crates are cleaned when the identity at a path changes.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use crate::places::Places;

/// Cargo never removes what is outdated, so a target directory that has grown past this is begun anew.
const LARGEST_TARGET: u64 = 12 << 30;

/// What was not used for so long is removed.
const KEPT_FOR: Duration = Duration::from_secs(21 * 24 * 60 * 60);

pub(crate) struct Cache {
    folder: PathBuf,
    _lock: File,
}

impl Cache {
    pub(crate) fn open() -> Result<Self> {
        let folder = match std::env::var_os("XDG_CACHE_HOME").filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => std::env::home_dir().context("no home directory is known")?.join(".cache"),
        }
        .join("toolmend");
        fs::create_dir_all(&folder).with_context(|| format!("making `{}`", folder.display()))?;
        let lock = File::create(folder.join("lock"))?;
        if lock.try_lock().is_err() {
            println!("  waiting for another run of xtask");
            lock.lock()?;
        }
        Ok(Self { folder, _lock: lock })
    }

    /// A folder of the cache, marked as used.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(".used"), "")?;
        Ok(folder)
    }

    /// A folder that `make` fills, once: what a failed or broken-off attempt left is thrown away.
    pub(crate) fn made(&self, name: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        if !folder.join(".complete").exists() {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
            make(&folder)?;
            fs::write(folder.join(".complete"), "")?;
        }
        self.folder(name)
    }

    /// The target directory for builds by one compiler. `CARGO_TARGET_DIR` is obeyed.
    pub(crate) fn target(&self, compiler: &str) -> Result<PathBuf> {
        if let Some(path) = std::env::var_os("CARGO_TARGET_DIR").filter(|path| !path.is_empty()) {
            return Ok(PathBuf::from(path).join(format!("xtask-{}", key(&[compiler]))));
        }
        let folder = self.folder(&format!("cargo-{}", key(&[compiler])))?;
        if size(&folder) > LARGEST_TARGET {
            println!("  {} has grown too large and is begun anew", folder.display());
            fs::remove_dir_all(&folder)?;
            fs::create_dir_all(&folder)?;
        }
        Ok(folder)
    }

    /// Removes what has not been used for long.
    pub(crate) fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let used = fs::metadata(path.join(".used")).and_then(|data| data.modified());
            if used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > KEPT_FOR)) {
                let _ = fs::remove_dir_all(path);
            }
        }
    }
}

/// Whether this clone is not the one that last built into `target` from its path; it is from now on.
pub(crate) fn claim(places: &Places, target: &Path) -> Result<bool> {
    let identity = identity(places)?;
    let seen = target.join(format!(".clone-{}", key(&[&places.root.display().to_string()])));
    if fs::read_to_string(&seen).is_ok_and(|found| found == identity) {
        return Ok(false);
    }
    fs::create_dir_all(target)?;
    fs::write(&seen, &identity)?;
    Ok(true)
}

/// What tells this clone from an earlier one at the same path: it goes with the clone's own target directory.
fn identity(places: &Places) -> Result<String> {
    let path = places.target(".clone");
    if let Ok(identity) = fs::read_to_string(&path) {
        return Ok(identity);
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_nanos();
    let identity = format!("{now}-{}", std::process::id());
    fs::create_dir_all(places.target(""))?;
    fs::write(&path, &identity)?;
    Ok(identity)
}

/// A short name for what something depends on.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_stable_and_tell_parts_apart() {
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab"]));
    }
}
