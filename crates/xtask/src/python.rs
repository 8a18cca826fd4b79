//! Python: an environment with the pinned requirements in the cache, and one of this clone with the wheel in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::cache::key;
use crate::node::{dist_without, only};
use crate::places::emptied;
use crate::rust;
use crate::shell::{Call, apt_install, call};
use crate::stages::{Context, get_or_try, once, step};

/// Where Python code is, from the package.
pub(crate) const LINTED: [&str; 2] = [".", "../tests"];

/// The environment with what builds and tests the package.
pub(crate) struct Python {
    /// Its interpreter.
    pub(crate) program: PathBuf,
}

/// The interpreter to make environments of.
const SYSTEM: &str = "python3";

/// The environment of the cache with what builds and tests the package, made on first use.
pub(crate) fn tools(context: &Context) -> Result<&Python> {
    get_or_try(&context.python, || pinned(context, &context.places.py().join("requirements-dev.txt"), "the tools"))
}

/// An environment of the cache with the packages of a requirements file.
pub(crate) fn pinned(context: &Context, requirements: &Path, what: &str) -> Result<Python> {
    let check = "import sys; print(sys.version, sys.executable); sys.exit(sys.version_info < (3, 10))";
    let Ok(version) = call(SYSTEM).args(["-c", check]).read() else {
        bail!("Python 3.10 or later is needed, as `{SYSTEM}`");
    };
    let key = key(&[&fs::read_to_string(requirements)?, &version]);
    let folder = context.cache.made(&format!("python-{key}"), |folder| {
        step(&format!("make a Python environment with {what}"), || {
            make_environment(folder)?;
            let pip =
                call(interpreter(folder)).args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip.arg("--requirement").arg(requirements).run()
        })
    })?;
    Ok(Python { program: interpreter(&folder) })
}

/// Makes an environment; where Debian has left that out of Python, it is installed first.
fn make_environment(folder: &Path) -> Result<()> {
    if !call(SYSTEM).args(["-c", "import venv, ensurepip"]).succeeds() {
        apt_install(&["python3-venv"])?;
    }
    call(SYSTEM).args(["-m", "venv"]).arg(folder).run()
}

pub(crate) fn interpreter(environment: &Path) -> PathBuf {
    let place = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    environment.join(place)
}

/// Runs a module of the tools' environment.
pub(crate) fn tool(context: &Context, module: &str) -> Result<Call> {
    Ok(call(&tools(context)?.program).within(&context.places.py()).args(["-m", module]))
}

/// The wheel as a user gets it, in `target/dist`.
pub(crate) fn wheel(context: &Context) -> Result<PathBuf> {
    once(&context.wheel, || {
        let target = rust::target(context)?.to_owned();
        let python = &tools(context)?.program;
        step("build the wheel", || {
            let dist = dist_without(context, "whl")?;
            tool(context, "maturin")?
                .args(["build", "--quiet", "--locked", "--profile", "wheel", "--compression-level", "9", "--out"])
                .arg(&dist)
                .arg("--interpreter")
                .arg(python)
                .env("CARGO_TARGET_DIR", target)
                .run()?;
            only(&dist, "whl")
        })
    })
}

/// An environment with the wheel, and with the packages of another one beside it; gives its interpreter.
pub(crate) fn installed(context: &Context, name: &str, beside: Option<&Python>) -> Result<PathBuf> {
    let wheel = wheel(context)?;
    let python = tools(context)?;
    let folder = emptied(context.places.target(name))?;
    call(&python.program).args(["-m", "venv", "--without-pip"]).arg(&folder).run()?;
    let program = interpreter(&folder);
    if let Some(beside) = beside {
        let link = Path::new(&packages(&program)?).join("beside.pth");
        fs::write(link, format!("{}\n", packages(&beside.program)?))?;
    }
    // `--no-index`: the wheel needs nothing, and nothing of that name may come from elsewhere.
    let pip = call(&python.program).args(["-m", "pip", "--python"]).arg(&program);
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index", "--force-reinstall"])
        .arg(wheel)
        .run()?;
    Ok(program)
}

/// Where an interpreter's packages are.
fn packages(program: &Path) -> Result<String> {
    call(program).args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).read()
}

/// Tests the wheel: the package's tests, in an environment that has the wheel and not the source.
pub(crate) fn test(context: &Context, python: &Path, outcomes: &Path) -> Result<()> {
    call(python).within(&context.places.py()).args(["-m", "pytest", "--quiet"]).env("TOOLMEND_OUTCOMES", outcomes).run()
}

/// Tests the adapters in the wheel against the real frameworks, and their types against the frameworks' own.
pub(crate) fn agents(context: &Context) -> Result<()> {
    // Some frameworks have left Python 3.10 behind: there the last versions that run on it are tested.
    let is_new = call(SYSTEM).args(["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).succeeds();
    let pins = if is_new { "requirements-agents.txt" } else { "requirements-agents-3.10.txt" };
    let frameworks = pinned(context, &context.places.py().join(pins), "the frameworks")?;
    wheel(context)?;
    let python = installed(context, "agents", Some(&frameworks))?;
    let within = || call(&python).within(&context.places.py());
    step("run the adapters against the real frameworks", || {
        within().args(["-m", "pytest", "--quiet", "tests_agents"]).run()
    })?;
    step("check the adapters' types against the frameworks' own", || {
        within().args(["-m", "mypy", "--strict", "python", "tests_agents"]).run()
    })
}

/// Lints and checks types; the stubs against what the built module really has.
pub(crate) fn lint(context: &Context) -> Result<()> {
    tool(context, "ruff")?.args(["format", "--check"]).args(LINTED).run()?;
    tool(context, "ruff")?.arg("check").args(LINTED).run()
}

/// Checks types, and the stubs against the built module.
pub(crate) fn types(context: &Context, python: &Path) -> Result<()> {
    let within = || call(python).within(&context.places.py());
    within().args(["-m", "mypy", "--strict", "python", "tests"]).run()?;
    within().args(["-m", "mypy.stubtest", "toolmend._core"]).run()
}
