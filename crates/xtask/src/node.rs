//! Node: the npm packages of a folder by its lock file, and npm's scripts.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::cache::key;
use crate::places::{emptied, files};
use crate::shell::{Call, call};
use crate::stages::{Context, once, step};
use crate::{bindings, rust};

/// The oldest Node that everything works on.
const OLDEST: u32 = 20;

/// `npm`, in a folder.
pub(crate) fn npm(folder: &Path) -> Call {
    call("npm")
        .within(folder)
        .env("npm_config_update_notifier", "false")
        .env("npm_config_fund", "false")
        .env("npm_config_audit", "false")
}

/// `node`, in a folder.
pub(crate) fn node(folder: &Path) -> Call {
    call("node").within(folder)
}

/// Fails if there is no Node of the right age.
pub(crate) fn check(context: &Context) -> Result<()> {
    if context.node.replace(true) {
        return Ok(());
    }
    let version = call("node").arg("--version").read().context("Node 20 or later is needed")?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major.is_some_and(|major| major >= OLDEST), "Node {OLDEST} or later is needed; this is {version}");
    ensure!(call("npm").arg("--version").succeeds(), "npm is needed, which comes with Node");
    Ok(())
}

/// Installs the packages of a folder as its lock file says, unless that is what is there.
pub(crate) fn install(context: &Context, folder: &Path) -> Result<()> {
    check(context)?;
    let installed = folder.join("node_modules/.installed");
    let wanted = lock_key(folder)?;
    if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    let name = folder.file_name().unwrap_or_default().display().to_string();
    step(&format!("install the npm packages of {name}"), || {
        npm(folder).args(["ci", "--prefer-offline"]).run()?;
        Ok(fs::write(installed, wanted)?)
    })
}

/// Installs the packages of a folder into the cache, and links to them.
pub(crate) fn install_cached(context: &Context, folder: &Path) -> Result<()> {
    check(context)?;
    let name = folder.file_name().unwrap_or_default().display();
    let cached = context.cache.made(&format!("npm-{}", lock_key(folder)?), |cached| {
        step(&format!("install the npm packages of {name}"), || {
            for file in ["package.json", "package-lock.json", ".npmrc"] {
                fs::copy(folder.join(file), cached.join(file)).with_context(|| format!("copying `{file}`"))?;
            }
            npm(cached).args(["ci", "--prefer-offline"]).run()
        })
    })?;
    let link = folder.join("node_modules");
    let modules = cached.join("node_modules");
    if fs::read_link(&link).is_ok_and(|found| found == modules) {
        return Ok(());
    }
    match fs::symlink_metadata(&link) {
        Ok(data) if data.is_dir() => fs::remove_dir_all(&link)?,
        Ok(_) => fs::remove_file(&link)?,
        Err(_) => {}
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(&modules, &link).context("linking to the cached packages");
    #[cfg(not(unix))]
    return npm(folder).args(["ci", "--prefer-offline"]).run();
}

fn lock_key(folder: &Path) -> Result<String> {
    let lock = fs::read_to_string(folder.join("package-lock.json"))
        .with_context(|| format!("`{}` has no package-lock.json", folder.display()))?;
    let version = call("node").arg("--version").read()?;
    Ok(key(&[&lock, &version]))
}

/// The npm package as a user gets it, packed into `target/dist`.
pub(crate) fn tarball(context: &Context) -> Result<PathBuf> {
    once(&context.tarball, || {
        let folder = context.places.js();
        install(context, &folder)?;
        // First of all the toolchain: it has steps of its own to say.
        rust::wasm(context)?;
        let mut modules = Vec::new();
        for (size, features) in rust::MODULES {
            let folder = context.places.target(&format!("wasm/{size}"));
            let build = || rust::wasm_module(context, features, &folder);
            modules.push((size, step(&format!("build the {size} WebAssembly module"), build)?));
        }
        let source = source_key(&folder, &modules)?;
        let stamp = context.places.target("tarball.key");
        if let (Ok(found), Ok(tarball)) = (fs::read_to_string(&stamp), only(&context.places.dist(), "tgz"))
            && found == source
            && folder.join("dist").exists()
        {
            return Ok(tarball);
        }
        let pkg = emptied(folder.join("pkg"))?;
        for (size, module) in &modules {
            bindings::generate(context, module, &emptied(pkg.join(size))?)?;
        }
        step("build the npm package", || npm(&folder).args(["run", "build"]).run())?;
        step("pack the npm package", || {
            let dist = dist_without(context, "tgz")?;
            npm(&folder).args(["pack", "--pack-destination"]).arg(&dist).run()?;
            fs::write(stamp, source)?;
            only(&dist, "tgz")
        })
    })
}

/// What the tarball is made of: the modules, and every file of the package that is not made itself.
fn source_key(folder: &Path, modules: &[(&str, PathBuf)]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for (_, module) in modules {
        fs::read(module)?.hash(&mut hasher);
    }
    hash_files(folder, &mut hasher)?;
    Ok(format!("{:016x}", hasher.finish()))
}

fn hash_files(folder: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        if ["node_modules", "pkg", "dist", "test", "test-agents", "docs", "playground"].iter().any(|made| name == *made)
        {
            continue;
        }
        name.hash(hasher);
        if path.is_dir() {
            hash_files(&path, hasher)?;
        } else {
            fs::read(&path)?.hash(hasher);
        }
    }
    Ok(())
}

/// The folder of what is built, without an earlier file of the kind.
pub(crate) fn dist_without(context: &Context, extension: &str) -> Result<PathBuf> {
    let dist = context.places.dist();
    fs::create_dir_all(&dist)?;
    for path in files(&dist, extension)? {
        fs::remove_file(path)?;
    }
    Ok(dist)
}

/// The one file of a kind in a folder.
pub(crate) fn only(folder: &Path, extension: &str) -> Result<PathBuf> {
    match files(folder, extension)?.as_slice() {
        [path] => Ok(path.clone()),
        found => bail!("{} files `*.{extension}` in `{}`, not one", found.len(), folder.display()),
    }
}
