//! The retries of an agent as data: how often a tool's calls were refused in a row, and what is to be done next.
//!
//! Nothing is sent and nothing is run here. A host asks after every answer of the boundary what follows from it, does that,
//! and keeps the log, which is plain JSON, for the next answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::digest;
use crate::document::Document;
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
/// new call of a model was meant to mend which refused one. An accepted call of a tool ends its row, and that of the
/// unknown ones.
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
    refused: BTreeMap<String, Row>,
    /// Those of all tools that there are none of.
    #[serde(skip_serializing_if = "Row::is_empty", default)]
    unknown: Row,
}

/// Refusals in a row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    calls: Vec<Refused>,
    /// How many attempts there were before those that are kept.
    #[serde(skip_serializing_if = "is_zero", default)]
    earlier: usize,
}

/// One refused call: what was sent, as a digest, and in which turn of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Refused {
    sent: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    turn: Option<String>,
    /// The turn in which a call was accepted after it or beside it: it is no longer one of a row, but may come again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    ended: Option<String>,
}

/// Longest list of refused calls in a row that is kept: what is older is not compared with any more.
const KEPT: usize = 256;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Row {
    fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.earlier == 0
    }

    /// How many attempts it holds, `turn` left out: the calls of one turn are one, wherever they stand.
    fn attempts(&self, turn: Option<&str>) -> usize {
        let counted = self.calls.iter().filter(|call| call.ended.is_none() && !call.is_of(turn));
        let (mut turns, mut single) = (BTreeSet::new(), 0);
        for call in counted {
            match call.turn.as_deref() {
                Some(turn) => _ = turns.insert(turn),
                None => single += 1,
            }
        }
        self.earlier.saturating_add(turns.len() + single)
    }

    /// Whether the same was refused before, in another turn than this.
    fn holds(&self, sent: &str, turn: Option<&str>) -> bool {
        self.calls.iter().any(|call| call.sent == sent && !call.is_of(turn) && call.is_near(turn))
    }

    fn push(&mut self, sent: String, turn: Option<&str>) {
        if turn.is_some() && self.calls.iter().any(|call| call.sent == sent && call.is_of(turn)) {
            return;
        }
        self.calls.retain(|call| call.is_near(turn));
        self.calls.push(Refused { sent, turn: turn.map(str::to_owned), ended: None });
        let all = self.attempts(None);
        self.calls.drain(..self.calls.len().saturating_sub(KEPT));
        self.earlier = self.earlier.saturating_add(all - self.attempts(None));
    }

    /// The row has ended, by an accepted call. A call that was refused just before may come again beside it.
    fn end(&mut self, turn: Option<&str>) {
        self.earlier = 0;
        self.calls.retain(|call| turn.is_some() && call.is_near(turn));
        for call in &mut self.calls {
            call.ended = turn.map(str::to_owned);
        }
    }
}

impl Refused {
    fn is_of(&self, turn: Option<&str>) -> bool {
        turn.is_some() && self.turn.as_deref() == turn
    }

    /// Whether it is in the row still, or was at the beginning of this turn, or in the turn that ended the row.
    fn is_near(&self, turn: Option<&str>) -> bool {
        self.ended.is_none() || self.ended.as_deref() == turn || self.ended == self.turn
    }
}

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
        Self { budget: budget.max(1), refused: BTreeMap::new(), unknown: Row::default() }
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

    /// The log as JSON text: `{"budget", "refused": {tool: row}, "unknown"?: row}`, a row being
    /// `{"calls": [{"sent", "turn"?, "ended"?}], "earlier"?}`. It holds digests of what was sent, and nothing else of it.
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
        let row =
            if outcome.is_of_no_tool() { &mut self.unknown } else { self.refused.entry(tool.to_owned()).or_default() };
        let attempt = row.attempts(turn).saturating_add(1);
        let remaining = self.budget.saturating_sub(attempt);
        let sent = fingerprint(tool, sent);
        let is_repeated = row.holds(&sent, turn);
        row.push(sent, turn);
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
        let mut attempt = 1;
        if let Some(row) = self.refused.get_mut(tool) {
            attempt = row.attempts(turn).saturating_add(1);
            row.end(turn);
            if row.is_empty() {
                self.refused.remove(tool);
            }
        }
        self.unknown.end(turn);
        let remaining = self.budget.saturating_sub(attempt);
        Decision { action: Action::Run, attempt, remaining, message: None, reason: None }
    }
}

