//! The compiled part of the Python package `toolmend`: reads Python data, asks the core, and tells what it answered.
//!
//! Nothing is decided here. The public Python around it is in `python/toolmend/`, its types in `_core.pyi`.
#![deny(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::todo,
    clippy::unimplemented,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod agent;
mod batch;
mod contract;
mod errors;
mod host;
mod options;
mod outcome;
mod plain;
mod report;

/// The compiled part of toolmend. Import from `toolmend`, not from here.
#[pyo3::pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;
    use toolmend::{Code, FeedbackFormat, Finish, Policy, Rule, Status};

    #[pymodule_export]
    use crate::agent::{attempts, decide, definitions, unknown_tool};
    #[pymodule_export]
    use crate::contract::{Contract, compile};
    #[pymodule_export]
    use crate::outcome::Outcome;

    /// The closed lists, so that a test can hold the `Literal` types to them.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        module.add("CODES", PyTuple::new(py, Code::ALL.iter().map(|code| code.as_str()))?)?;
        module.add("RULES", PyTuple::new(py, Rule::ALL.iter().map(|rule| rule.as_str()))?)?;
        module.add("POLICIES", PyTuple::new(py, Policy::ALL.iter().map(|policy| policy.as_str()))?)?;
        module.add("STATUSES", PyTuple::new(py, Status::ALL.iter().map(|status| status.as_str()))?)?;
        module.add("FINISHES", PyTuple::new(py, Finish::NAMES.iter().map(|(name, _)| *name))?)?;
        module.add("FEEDBACK_FORMATS", PyTuple::new(py, FeedbackFormat::NAMES)?)?;
        Ok(())
    }
}
