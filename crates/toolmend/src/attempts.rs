//! The retries of an agent as data: how often a tool's calls were refused in a row, and what is to be done next.
//!
//! Nothing is sent and nothing is run here. A host asks after every answer of the boundary what follows from it, does that,
//! and keeps the log, which is plain JSON, for the next answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::digest;
use crate::document::Document;
use crate::issue::Code;
use crate::outcome::Outcome;

/// What the host is to do with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Run the tool with the canonical arguments.
    Run,
    /// Do not run it; give the model the message, and let it call again.
    Retry,
    /// Do not run it; give the model the message, and take no further call of this tool as a retry.
    Stop,
}

/// Why there is no retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The same call was refused before.
    Repeated,
    /// This was the last attempt.
    Budget,
}

/// What follows from one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// What the host is to do.
    pub action: Action,
    /// Which attempt in a row this was, from 1.
    pub attempt: usize,
    /// How many attempts are left after it.
    pub remaining: usize,
    /// What the model is told, where the tool is not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Why there is no retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// The log of the attempts in one run of an agent.
///
/// Refusals in a row are counted for each tool, and for calls of unknown tools together: the log does not know which
/// new call of a model was meant to mend which refused one. An accepted call of a tool ends its row.
///
/// ```
/// use toolmend::{Action, Attempts, Options, Reason};
///
/// let contract = Options::new().name("t").compile(&serde_json::json!({"type": "object", "required": ["id"]}))?;
/// let mut attempts = Attempts::new(3);
/// let first = attempts.decide("t", "{}", None, &contract.repair("{}"));
/// assert_eq!((first.action, first.attempt, first.remaining), (Action::Retry, 1, 2));
/// let second = attempts.decide("t", "{ }", None, &contract.repair("{ }"));
/// assert_eq!((second.action, second.reason), (Action::Stop, Some(Reason::Repeated)));
/// # Ok::<(), toolmend::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempts {
    budget: usize,
    /// The refusals in a row, by tool.
    refused: BTreeMap<String, Vec<Refused>>,
}

/// One refused call: what was sent, as a digest, and in which turn of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Refused {
    sent: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    turn: Option<String>,
}

/// Stands for all tools that there are none of. No tool's name is empty.
const UNKNOWN: &str = "";

/// Longest list of refused calls in a row that is kept: what is older is not compared with any more.
const KEPT: usize = 32;

impl Default for Attempts {
    fn default() -> Self {
        Self::new(Self::BUDGET)
    }
}

impl Attempts {
    /// The usual budget.
    pub const BUDGET: usize = 3;

    /// A new log. `budget` is how many calls of a tool in a row may be refused until there is no retry; at least 1.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self { budget: budget.max(1), refused: BTreeMap::new() }
    }

    /// Reads a log that was written with [`to_json`](Self::to_json).
    ///
    /// # Errors
    ///
    /// A message for a text that is no log.
    pub fn from_json(json: &str) -> Result<Self, String> {
        let read: Self = serde_json::from_str(json).map_err(|error| format!("no log of attempts: {error}"))?;
        Ok(Self { budget: read.budget.max(1), ..read })
    }

    /// The log as JSON text: `{"budget", "refused": {tool: [{"sent", "turn"?}]}}`. It holds digests of what was sent, and
    /// nothing else of it.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What follows from `outcome`, the answer to a call of `tool` with the argument text `sent`.
    ///
    /// Calls of one `turn` (the id of the model's message, say) count as one attempt: a model that calls a tool three
    /// times at once has not tried three times. Without a turn each call is an attempt of its own.
    pub fn decide(&mut self, tool: &str, sent: &str, turn: Option<&str>, outcome: &Outcome<'_>) -> Decision {
        if outcome.is_ok() {
            return self.accept(tool, turn);
        }
        let is_unknown = outcome.issues().iter().any(|issue| issue.code == Code::UnknownTool);
        let row = self.refused.entry(if is_unknown { UNKNOWN } else { tool }.to_owned()).or_default();
        let attempt = attempts(row, turn) + 1;
        let remaining = self.budget.saturating_sub(attempt);
        let sent = fingerprint(tool, sent);
        let is_repeated = row.iter().any(|refused| refused.sent == sent && !is_same_turn(refused, turn));
        row.push(Refused { sent, turn: turn.map(str::to_owned) });
        if row.len() > KEPT.max(self.budget) {
            row.remove(0);
        }
        let reason = match (is_repeated, remaining) {
            (true, _) => Some(Reason::Repeated),
            (false, 0) => Some(Reason::Budget),
            (false, _) => None,
        };
        let action = if reason.is_some() { Action::Stop } else { Action::Retry };
        let message = Some(message(outcome, attempt, reason));
        Decision { action, attempt, remaining, message, reason }
    }

    /// What follows from an accepted call of `tool`: it is run, and the row of refusals has ended.
    pub fn accept(&mut self, tool: &str, turn: Option<&str>) -> Decision {
        let attempt = attempts(&self.refused.remove(tool).unwrap_or_default(), turn) + 1;
        let remaining = self.budget.saturating_sub(attempt);
        Decision { action: Action::Run, attempt, remaining, message: None, reason: None }
    }
}

