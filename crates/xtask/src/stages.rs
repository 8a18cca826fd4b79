//! What is done, said in one line a step with its time; and the table of stages at the end of `test`.

use std::cell::{Cell, OnceCell};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::cache::Cache;
use crate::places::Places;
use crate::python::Python;
use crate::rust::Wasm;
use crate::shell;

/// What the commands share: what is found, installed and built is so once a run.
pub(crate) struct Context {
    pub(crate) places: Places,
    pub(crate) cache: Cache,
    pub(crate) target: OnceCell<PathBuf>,
    pub(crate) wasm: OnceCell<Wasm>,
    pub(crate) python: OnceCell<Python>,
    pub(crate) node: Cell<bool>,
    pub(crate) tarball: OnceCell<Built>,
    pub(crate) wheel: OnceCell<Built>,
    pub(crate) in_node: OnceCell<Built>,
    pub(crate) gates: OnceCell<Built>,
}

/// A package that was built, or that could not be.
pub(crate) type Built = std::result::Result<PathBuf, String>;

impl Context {
    pub(crate) fn open() -> Result<Self> {
        let context = Self {
            places: Places::find()?,
            cache: Cache::open()?,
            target: OnceCell::new(),
            wasm: OnceCell::new(),
            python: OnceCell::new(),
            node: Cell::new(false),
            tarball: OnceCell::new(),
            wheel: OnceCell::new(),
            in_node: OnceCell::new(),
            gates: OnceCell::new(),
        };
        context.cache.prune();
        Ok(context)
    }
}

/// What `make` gives, made once; a failure is remembered, and not tried again.
pub(crate) fn once(cell: &OnceCell<Built>, make: impl FnOnce() -> Result<PathBuf>) -> Result<PathBuf> {
    cell.get_or_init(|| make().map_err(|error| format!("{error:#}"))).clone().map_err(|error| anyhow!(error))
}

/// Like [`OnceCell::get_or_init`], for what can fail.
pub(crate) fn get_or_try<T>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

/// Does one step, and says so.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    print!("  {what} ... ");
    if shell::is_verbose() {
        println!();
    }
    let _ = std::io::stdout().flush();
    let start = Instant::now();
    let result = work();
    println!("{} {:.1} s", if result.is_ok() { "done" } else { "FAILED" }, start.elapsed().as_secs_f64());
    result
}

/// How the stages of a run went.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<(String, Duration, Option<String>)>,
    pub(crate) skipped: Vec<String>,
    /// Only some of the stages were asked for.
    pub(crate) is_partial: bool,
}

impl Table {
    /// Runs one stage; those after it are run all the same.
    pub(crate) fn stage(&mut self, name: &str, work: impl FnOnce() -> Result<()>) {
        println!("{name}");
        let start = Instant::now();
        let failure = work().err().map(|error| format!("{error:#}"));
        if let Some(failure) = &failure {
            println!("  FAILED {name}: {failure}");
        }
        self.rows.push((name.to_owned(), start.elapsed(), failure));
    }

    /// Prints the table, what was skipped, and the count; fails if a stage did.
    pub(crate) fn close(self) -> Result<()> {
        println!("\n{:<28} {:>9}  result", "stage", "time");
        for (name, time, failure) in &self.rows {
            let result = if failure.is_some() { "FAILED" } else { "passed" };
            println!("{name:<28} {:>7.1} s  {result}", time.as_secs_f64());
        }
        let total: Duration = self.rows.iter().map(|(_, time, _)| *time).sum();
        println!("{:<28} {:>7.1} s\n", "all", total.as_secs_f64());
        let failed: Vec<_> =
            self.rows.iter().filter_map(|(name, _, failure)| Some((name, failure.as_ref()?))).collect();
        for (name, failure) in &failed {
            println!("FAILED {name}: {failure}");
        }
        if self.is_partial {
            println!("ONLY the stages that were asked for were run");
        } else if self.skipped.is_empty() {
            println!("no gate was skipped");
        }
        if !self.skipped.is_empty() {
            println!("GATES SKIPPED, since their data is not beside the clone: {}", self.skipped.join(", "));
        }
        println!("{} passed, {} failed", self.rows.len() - failed.len(), failed.len());
        if failed.is_empty() { Ok(()) } else { Err(anyhow!("{} of {} stages failed", failed.len(), self.rows.len())) }
    }
}
