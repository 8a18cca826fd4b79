//! The answer to one call: the core's outcome, or a refusal for what only JavaScript knows.

use serde_json::json;
use toolmend::{Contract, FeedbackFormat, Issue, Outcome, Status};

use crate::numbers::{self, Fit};

/// What the core says before the issues.
const REQUEST: &str =
    "The call was not run. Send the whole call again with these places fixed and everything else as it was:";

/// What a call got. `Host` is a refusal for reasons of the host: data that is no JSON, a number it cannot hold.
pub(crate) enum Answer<'a> {
    Core(Outcome<'a>),
    Host(Vec<Issue>),
}

impl<'a> Answer<'a> {
    /// Judges the numbers of an accepted value: whether it holds an unsafe integer, or is refused for its numbers.
    pub(crate) fn new(outcome: Outcome<'a>, contract: &Contract, exact: bool) -> (Self, bool) {
        let Some(value) = outcome.value() else { return (Self::Core(outcome), false) };
        let fit = numbers::worst(value);
        if numbers::refused(fit, exact) {
            let issues = numbers::issues(value, exact, contract.limits().issues);
            return (Self::Host(issues), false);
        }
        (Self::Core(outcome), fit == Fit::Unsafe)
    }

    /// The same answer, independent of the input buffer.
    pub(crate) fn into_owned(self) -> Answer<'static> {
        match self {
            Self::Core(outcome) => Answer::Core(outcome.into_owned()),
            Self::Host(issues) => Answer::Host(issues),
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Core(outcome) => outcome.status(),
            Self::Host(_) => Status::Refused,
        }
    }

    /// Whether there is more to tell than "valid as it came".
    pub(crate) fn has_report(&self) -> bool {
        match self {
            Self::Core(outcome) => outcome.status() != Status::Unchanged || !outcome.warnings().is_empty(),
            Self::Host(_) => true,
        }
    }

    pub(crate) fn wire(&self) -> String {
        match self {
            Self::Core(outcome) => outcome.to_json(),
            Self::Host(issues) => {
                json!({"status": "refused", "repairs": [], "issues": issues, "warnings": []}).to_string()
            }
        }
    }

    pub(crate) fn patch(&self) -> String {
        match self {
            Self::Core(outcome) => outcome.patch(),
            Self::Host(_) => "[]".to_owned(),
        }
    }

    pub(crate) fn feedback(&self, format: FeedbackFormat, max_bytes: usize) -> String {
        match self {
            Self::Core(outcome) => outcome.feedback_as(format, max_bytes),
            Self::Host(issues) => host_feedback(issues, format, max_bytes),
        }
    }

    pub(crate) fn json(&self) -> String {
        match self {
            Self::Core(outcome) => outcome.value().map(|value| value.to_string()).unwrap_or_default(),
            Self::Host(_) => String::new(),
        }
    }
}

/// As many issues as fit, in the core's two forms.
fn host_feedback(issues: &[Issue], format: FeedbackFormat, max_bytes: usize) -> String {
    let render = |count: usize| {
        let told = issues.iter().take(count);
        match format {
            FeedbackFormat::Json => {
                let told: Vec<_> =
                    told.map(|issue| json!({"code": issue.code, "path": issue.path, "hint": issue.hint})).collect();
                json!({"error": REQUEST, "issues": told}).to_string()
            }
            FeedbackFormat::Text => told.fold(REQUEST.to_owned(), |text, issue| {
                let place = if issue.path.is_empty() { "arguments" } else { &issue.path };
                text + "\n- " + place + ": " + &issue.hint
            }),
        }
    };
    (1..=issues.len()).rev().map(render).find(|text| text.len() <= max_bytes).unwrap_or_else(|| render(1))
}
