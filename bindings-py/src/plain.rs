//! Calls that are plainly valid: their value is built while the text is checked, or found to be right where it lies.

mod build;
mod members;
mod walk;

pub(crate) use build::{Keys, read};
pub(crate) use walk::is_plain;
