//! A refusal in words for the model: few tokens, every issue with its place and what is wanted, one hint.

use std::fmt::Write as _;
use std::str::FromStr;

use crate::issue::{Code, Issue};

/// The form of a feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedbackFormat {
    /// Plain lines.
    #[default]
    Text,
    /// Compact JSON: `{"error", "issues": [{"code", "path", "hint"}], "more"?}`.
    Json,
}

impl FeedbackFormat {
    /// The names of the forms.
    pub const NAMES: &'static [&'static str] = &["text", "json"];
}

impl FromStr for FeedbackFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(format!("unknown feedback format `{other}`: expected `text` or `json`")),
        }
    }
}

/// How a refusal is told.
#[derive(Debug, Clone, Copy)]
pub struct Feedback {
    /// Text or JSON.
    pub format: FeedbackFormat,
    /// Longest feedback in bytes; issues that do not fit are counted.
    pub max_bytes: usize,
}

impl Default for Feedback {
    fn default() -> Self {
        Self { format: FeedbackFormat::Text, max_bytes: 1024 }
    }
}

const REQUEST: &str = "Not run. Resend the whole call, fixing only:";

impl Feedback {
    pub(crate) fn render(self, issues: &[Issue]) -> String {
        let told: Vec<&Issue> = issues.iter().filter(|issue| !is_told_by_another(issue, issues)).collect();
        if told.is_empty() {
            return String::new();
        }
        match self.format {
            FeedbackFormat::Text => self.text(&told),
            FeedbackFormat::Json => self.json(&told),
        }
    }

    fn text(self, issues: &[&Issue]) -> String {
        let mut out = REQUEST.to_owned();
        for (index, issue) in issues.iter().enumerate() {
            let place = if issue.path.is_empty() { "arguments" } else { &issue.path };
            let line = format!("\n{place}: {}", issue.hint);
            let rest = issues.len() - index;
            // The count of what is left out must fit too.
            if index > 0 && out.len() + line.len() + 24 > self.max_bytes {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\nand {rest} more");
                break;
            }
            out.push_str(&line);
        }
        cap(out, self.max_bytes)
    }

    fn json(self, issues: &[&Issue]) -> String {
        let render = |count: usize| {
            let told: Vec<_> = issues
                .iter()
                .take(count)
                .map(|issue| serde_json::json!({"code": issue.code.as_str(), "path": issue.path, "hint": issue.hint}))
                .collect();
            let mut object = serde_json::json!({"error": REQUEST, "issues": told});
            if let (true, Some(map)) = (count < issues.len(), object.as_object_mut()) {
                map.insert("more".to_owned(), (issues.len() - count).into());
            }
            object.to_string()
        };
        (1..=issues.len()).rev().map(render).find(|text| text.len() <= self.max_bytes).unwrap_or_else(|| {
            // Not even one issue fits: what is told must still be JSON.
            let short = serde_json::json!({"more": issues.len()}).to_string();
            if short.len() <= self.max_bytes { short } else { String::new() }
        })
    }
}

/// Whether an issue is the other half of one that is told: a required key that came under a misspelled name.
fn is_told_by_another(issue: &Issue, issues: &[Issue]) -> bool {
    issue.code == Code::MissingProperty && !issue.candidates.is_empty() && {
        let key = issue.path.rsplit('/').next().map(|key| key.replace("~1", "/").replace("~0", "~"));
        let parent = issue.path.rsplit_once('/').map(|(parent, _)| parent);
        issues.iter().any(|other| {
            other.code == Code::UnknownProperty
                && other.path.rsplit_once('/').map(|(parent, _)| parent) == parent
                && other.candidates.first().and_then(|candidate| serde_json::from_str(candidate.as_str()).ok()) == key
        })
    }
}

/// Cuts at a character boundary.
pub(crate) fn cap(mut text: String, max: usize) -> String {
    if max < '…'.len_utf8() {
        text.clear();
    }
    if text.len() > max {
        let mut at = max.saturating_sub('…'.len_utf8());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        text.truncate(at);
        text.push('…');
    }
    text
}
