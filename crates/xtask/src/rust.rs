//! Cargo: the native builds, the gates, and the WebAssembly module by whichever toolchain can be had.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::cache;
use crate::places::Places;
use crate::shell::{Call, apt_install, call};
use crate::stages::{Context, get_or_try, once, step};

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Optimised, and with the checks that a release build leaves out: tests and gates share it, and so every dependency.
pub(crate) const CHECKED: &str = "gates";

/// A toolchain that can build for WebAssembly.
pub(crate) enum Wasm {
    /// The ordinary one, with rustup's target.
    Rustup,
    /// Debian's, which builds the standard library itself.
    Debian,
}

/// `cargo`, with the target directory of the cache.
pub(crate) fn cargo(context: &Context) -> Result<Call> {
    let target = target(context)?;
    Ok(bare_cargo("cargo", &context.places).env("CARGO_TARGET_DIR", target))
}

fn bare_cargo(program: &str, places: &Places) -> Call {
    // What `cargo run` told xtask about itself is not for the crates that are built now.
    let of_xtask = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_BIN_")
    });
    of_xtask.fold(call(program).within(&places.root), Call::without)
}

/// The target directory for native builds and rustup's WebAssembly.
pub(crate) fn target(context: &Context) -> Result<&Path> {
    let target = get_or_try(&context.target, || {
        let target = context.cache.target(&call("rustc").arg("-vV").within(&context.places.root).read()?)?;
        cache::claim(&context.places, &target)?;
        Ok(target)
    })?;
    Ok(target)
}

/// Runs the gates' program, and lets it print.
pub(crate) fn gate(context: &Context, arguments: &[impl AsRef<str>]) -> Result<()> {
    gates(context)?.args(arguments.iter().map(AsRef::as_ref)).show()
}

/// A call of the gates' program, which is built.
pub(crate) fn gates(context: &Context) -> Result<Call> {
    let chosen = ["--locked", "--profile", CHECKED, "--package", "gates"];
    once(&context.gates, || {
        step("build the gates", || cargo(context)?.arg("build").args(chosen).run())?;
        Ok(PathBuf::new())
    })?;
    Ok(cargo(context)?.args(["run", "--quiet"]).args(chosen).arg("--"))
}

/// Finds or installs a toolchain for WebAssembly.
pub(crate) fn wasm(context: &Context) -> Result<&Wasm> {
    get_or_try(&context.wasm, || {
        if has_target() {
            return Ok(Wasm::Rustup);
        }
        let added = step("add the WebAssembly target by rustup", || {
            call("rustup").args(["target", "add", WASM]).within(&context.places.root).run()
        });
        if added.is_ok() && has_target() {
            return Ok(Wasm::Rustup);
        }
        println!("  rustup could not; Debian's toolchain for WebAssembly is used instead");
        if !Path::new("/usr/bin/cargo").exists()
            || !call("wasm-ld-19").arg("--version").succeeds()
            || debian_source().is_none()
        {
            step("install Debian's toolchain for WebAssembly", || {
                apt_install(&["rustc-web", "cargo-web", "rust-web-src", "lld-19"])
            })?;
        }
        Ok(Wasm::Debian)
    })
}

/// Whether the compiler in use has the standard library of the target.
fn has_target() -> bool {
    let sysroot = call("rustc").args(["--print", "sysroot"]).read();
    sysroot.is_ok_and(|sysroot| Path::new(&sysroot).join("lib/rustlib").join(WASM).join("lib").exists())
}

/// The standard library's source, as Debian installs it.
fn debian_source() -> Option<PathBuf> {
    let sysroot = call("/usr/bin/rustc").args(["--print", "sysroot"]).read().ok()?;
    Some(Path::new(&sysroot).join("lib/rustlib/src/rust/library/std")).filter(|path| path.exists())
}

/// The WebAssembly modules of the npm package, each with the features of the crate that it has.
pub(crate) const MODULES: [(&str, &str); 2] = [("small", ""), ("full", "full")];

