//! Runs other programs: their output is shown when they fail, or with `-v`.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

static VERBOSE: AtomicBool = AtomicBool::new(false);

pub(crate) fn be_verbose(yes: bool) {
    VERBOSE.store(yes, Ordering::Relaxed);
}

pub(crate) fn is_verbose() -> bool {
    VERBOSE.load(Ordering::Relaxed)
}

/// One call of a program.
pub(crate) struct Call {
    program: OsString,
    arguments: Vec<OsString>,
    folder: Option<std::path::PathBuf>,
    set: Vec<(OsString, OsString)>,
    removed: Vec<OsString>,
}

/// A call of `program`, to be filled in.
pub(crate) fn call(program: impl Into<OsString>) -> Call {
    Call { program: program.into(), arguments: Vec::new(), folder: None, set: Vec::new(), removed: Vec::new() }
}

impl Call {
    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn args<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub(crate) fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.set.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: impl Into<OsString>) -> Self {
        self.removed.push(name.into());
        self
    }

    fn expression(&self) -> duct::Expression {
        let mut expression = duct::cmd(&self.program, &self.arguments).stdin_null();
        if let Some(folder) = &self.folder {
            expression = expression.dir(folder);
        }
        for name in &self.removed {
            expression = expression.env_remove(name);
        }
        for (name, value) in &self.set {
            expression = expression.env(name, value);
        }
        expression
    }

    /// Runs it; its output is shown only when it fails.
    pub(crate) fn run(self) -> Result<()> {
        if is_verbose() {
            println!("  $ {self}");
            return self.show();
        }
        let output = self.expression().stderr_to_stdout().stdout_capture().unchecked().run();
        let output = output.with_context(|| format!("starting `{}`", self.program.display()))?;
        if output.status.success() {
            return Ok(());
        }
        println!("\n$ {self}\n{}", String::from_utf8_lossy(&output.stdout));
        bail!("`{}` failed ({})", self.program.display(), output.status);
    }

    /// Runs it and lets it print.
    pub(crate) fn show(self) -> Result<()> {
        let output = self.expression().unchecked().run();
        let output = output.with_context(|| format!("starting `{}`", self.program.display()))?;
        if output.status.success() {
            return Ok(());
        }
        bail!("`{}` failed ({})", self.program.display(), output.status);
    }

    /// Whether it succeeds, and all that it says.
    pub(crate) fn said(self) -> Result<(bool, String)> {
        let output = self.expression().stderr_to_stdout().stdout_capture().unchecked().run();
        let output = output.with_context(|| format!("starting `{}`", self.program.display()))?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
    }

    /// What it prints, if it succeeds.
    pub(crate) fn read(self) -> Result<String> {
        let output = self.expression().stderr_null().stdout_capture().unchecked().run();
        let output = output.with_context(|| format!("starting `{}`", self.program.display()))?;
        if !output.status.success() {
            bail!("`{self}` failed ({})", output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Whether it can be run and succeeds.
    pub(crate) fn succeeds(self) -> bool {
        self.expression().stderr_null().stdout_null().unchecked().run().is_ok_and(|output| output.status.success())
    }
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.program.display())?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {}", argument.display()))
    }
}

/// Installs packages of the system, where the system is Debian or of its kind and we may.
pub(crate) fn apt_install(packages: &[&str]) -> Result<()> {
    if !call("apt-get").arg("--version").succeeds() {
        bail!("this needs {}, and there is no `apt-get` to install it with", packages.join(", "));
    }
    let apt = || call("apt-get").env("DEBIAN_FRONTEND", "noninteractive");
    apt().args(["update", "-q"]).run()?;
    apt().args(["install", "-q", "-y", "--no-install-recommends"]).args(packages).run()
}
