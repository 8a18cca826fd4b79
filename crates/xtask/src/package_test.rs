//! The packed tarball and the built wheel, never the source, in every environment that users have: one row of a table
//! each. What is run there lies in tests/packages.
//!
//! A row that must pass fails the command. One for what a machine may not have, or for what is known not to work, says why
//! in the words of the program that stopped it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::places::emptied;
use crate::shell::{Call, call};
use crate::stages::{Context, step};
use crate::{browser, node, packages, python, pythons};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the rows whose name contains one of these.
    rows: Vec<String>,
}

/// Runs every row, and fails if one that must pass did not.
pub(crate) fn run(context: &Context, args: &Args) -> Result<()> {
    let mut rows =
        Rows { wanted: &args.rows, logs: emptied(context.places.target("package-test/logs"))?, done: Vec::new() };
    node_rows(context, &mut rows)?;
    python_rows(context, &mut rows)?;
    rows.close()
}

fn node_rows(context: &Context, rows: &mut Rows) -> Result<()> {
    let tarball = node::tarball(context)?;
    let source = context.places.root.join("tests/packages");
    node::install_cached(context, &source)?;
    let project = packages::in_node(context)?;
    for name in ["app", "types"] {
        copy(&source.join(name), &project.join(if name == "app" { "" } else { name }))?;
    }
    let bin = |name: &str| call(source.join("node_modules/.bin").join(name)).within(&project);
    let script =
        |name: &str, argument: &str| node::node(&source).arg(format!("rows/{name}.mjs")).arg(&project).arg(argument);

    rows.must("Node, import", node::node(&project).arg("imported.mjs"));
    rows.must("Node, require", node::node(&project).arg("required.cjs"));
    rows.may("Node 26, import", bin("node").arg("imported.mjs"));
    rows.may("Node 26, require", bin("node").arg("required.cjs"));
    rows.must("Node, bundled by esbuild", script("bundled", ""));
    rows.may("Bun, import", bin("bun").arg("imported.mjs"));
    rows.may("Bun, require", bin("bun").arg("required.cjs"));
    let deno = |arguments: &[&str]| bin("deno").args(["run", "--no-prompt"]).args(arguments);
    rows.may("Deno", deno(&["--allow-read", "imported.mjs"]));
    rows.may("Deno, nothing allowed", deno(&["full.mjs"]));

    let chromium = browser::chromium()?;
    for name in ["vite build", "vite dev", "webpack", "esbuild", "rollup", "plain script", "refusing browser"] {
        rows.must(&format!("Chromium, {name}"), script("browser", name).arg(&chromium));
    }
    rows.must("workerd, by condition", script("workerd", "condition"));
    rows.must("workerd, by subpath", script("workerd", "subpath"));
    rows.may("workerd, by neither", script("workerd", "neither"));
    rows.must("edge-runtime, by condition", script("edge", "condition"));
    rows.must("edge-runtime, by subpath", script("edge", "subpath"));
    rows.must("Next on the edge, webpack", script("next", "webpack"));
    rows.must("Next on the edge, Turbopack", script("next", "turbopack"));

    for resolution in ["node16", "nodenext", "bundler"] {
        rows.must(
            &format!("TypeScript, {resolution}"),
            bin("tsc").arg("-p").arg(format!("types/tsconfig.{resolution}.json")),
        );
    }
    // For `import` alone: the modules of workers, and the AI SDK, which is that itself.
    let imported = ["./workerd", "./edge", "./ai-sdk"];
    let attw = || bin("attw").arg(&tarball).arg("--no-emoji");
    rows.must("attw", attw().arg("--profile=node16").arg("--exclude-entrypoints").args(imported));
    rows.must("attw, for import alone", attw().arg("--profile=esm-only").arg("--entrypoints").args(imported));
    rows.must("publint", bin("publint").arg(&tarball).arg("--strict"));
    let check = source.join("python/check.py");
    rows.may("Pyodide", node::node(&source).arg("rows/pyodide.mjs").arg(python::wheel(context)?).arg(check));
    Ok(())
}

