//! What is slow to make and not the project's own, outside the clone: a clean clone on a warm machine is quick.
//!
//! In `$XDG_CACHE_HOME/toolmend` (`~/.cache/toolmend`): `cargo-<rustc>` is a target directory for every build but
//! xtask's own, `python-<hash>` an environment with the pinned requirements, `npm-<hash>` the demo's servers. Each is
//! keyed by the version or lock file that it depends on. One run at a time uses the cache: a lock is held.
//!
//! Cargo tells the crates of two clones apart by their sources' times alone: by name and place in the workspace they are
//! the same. So each clone has an identity, and when another clone than the last one comes to a target directory, what
//! Cargo knows of the project's own crates there is forgotten: they are compiled anew, and nothing else.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};

use crate::places::Places;

/// The packages of the project itself; `readme` is made of the code blocks of README.md.
const OWN: [&str; 6] = ["toolmend", "toolmend-js", "toolmend-py", "gates", "xtask", "readme"];

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

/// Makes `target` this clone's until another one claims it: nothing that another one built of the project is used.
pub(crate) fn claim(places: &Places, target: &Path) -> Result<()> {
    let identity = identity(places)?;
    let seen = target.join(".clone");
    if fs::read_to_string(&seen).is_ok_and(|found| found == identity) {
        return Ok(());
    }
    fs::create_dir_all(target)?;
    forget(target, 0)?;
    Ok(fs::write(&seen, &identity)?)
}

/// Forgets the project's own crates in every profile of a target directory: by Cargo's layout of today, in which
/// `.fingerprint/<package>-<hash>` says what was built of which sources, and by the one that is to come.
fn forget(folder: &Path, depth: usize) -> Result<()> {
    for path in folders(folder) {
        match path.file_name().and_then(|name| name.to_str()) {
            Some(".fingerprint") => {
                let own = |name: &str| name.rsplit_once('-').is_some_and(|(package, _)| OWN.contains(&package));
                remove(folders(&path), own)?;
            }
            Some("build") => remove(folders(&path), |name| OWN.contains(&name))?,
            _ if depth < 2 => forget(&path, depth + 1)?,
            _ => {}
        }
    }
    Ok(())
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

fn remove(folders: Vec<PathBuf>, which: impl Fn(&str) -> bool) -> Result<()> {
    for folder in folders {
        if folder.file_name().and_then(|name| name.to_str()).is_some_and(&which) {
            fs::remove_dir_all(&folder).with_context(|| format!("removing `{}`", folder.display()))?;
        }
    }
    Ok(())
}

/// What tells this clone from others, and from an earlier one at the same path.
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
    fn only_the_projects_own_crates_are_forgotten() {
        let target = std::env::temp_dir().join(format!("toolmend-xtask-{}", std::process::id()));
        let kept = ["gates/.fingerprint/serde-0123456789abcdef", "gates/build/serde-0123456789abcdef"];
        let own =
            ["gates/.fingerprint/toolmend-0123456789abcdef", "wasm32/wasm/.fingerprint/toolmend-js-0123456789abcdef"];
        for path in kept.iter().chain(&own) {
            fs::create_dir_all(target.join(path)).unwrap();
        }
        forget(&target, 0).unwrap();
        assert!(kept.iter().all(|path| target.join(path).exists()));
        assert!(!own.iter().any(|path| target.join(path).exists()));
        fs::remove_dir_all(target).unwrap();
    }

    #[test]
    fn every_package_of_the_workspace_is_known_as_its_own() {
        let lock = fs::read_to_string(Places::find().unwrap().root.join("Cargo.lock")).unwrap();
        for entry in lock.split("[[package]]").skip(1).filter(|entry| !entry.contains("source = ")) {
            let name = entry.lines().find_map(|line| line.strip_prefix("name = ")).unwrap();
            assert!(OWN.contains(&name.trim_matches('"')), "{name}");
        }
    }

    #[test]
    fn keys_are_stable_and_tell_parts_apart() {
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab"]));
    }
}
