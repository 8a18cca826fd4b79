//! The calls that are plainly valid, told without a document: most calls are, and they must cost nothing.
//!
//! A [`Program`] is made from a plan that holds all that the schema demands. Walked over text, or over a
//! host's own data by a host, it says yes only where the outcome is certain to be `unchanged` without a warning: the
//! value is valid, no key stands twice, every number is held exactly by every host, no string looks like JSON, and no
//! key is undeclared. Whatever it does not know it leaves, and the long way decides.

mod key;
mod program;
mod text;

pub use program::{Array, Object, Others, Program, Property, Rule, RuleId, Strings, Union};
pub(crate) use text::plain_end;
pub use text::{Ignored, Sink, looks_like_json};

/// The walk cannot say: the long way decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsure;

/// Nothing but whether to go on.
pub type Certain = Result<(), Unsure>;

/// Goes on if `holds`.
#[inline]
pub fn sure(holds: bool) -> Certain {
    if holds { Ok(()) } else { Err(Unsure) }
}