fn python_rows(context: &Context, rows: &mut Rows) -> Result<()> {
    let wheel = python::wheel(context)?;
    let source = context.places.root.join("tests/packages");
    let tools = python::pinned(context, &source.join("requirements.txt"), "what tests the wheel")?;
    let tool = |module: &str| call(&tools.program).args(["-m", module]);
    let sdist = step("pack the source of the wheel", || {
        let folder = emptied(context.places.target("package-test/sdist"))?;
        tool("maturin").within(&context.places.py()).args(["sdist", "--out"]).arg(&folder).run()?;
        node::only(&folder, "gz")
    })?;
    let environment = |name: &str| context.places.target(&format!("package-test/{name}"));
    let script = |python: &Path, file: &str| call(python).within(&source.join("python")).arg("-B").arg(file);
    let python = python::installed(context, "package-test/python", None)?;

    for version in pythons::VERSIONS {
        let name = format!("Python {version}");
        if !rows.wants(&name) {
            continue;
        }
        let found = pythons::find(version, &tools, &context.cache.folder("pythons")?);
        rows.row(&name, |log| {
            let Ok(program) = &found else {
                return found.as_ref().map(|_| None).or_else(|reason| Ok(Some(reason.to_string())));
            };
            let folder = emptied(environment(&format!("python{version}")))?;
            let python = python::interpreter(&folder);
            log.run(call(program).args(["-m", "venv"]).arg(&folder))?;
            let pip = call(&python).args(["-m", "pip", "install", "--disable-pip-version-check"]);
            if version.ends_with('t') {
                // The wheel of this machine is for the stable interface, which these have not.
                log.run(quick(context, pip.arg(&sdist)))?;
            } else {
                log.run(pip.arg("--no-index").arg(&wheel))?;
            }
            ["check.py", "metadata.py", "threads.py", "processes.py"]
                .iter()
                .try_for_each(|file| log.run(script(&python, file)))?;
            Ok(None)
        });
    }

    rows.row("pip, from the source", |log| {
        let folder = emptied(environment("from-source"))?;
        log.run(tool("venv").arg(&folder))?;
        let python = python::interpreter(&folder);
        let pip = call(&python).args(["-m", "pip", "install", "--disable-pip-version-check"]);
        log.run(quick(context, pip.arg(&sdist)))?;
        log.run(script(&python, "check.py"))?;
        log.run(script(&python, "metadata.py"))?;
        Ok(None)
    });
    rows.row("uv", |log| {
        let folder = emptied(environment("uv"))?;
        log.run(tool("uv").args(["venv", "--clear", "--python"]).arg(&python).arg(&folder))?;
        let python = python::interpreter(&folder);
        log.run(tool("uv").args(["pip", "install", "--no-index", "--python"]).arg(&python).arg(&wheel))?;
        log.run(script(&python, "check.py"))?;
        Ok(None)
    });
    rows.must("threads", script(&python, "threads.py"));
    rows.must("processes", script(&python, "processes.py"));
    rows.must("abi3audit", tool("abi3audit").arg("--strict").arg(&wheel));
    rows.must("twine check", tool("twine").args(["check", "--strict"]).arg(&wheel).arg(&sdist));
    Ok(())
}

/// An installation from source that is quick to build rather than quick to run.
fn quick(context: &Context, call: Call) -> Call {
    call.env("CARGO_TARGET_DIR", context.places.target("package-test/cargo"))
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// How it went in one environment.
enum Verdict {
    Passed,
    Failed(String),
    /// What this machine does not have, or what is known not to work: the reason.
    Not(String),
}

struct Rows<'a> {
    wanted: &'a [String],
    logs: PathBuf,
    done: Vec<(String, Duration, Verdict)>,
}