/// The same for calls of the same tool with the same data, however the JSON is spelled; what is no JSON is the same if its
/// text is.
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
    use crate::issue::Code;
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
        // Whatever a log says, nothing overflows.
        let row = json!({"calls": [{"sent": "x"}], "earlier": usize::MAX});
        let log = json!({"budget": 2, "refused": {"t": row}});
        let mut attempts = Attempts::from_json(&log.to_string()).unwrap();
        assert_eq!(decide(&mut attempts, "{}", None).attempt, usize::MAX);
        assert_eq!(attempts.accept("t", None).attempt, usize::MAX);
    }

    #[test]
    fn many_calls_in_each_turn_use_up_the_budget_all_the_same() {
        let mut attempts = Attempts::new(10);
        let mut told = Vec::new();
        for turn in 1..=10 {
            for call in 0..100 {
                let decided = decide(&mut attempts, &format!(r#"{{"id":"{turn}-{call}"}}"#), Some(&turn.to_string()));
                assert_eq!(decided.attempt, turn, "call {call}");
                told.push(decided.action);
            }
        }
        assert!(told[..900].iter().all(|action| *action == Action::Retry));
        assert!(told[900..].iter().all(|action| *action == Action::Stop));
        assert!(attempts.to_json().len() < 64_000);
    }

    #[test]
    fn turns_that_are_answered_at_the_same_time_are_told_apart() {
        let mut attempts = Attempts::new(9);
        let told = [("a", "1"), ("b", "2"), ("c", "1"), ("d", "2"), ("e", "3")]
            .map(|(id, turn)| decide(&mut attempts, &format!(r#"{{"id":"{id}"}}"#), Some(turn)).attempt);
        assert_eq!(told, [1, 2, 2, 2, 3]);
    }

    #[test]
    fn the_same_wrong_call_is_stopped_beside_a_right_one() {
        let (bad, good) = (r#"{"id":"bad"}"#, r#"{"id":1}"#);
        for order in [[bad, good], [good, bad]] {
            let mut attempts = Attempts::new(9);
            let mut turn = |name: &str| order.map(|sent| decide(&mut attempts, sent, Some(name)).reason);
            assert_eq!(turn("1"), [None, None]);
            assert!(turn("2").contains(&Some(Reason::Repeated)), "{order:?}");
        }
        // What came long before the accepted call is over.
        let mut attempts = Attempts::new(9);
        for (sent, turn) in [(bad, "1"), (good, "2"), (good, "3"), (bad, "4")] {
            assert_eq!(decide(&mut attempts, sent, Some(turn)).reason, None, "{turn}");
        }
        assert_eq!(decide(&mut attempts, bad, Some("5")).reason, Some(Reason::Repeated));
    }

    #[test]
    fn an_accepted_call_ends_the_row_of_unknown_tools() {
        let mut attempts = Attempts::new(2);
        for name in ["a", "b", "c"] {
            let unknown = Outcome::unknown_tool(name, &["t"]);
            assert_eq!(attempts.decide(name, "{}", None, &unknown).action, Action::Retry, "{name}");
            decide(&mut attempts, r#"{"id":1}"#, None);
        }
        // A tool may have any name, and its guard any code.
        let contract = Options::new().compile(&json!({"type": "object"})).unwrap();
        let refused = contract.refuse(vec![crate::Issue::new(Code::UnknownTool, "", "no such user")]);
        attempts.decide("", "{}", None, &refused);
        let unknown = Outcome::unknown_tool("d", &["t"]);
        assert_eq!(attempts.decide("d", "{}", None, &unknown).attempt, 1);
    }
}
