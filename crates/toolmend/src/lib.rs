//! toolmend repairs the arguments of a tool call against the tool's JSON Schema, or refuses with a typed reason.
//!
//! ```
//! use serde_json::json;
//! use toolmend::{Options, Policy};
//!
//! let schema = json!({
//!     "type": "object",
//!     "properties": {"names": {"type": "array", "items": {"type": "string"}}},
//!     "required": ["names"],
//!     "additionalProperties": false
//! });
//! let contract = Options::new().policy(Policy::Narrow).compile(&schema)?;
//!
//! let outcome = contract.repair(r#"{"names": "dotnet/eshop"}"#);
//! assert!(outcome.is_ok());
//! assert_eq!(outcome.value().map(|value| value.to_string()), Some(r#"{"names":["dotnet/eshop"]}"#.to_owned()));
//!
//! let refused = contract.repair(r#"{"names": "a, b"}"#);
//! assert_eq!(refused.issues()[0].code.as_str(), "ambiguous");
//! # Ok::<(), toolmend::SchemaError>(())
//! ```
//!
//! [`Options::compile`] reads a schema once; [`Contract::repair`] is called for every call. An [`Outcome`] is either
//! the canonical arguments with every [`Repair`] that was made, or a refusal: each [`Issue`] has a [`Code`], an
//! RFC 6901 JSON Pointer into what was sent, what was expected, what came, and a hint. Nothing is ever guessed.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]

#[cfg(doc)]
#[doc = include_str!("../docs/adding-a-rule.md")]
pub mod adding_a_rule {}

#[cfg(doc)]
#[doc = include_str!("../docs/codes.md")]
pub mod codes {}

mod attempts;
#[doc(hidden)]
pub mod certain;
mod collections;
mod contract;
mod digest;
mod document;
mod feedback;
mod hints;
mod issue;
mod options;
mod outcome;
mod patch;
mod pointer;
mod policy;
mod property;
mod redact;
mod repair;
mod schema;
mod text;
mod toolbox;
mod tools;
mod wire;

pub use attempts::{Action, Attempts, Decision, Reason};
pub use contract::{Contract, Limits};
pub use document::{Document, Elements, Kind, Members, Node, Writer};
pub use feedback::{Feedback, FeedbackFormat};
pub use issue::{Code, Issue, Json, Received, Span};
pub use options::{Options, OptionsError, Undeclared};
pub use outcome::{Outcome, Repair, Status};
pub use pointer::Pointer;
pub use policy::{Policy, Rule};
pub use property::Property;
pub use redact::Redact;
pub use repair::Finish;
pub use schema::SchemaError;
pub use toolbox::{Fault, Toolbox};
pub use tools::{Definition, Effect, definitions};
