//! What became of a call: what the core said, or why the core could not be asked.

use std::fmt::Write as _;

use serde_json::json;
use toolmend::{FeedbackFormat, Issue, Outcome, Repair, Status};

/// What the core says before the issues.
const REQUEST: &str =
    "The call was not run. Send the whole call again with these places fixed and everything else as it was:";

/// The answer to one call.
pub(crate) enum Answer {
    /// The core's.
    Core(Outcome<'static>),
    /// Data that is no JSON, so there was nothing to ask.
    Unreadable(Vec<Issue>),
}

impl Answer {
    pub(crate) fn status(&self) -> Status {
        match self {
            Answer::Core(outcome) => outcome.status(),
            Answer::Unreadable(_) => Status::Refused,
        }
    }

    pub(crate) fn repairs(&self) -> &[Repair] {
        match self {
            Answer::Core(outcome) => outcome.repairs(),
            Answer::Unreadable(_) => &[],
        }
    }

    pub(crate) fn issues(&self) -> &[Issue] {
        match self {
            Answer::Core(outcome) => outcome.issues(),
            Answer::Unreadable(issues) => issues,
        }
    }

    pub(crate) fn warnings(&self) -> &[Issue] {
        match self {
            Answer::Core(outcome) => outcome.warnings(),
            Answer::Unreadable(_) => &[],
        }
    }

    pub(crate) fn patch(&self) -> String {
        match self {
            Answer::Core(outcome) => outcome.patch(),
            Answer::Unreadable(_) => "[]".to_owned(),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        match self {
            Answer::Core(outcome) => outcome.to_json(),
            Answer::Unreadable(issues) => {
                json!({"status": "refused", "repairs": [], "issues": issues, "warnings": []}).to_string()
            }
        }
    }

    pub(crate) fn feedback(&self, format: FeedbackFormat, max_bytes: usize) -> String {
        match self {
            Answer::Core(outcome) => outcome.feedback_as(format, max_bytes),
            Answer::Unreadable(issues) => feedback(issues, format, max_bytes),
        }
    }
}

/// As many issues as fit, in the core's two forms.
fn feedback(issues: &[Issue], format: FeedbackFormat, max_bytes: usize) -> String {
    let render = |count: usize| {
        let told = issues.iter().take(count);
        let more = issues.len() - count.min(issues.len());
        match format {
            FeedbackFormat::Json => {
                let told: Vec<_> =
                    told.map(|issue| json!({"code": issue.code, "path": issue.path, "hint": issue.hint})).collect();
                let mut object = json!({"error": REQUEST, "issues": told});
                if let Some(map) = object.as_object_mut().filter(|_| more > 0) {
                    map.insert("more".to_owned(), more.into());
                }
                object.to_string()
            }
            FeedbackFormat::Text => {
                let mut text = REQUEST.to_owned();
                for issue in told {
                    let place = if issue.path.is_empty() { "arguments" } else { &issue.path };
                    // Writing to a `String` cannot fail.
                    let _ = write!(text, "\n- {place}: {}", issue.hint);
                }
                if more > 0 {
                    let _ = write!(text, "\n- and {more} more");
                }
                text
            }
        }
    };
    (0..=issues.len()).rev().map(render).find(|text| text.len() <= max_bytes).unwrap_or_default()
}