/// Builds a WebAssembly module of the npm package into `folder`, and says where it is.
pub(crate) fn wasm_module(context: &Context, features: &str, folder: &Path) -> Result<PathBuf> {
    let profile = ["build", "--locked", "--package", "toolmend-js", "--profile", "wasm"];
    let arguments = || profile.into_iter().chain(["--target", WASM, "--features", features]);
    let target = match wasm(context)? {
        Wasm::Rustup => {
            cargo(context)?.args(arguments()).run()?;
            target(context)?.to_owned()
        }
        Wasm::Debian => {
            let target = context.cache.target(&call("/usr/bin/rustc").arg("-vV").read()?)?;
            cache::claim(&context.places, &target)?;
            bare_cargo("/usr/bin/cargo", &context.places)
                .args(arguments())
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC", "/usr/bin/rustc")
                // `-Zbuild-std` is for nightly compilers only; Debian's is a stable one that can do it.
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
                .env("CARGO_TARGET_DIR", &target)
                // `cargo run` points it at the other toolchain's libraries.
                .without("LD_LIBRARY_PATH")
                .without("RUSTUP_TOOLCHAIN")
                .run()?;
            target
        }
    };
    let module = target.join(WASM).join("wasm/toolmend_js.wasm");
    if !module.exists() {
        bail!("`{}` was not built", module.display());
    }
    // The next build of the crate puts its own in the place.
    std::fs::create_dir_all(folder)?;
    let copy = folder.join("toolmend_js.wasm");
    std::fs::copy(&module, &copy).context("copying the module")?;
    Ok(copy)
}

/// Finds or adds rustfmt and clippy.
pub(crate) fn components(context: &Context) -> Result<()> {
    let has = |tool: &str| bare_cargo("cargo", &context.places).args([tool, "--version"]).succeeds();
    if has("fmt") && has("clippy") {
        return Ok(());
    }
    let add = || call("rustup").args(["component", "add", "rustfmt", "clippy"]).within(&context.places.root).run();
    step("add rustfmt and clippy by rustup", add)
}

/// Lints the Rust code; the module of the npm package for the target that it is for.
pub(crate) fn lint(context: &Context, python: &Path) -> Result<()> {
    cargo(context)?.args(["fmt", "--all", "--check"]).run()?;
    let strict = ["--", "-D", "warnings"];
    cargo(context)?
        .args(["clippy", "--locked", "--workspace", "--exclude", "toolmend-js", "--all-targets"])
        .args(strict)
        .env("PYO3_PYTHON", python)
        .run()?;
    for (_, features) in MODULES {
        let clippy = cargo(context)?.args(["clippy", "--locked", "--package", "toolmend-js", "--features", features]);
        match wasm(context)? {
            Wasm::Rustup => clippy.args(["--target", WASM]).args(strict).run()?,
            // Debian's toolchain has no clippy: the crate is linted for the machine instead.
            Wasm::Debian => clippy.args(strict).run()?,
        }
    }
    Ok(())
}

/// Checks the documentation: every link in it leads somewhere.
pub(crate) fn lint_docs(context: &Context) -> Result<()> {
    cargo(context)?
        .args(["doc", "--locked", "--no-deps", "--package", "toolmend"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

/// Runs the Rust tests, doc tests included.
pub(crate) fn test(context: &Context, examples: u32, seed: u64) -> Result<()> {
    cargo(context)?
        .args([
            "test",
            "--locked",
            "--profile",
            CHECKED,
            "--package",
            "toolmend",
            "--package",
            "gates",
            "--package",
            "xtask",
        ])
        .env("TOOLMEND_PROPTEST_CASES", examples.to_string())
        .env("PROPTEST_RNG_SEED", seed.to_string())
        .run()
}

/// The version of a package in Cargo.lock, where there is one only.
#[cfg(test)]
pub(crate) fn locked_version(lock: &str, package: &str) -> Option<String> {
    let mut versions = lock.split("[[package]]").filter_map(|entry| {
        let value = |key: &str| entry.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix("= "));
        (value("name")?.trim_matches('"') == package)
            .then(|| value("version").map(|text| text.trim_matches('"').to_owned()))?
    });
    let version = versions.next()?;
    versions.next().is_none().then_some(version)
}

/// Where a cargo project that is made here takes its locked versions from.
pub(crate) fn copy_lock(context: &Context, folder: &Path) -> Result<()> {
    std::fs::copy(context.places.root.join("Cargo.lock"), folder.join("Cargo.lock")).context("copying Cargo.lock")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bindings_generator_is_of_the_version_of_wasm_bindgen() {
        let lock = std::fs::read_to_string(Places::find().unwrap().root.join("Cargo.lock")).unwrap();
        let version = locked_version(&lock, "wasm-bindgen");
        assert!(version.is_some(), "one version of wasm-bindgen");
        assert_eq!(locked_version(&lock, "wasm-bindgen-cli-support"), version);
    }
}
