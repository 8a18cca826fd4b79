//! Raw text to document: strict JSON first, then what surrounds the JSON, then relaxed syntax.

pub(crate) mod number;
mod parser;
mod surroundings;

pub(crate) use parser::{Extent, Fault, Syntax, TextError, parse, parse_inside};
pub(crate) use surroundings::read;

use crate::document::Document;
use crate::policy::Rule;

/// A text that was read, and what had to be done to the text for it.
pub(crate) struct Reading<'a> {
    pub(crate) document: Document<'a>,
    pub(crate) faults: Vec<Fault>,
    /// The rules in order, each with the part of the text that it left.
    pub(crate) steps: Vec<Step>,
}

/// A rule on the text: it was given `before` and left the next step's `before`, the last one the value.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) rule: Rule,
    /// Whether the step takes `adapter` or `lenient` rather than its rule's own preset.
    pub(crate) policy: crate::policy::Policy,
    pub(crate) before: std::ops::Range<usize>,
}