impl Rows<'_> {
    fn wants(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.wanted.is_empty() || self.wanted.iter().any(|part| name.contains(&part.to_lowercase()))
    }

    /// A row that is one call, which must succeed.
    fn must(&mut self, name: &str, call: Call) {
        self.row(name, |log| log.run(call).map(|()| None));
    }

    /// A row that is one call, which may fail.
    fn may(&mut self, name: &str, call: Call) {
        self.row(name, |log| Ok(log.run(call).err().map(|reason| reason.to_string())));
    }

    /// A row: passed, or `work` gives the reason why it cannot be here, or fails.
    fn row(&mut self, name: &str, work: impl FnOnce(&Log) -> Result<Option<String>>) {
        if !self.wants(name) {
            return;
        }
        let log = Log(self.logs.join(format!("{}.log", name.replace([' ', ','], "-"))));
        let start = Instant::now();
        let verdict = match work(&log) {
            Ok(None) => Verdict::Passed,
            Ok(Some(reason)) => Verdict::Not(reason),
            Err(error) => Verdict::Failed(format!("{error:#}")),
        };
        println!("  {name:<28} {:>5.1} s  {}", start.elapsed().as_secs_f64(), verdict.told());
        self.done.push((name.to_owned(), start.elapsed(), verdict));
    }

    /// Prints the table; fails if a row did.
    fn close(self) -> Result<()> {
        println!("\n{:<28} {:>7}  result", "environment", "time");
        for (name, time, verdict) in &self.done {
            println!("{name:<28} {:>5.1} s  {}", time.as_secs_f64(), verdict.told());
        }
        let count = |kind: fn(&Verdict) -> bool| self.done.iter().filter(|(_, _, verdict)| kind(verdict)).count();
        let failed = count(|verdict| matches!(verdict, Verdict::Failed(_)));
        let not = count(|verdict| matches!(verdict, Verdict::Not(_)));
        println!("\n{} passed, {failed} failed, {not} not here or not supported", self.done.len() - failed - not);
        if failed == 0 {
            return Ok(());
        }
        Err(anyhow!(
            "{failed} of {} environments failed; what they said is in `{}`",
            self.done.len(),
            self.logs.display()
        ))
    }
}

impl Verdict {
    fn told(&self) -> String {
        match self {
            Self::Passed => "passed".to_owned(),
            Self::Failed(error) => format!("FAILED: {error}"),
            Self::Not(reason) => format!("not supported here: {reason}"),
        }
    }
}

/// What the programs of a row say is kept in a file; of a failure the line that tells most is the error.
struct Log(PathBuf);

impl Log {
    fn run(&self, call: Call) -> Result<()> {
        let line = call.to_string();
        let (succeeded, said) = call.said()?;
        let before = fs::read_to_string(&self.0).unwrap_or_default();
        fs::write(&self.0, format!("{before}$ {line}\n{said}\n"))?;
        if succeeded { Ok(()) } else { Err(anyhow!(error_line(&said))) }
    }
}

/// The last line that names an error, or the last one at all.
fn error_line(said: &str) -> String {
    let plain = without_colors(said);
    let lines: Vec<_> = plain.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let names_error = |line: &&&str| {
        line.split_once(':').is_some_and(|(head, _)| {
            let word = head.rsplit([' ', '.']).next().unwrap_or_default();
            word.ends_with("Error") || word.eq_ignore_ascii_case("error")
        })
    };
    (*lines.iter().rfind(names_error).or(lines.last()).unwrap_or(&"it said nothing")).to_owned()
}

/// Text without the colours of a terminal.
fn without_colors(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_line_that_names_it() {
        let node = "file.mjs:3\n    throw x;\n\n\u{1b}[31mError: wrong\u{1b}[0m answer\n    at file.mjs:3\n\nNode.js v20.20.2\n";
        assert_eq!(error_line(node), "Error: wrong answer");
        let python = "Traceback (most recent call last):\n  File \"a\", line 1\nImportError: no module\n";
        assert_eq!(error_line(python), "ImportError: no module");
        assert_eq!(error_line("cannot\n\n"), "cannot");
        assert_eq!(error_line(""), "it said nothing");
    }
}