fn is_same_turn(refused: &Refused, turn: Option<&str>) -> bool {
    turn.is_some() && refused.turn.as_deref() == turn
}

/// How many attempts a row holds, `turn` left out.
fn attempts(row: &[Refused], turn: Option<&str>) -> usize {
    let mut count = 0;
    let mut last: Option<&Refused> = None;
    for refused in row.iter().filter(|refused| !is_same_turn(refused, turn)) {
        if !last.is_some_and(|last| is_same_turn(last, refused.turn.as_deref())) {
            count += 1;
        }
        last = Some(refused);
    }
    count
}

/// The same for calls of the same tool with the same data, however it is written.
fn fingerprint(tool: &str, sent: &str) -> String {
    match Document::parse(sent) {
        Ok(document) => digest::call(Some(tool), document.root()),
        Err(_) => digest::hex(&Sha256::digest(format!("{}\n{}", crate::document::quoted(tool), sent.trim()))),
    }
}

/// What the model is told: from the second refusal on with the keys that there are.
fn message(outcome: &Outcome<'_>, attempt: usize, reason: Option<Reason>) -> String {
    let feedback = outcome.feedback();
    match reason {
        Some(Reason::Repeated) => {
            format!("This call was refused before and is the same again. Do not send it a third time.\n{feedback}")
        }
        Some(Reason::Budget) => {
            format!("{feedback}\nThat was the last attempt: do not call this tool again, go on without it.")
        }
        None if attempt > 1 => match outcome.hints() {
            Some(hints) => format!("{feedback}\nThe arguments are:\n{hints}"),
            None => feedback,
        },
        None => feedback,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use serde_json::json;

    fn contract() -> crate::Contract {
        let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
        Options::new().name("t").compile(&schema).unwrap()
    }

    fn decide(attempts: &mut Attempts, sent: &str, turn: Option<&str>) -> Decision {
        attempts.decide("t", sent, turn, &contract().repair(sent))
    }

    #[test]
    fn refusals_in_a_row_use_up_the_budget() {
        let mut attempts = Attempts::new(3);
        let told: Vec<_> = [r#"{"id":"a"}"#, r#"{"id":"b"}"#, r#"{"id":"c"}"#, r#"{"id":"d"}"#, r#"{"id":1}"#, "{}"]
            .map(|sent| decide(&mut attempts, sent, None))
            .into();
        let short: Vec<_> = told.iter().map(|it| (it.action, it.attempt, it.remaining, it.reason)).collect();
        assert_eq!(
            short,
            [
                (Action::Retry, 1, 2, None),
                (Action::Retry, 2, 1, None),
                (Action::Stop, 3, 0, Some(Reason::Budget)),
                (Action::Stop, 4, 0, Some(Reason::Budget)),
                (Action::Run, 5, 0, None),
                (Action::Retry, 1, 2, None),
            ]
        );
        let message = |at: usize| told[at].message.clone().unwrap_or_default();
        assert!(!message(0).contains("The arguments are") && message(1).contains("The arguments are:\n"));
        assert!(message(2).contains("last attempt"));
    }

    #[test]
    fn the_same_call_again_is_stopped_however_it_is_written() {
        for (one, two) in [("{\"id\": \"a\"}", "{ \"id\":\"\\u0061\" }"), ("{\"id\"", " {\"id\"\n")] {
            let mut attempts = Attempts::new(9);
            decide(&mut attempts, one, None);
            let again = decide(&mut attempts, two, None);
            assert_eq!((again.action, again.reason), (Action::Stop, Some(Reason::Repeated)), "{two}");
        }
    }

    #[test]
    fn calls_of_one_turn_are_one_attempt() {
        let mut attempts = Attempts::new(2);
        for sent in ["{}", "{}", r#"{"id":"a"}"#] {
            let one = decide(&mut attempts, sent, Some("1"));
            assert_eq!((one.action, one.attempt), (Action::Retry, 1), "{sent}");
        }
        let two = decide(&mut attempts, r#"{"id":"b"}"#, Some("2"));
        assert_eq!((two.attempt, two.reason), (2, Some(Reason::Budget)));
    }

    #[test]
    fn unknown_tools_are_one_row_and_the_log_survives_as_json() {
        let mut attempts = Attempts::new(2);
        let unknown = |name: &str| Outcome::unknown_tool(name, &["t"]);
        assert_eq!(attempts.decide("x", "{}", None, &unknown("x")).action, Action::Retry);
        attempts.decide("t", "{}", None, &contract().repair("{}"));
        let mut attempts = Attempts::from_json(&attempts.to_json()).unwrap();
        assert_eq!(attempts.decide("y", "{}", None, &unknown("y")).reason, Some(Reason::Budget));
        assert_eq!(decide(&mut attempts, "{}", None).reason, Some(Reason::Repeated));
        assert!(Attempts::from_json("{}").is_err());
    }
}
