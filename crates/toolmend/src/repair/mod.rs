//! From raw text or host data to an outcome.

use crate::contract::Inner;
use crate::document::Document;
use crate::issue::{Code, Issue, Received, Span};
use crate::outcome::Outcome;
use crate::text::{self, TextError};

/// What the host knows of the end of the model's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finish {
    /// The reply came to its own end (`stop`, `tool_calls`).
    #[default]
    Complete,
    /// The reply was cut at the token limit (`length`, `max_tokens`).
    Length,
}

pub(crate) fn text<'t>(contract: &Inner, raw: &'t str) -> Outcome<'t> {
    if raw.len() > contract.limits.bytes {
        return refused(raw, &TextError { code: Code::SizeLimit, offset: 0, hint: format!("the arguments are longer than {} bytes", contract.limits.bytes) });
    }
    match text::read(raw, contract.limits.depth, &|rule, policy| contract.policy >= rule.policy().max(policy)) {
        Ok(reading) => document(contract, reading.document),
        Err(error) => refused(raw, &error),
    }
}

pub(crate) fn bytes<'t>(contract: &Inner, raw: &'t [u8]) -> Outcome<'t> {
    match std::str::from_utf8(raw) {
        Ok(raw) => text(contract, raw),
        Err(error) => {
            let mut issue = Issue::new(Code::InvalidUnicode, "", "the arguments are no UTF-8");
            let valid = raw.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok());
            issue.span = Some(Span::at(valid.unwrap_or_default(), error.valid_up_to()));
            Outcome::refused(vec![issue], Vec::new())
        }
    }
}

pub(crate) fn document<'t>(contract: &Inner, document: Document<'t>) -> Outcome<'t> {
    let root = document.root_id();
    if contract.schema.accepts(&document, root) {
        return Outcome::accepted(document, Vec::new(), Vec::new());
    }
    Outcome::refused(vec![Issue::new(Code::TypeMismatch, "", "not valid")], Vec::new())
}

/// The refusal of text that the host says was cut.
pub(crate) fn cut(raw: &str) -> Outcome<'static> {
    refused(raw, &TextError { code: Code::Truncated, offset: raw.len(), hint: "the reply was cut at the token limit: send the whole call again".to_owned() })
}

fn refused(raw: &str, error: &TextError) -> Outcome<'static> {
    let mut issue = Issue::new(error.code, "", error.hint.clone());
    issue.span = Some(Span::at(raw, error.offset));
    issue.received = Some(Received::text(raw));
    Outcome::refused(vec![issue], Vec::new())
}
