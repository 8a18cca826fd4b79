//! One item of a corpus, what the core said to it, and whether that was right.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use toolmend::Policy;

#[derive(Deserialize)]
pub(crate) struct Schema {
    pub(crate) sid: String,
    pub(crate) schema: Value,
}

#[derive(Deserialize)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) schema: String,
    /// What was meant, where it is known.
    pub(crate) truth: Option<Box<RawValue>>,
    pub(crate) input: String,
    pub(crate) kind: String,
    pub(crate) expect: Expect,
    pub(crate) tier: String,
    pub(crate) detail: Box<RawValue>,
    #[serde(default)]
    pub(crate) contested: bool,
    /// A pointer that must be among the issues' paths when the item is refused.
    pub(crate) path: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expect {
    Recover,
    Unchanged,
    Refuse,
}

/// What the core said: as the scorer reads it, and the whole wire text for a reader.
pub(crate) struct Answer {
    pub(crate) value: Option<String>,
    pub(crate) codes: Vec<&'static str>,
    pub(crate) paths: Vec<String>,
    pub(crate) wire: String,
    pub(crate) panicked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Verdict {
    /// The core panicked.
    Panicked,
    /// Accepted with another value than was meant.
    SilentWrong,
    /// Accepted though only a wider policy may mend it.
    OverPolicy,
    /// Refused though it was to be mended, or to be left as it is.
    NotRecovered,
    /// Refused, but not at the place that is wrong.
    WrongPath,
    /// Accepted with the right value where it should have been refused.
    Lucky,
    Right,
}

impl Verdict {
    pub(crate) const MISSES: [Verdict; 6] = [
        Verdict::Panicked,
        Verdict::SilentWrong,
        Verdict::OverPolicy,
        Verdict::NotRecovered,
        Verdict::WrongPath,
        Verdict::Lucky,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Panicked => "panicked",
            Verdict::SilentWrong => "silent wrong",
            Verdict::OverPolicy => "over policy",
            Verdict::NotRecovered => "not recovered",
            Verdict::WrongPath => "wrong path",
            Verdict::Lucky => "lucky",
            Verdict::Right => "right",
        }
    }
}

impl Item {
    /// Judges as `score.py` does, and the path of a refusal beside it.
    pub(crate) fn judge(&self, answer: &Answer, policy: Policy) -> Verdict {
        if answer.panicked {
            return Verdict::Panicked;
        }
        let Some(value) = &answer.value else {
            let wanted = self.path.as_ref().filter(|_| self.expect == Expect::Refuse);
            return match wanted {
                _ if self.expect != Expect::Refuse && !self.is_above(policy) => Verdict::NotRecovered,
                Some(path) if !answer.paths.contains(path) => Verdict::WrongPath,
                _ => Verdict::Right,
            };
        };
        let is_truth = self.truth.as_ref().is_some_and(|truth| same_text(truth.get(), value));
        match self.expect {
            _ if !is_truth => Verdict::SilentWrong,
            Expect::Refuse => Verdict::Lucky,
            Expect::Recover if self.is_above(policy) => Verdict::OverPolicy,
            _ => Verdict::Right,
        }
    }

    /// Whether only a wider policy may mend it.
    fn is_above(&self, policy: Policy) -> bool {
        self.expect == Expect::Recover && self.tier.parse::<Policy>().is_ok_and(|tier| tier > policy)
    }
}

fn same_text(left: &str, right: &str) -> bool {
    match (serde_json::from_str(left), serde_json::from_str(right)) {
        (Ok(left), Ok(right)) => same(&left, &right),
        _ => false,
    }
}

/// Equal as the scorer has it: numbers by value, keys in any order.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            let (left, right) = (left.to_string(), right.to_string());
            left == right
                || match (left.parse::<i128>(), right.parse::<i128>()) {
                    (Ok(left), Ok(right)) => left == right,
                    _ => left.parse::<f64>().ok() == right.parse::<f64>().ok(),
                }
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_keys_in_any_order() {
        assert!(same_text(r#"{"a": 5, "b": [1e2]}"#, r#"{"b":[100],"a":5.0}"#));
        assert!(!same_text("123456789012345678", "123456789012345679"));
        assert!(!same_text("true", "1"));
    }
}
