//! The answer to one call.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use crate::collections::sorted_by;
use crate::contract::Contract;
use crate::digest;
use crate::document::{Document, Node, quoted};
use crate::feedback::{Feedback, FeedbackFormat};
use crate::issue::{Code, Issue, Json, Received};
use crate::patch;
use crate::pointer::folded;
use crate::policy::Rule;
use crate::wire;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Valid as it came.
    Unchanged,
    /// Valid after the listed repairs.
    Repaired,
    /// Not valid; nothing was changed.
    Refused,
}

impl Status {
    /// Every status.
    pub const ALL: &'static [Status] = &[Status::Unchanged, Status::Repaired, Status::Refused];

    /// The status as it stands on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Unchanged => "unchanged",
            Status::Repaired => "repaired",
            Status::Refused => "refused",
        }
    }
}

/// One change that was made. Applied in order to the parsed input, the repairs of an outcome give its value; undone in
/// reverse order they give the input back.
///
/// `path` keeps the keys that were sent, and goes on into decoded text as into the value that it holds. A rule on the
/// raw text has path `""` and the text as a JSON string in `before`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// What was done.
    pub rule: Rule,
    /// JSON Pointer into the input; for `rename_key` and `drop_null`, to the member.
    pub path: String,
    /// The value before; for `rename_key`, the key; nothing where a member was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Json>,
    /// The value after; for `rename_key`, the key; nothing where a member was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Json>,
    /// Whether something was lost. Only a rule that a host asked for by name loses anything.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
}

/// The answer to one call: canonical arguments with every repair, or a refusal with every issue.
#[derive(Debug, Clone)]
pub struct Outcome<'a> {
    document: Option<Document<'a>>,
    repairs: Vec<Repair>,
    issues: Vec<Issue>,
    warnings: Vec<Issue>,
    contract: Option<Contract>,
}

impl<'a> Outcome<'a> {
    pub(crate) fn accepted(document: Document<'a>, repairs: Vec<Repair>, warnings: Vec<Issue>) -> Self {
        Self { document: Some(document), repairs, issues: Vec::new(), warnings, contract: None }
    }

    /// The same outcome, which knows the contract that it is of.
    pub(crate) fn of(self, contract: &Contract) -> Self {
        Self { contract: Some(contract.clone()), ..self }
    }

    /// A refusal that no contract gives: an unknown tool. [`Contract::refuse`] is for a contract's own calls.
    #[must_use]
    pub fn refused(issues: Vec<Issue>) -> Self {
        Self { document: None, repairs: Vec::new(), issues, warnings: Vec::new(), contract: None }
    }

    /// The refusal of a call of a tool that is none of `names`; those that are written nearly like it come first among the
    /// candidates.
    #[must_use]
    pub fn unknown_tool(name: &str, names: &[&str]) -> Self {
        // The name is the model's own word: how much of it is looked at has a bound.
        let start: String = name.chars().take(Self::MAX_NAME).collect();
        let scored = names.iter().map(|known| (similarity(&start, known), *known)).collect();
        let mut near = sorted_by(scored, |one: &(f64, &str), two| two.0.total_cmp(&one.0));
        near.truncate(Self::MAX_NAMES);
        let told: Vec<String> = near.iter().map(|(_, name)| format!("`{name}`")).collect();
        let hint = match told.as_slice() {
            [] => "there is no tool to call".to_owned(),
            _ if names.len() > told.len() => format!("there is no such tool; the nearest are {}", told.join(", ")),
            _ => format!("there is no such tool; there are {}", told.join(", ")),
        };
        let mut issue = Issue::new(Code::UnknownTool, "", hint);
        issue.received = Some(Received::new("string", Some(&quoted(name))));
        issue.candidates = near.into_iter().map(|(_, name)| Json::string(name)).collect();
        Self::refused(vec![issue])
    }

    /// Most names that [`unknown_tool`](Self::unknown_tool) tells.
    const MAX_NAMES: usize = 12;

    /// How many characters of a name are compared with those that there are.
    const MAX_NAME: usize = 128;

    /// Whether it is the refusal of a call that there is no tool for; what a guard says of a tool never is.
    pub(crate) fn is_of_no_tool(&self) -> bool {
        self.contract.is_none() && self.issues.iter().any(|issue| issue.code == Code::UnknownTool)
    }

    /// What became of the call.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.document {
            None => Status::Refused,
            Some(_) if self.repairs.is_empty() => Status::Unchanged,
            Some(_) => Status::Repaired,
        }
    }

    /// Whether there is a value to run with.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.document.is_some()
    }

    /// The canonical arguments; nothing when refused. `to_string` gives their canonical JSON text.
    #[must_use]
    pub fn value(&self) -> Option<Node<'_>> {
        self.document.as_ref().map(Document::root)
    }

    /// Every repair, in the order in which they apply.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Why the call was refused, in document order; empty when it was not.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// What is valid but looks wrong.
    #[must_use]
    pub fn warnings(&self) -> &[Issue] {
        &self.warnings
    }

    /// The refusal in words for the model; nothing to say when the call was not refused.
    #[must_use]
    pub fn feedback(&self) -> String {
        Feedback::default().render(&self.issues)
    }

    /// The refusal for the model in another form or length.
    #[must_use]
    pub fn feedback_as(&self, format: FeedbackFormat, max_bytes: usize) -> String {
        Feedback { format, max_bytes }.render(&self.issues)
    }

    /// The repairs as an RFC 6902 JSON Patch: applied to the parsed input it gives the value. Where a rule changed the
    /// raw text the first operation replaces the whole document. What is redacted is masked here too: such a patch is to
    /// be read and not applied.
    #[must_use]
    pub fn patch(&self) -> String {
        patch::render(&self.repairs)
    }

    /// One line for a log, as JSON text, that holds nothing of what was sent: fingerprint of the schema, tool, policy,
    /// status, rules, codes, and paths with `*` for every key that the schema does not declare.
    #[must_use]
    pub fn log(&self) -> String {
        let path = |path: &str| match &self.contract {
            Some(contract) => contract.declared_path(path),
            None => String::new(),
        };
        let issues = |issues: &[Issue]| -> Vec<_> {
            issues.iter().map(|issue| json!({"code": issue.code.as_str(), "path": path(&issue.path)})).collect()
        };
        let repairs =
            self.repairs.iter().map(|repair| json!({"rule": repair.rule.as_str(), "path": path(&repair.path)}));
        let contract = self.contract.as_ref();
        json!({
            "schema": contract.map(Contract::fingerprint),
            "tool": contract.and_then(Contract::name),
            "policy": contract.map(|contract| contract.policy().as_str()),
            "status": self.status().as_str(),
            "repairs": repairs.collect::<Vec<_>>(),
            "issues": issues(&self.issues),
            "warnings": issues(&self.warnings),
        })
        .to_string()
    }

    /// What the call is known by: SHA-256 in 64 hexadecimal digits over `{"arguments", "name"}` in the canonical form of
    /// RFC 8785, so that what was approved is what runs. `name` is the contract's, or `null`. Where no double holds a
    /// number exactly the digested object has a third member, `numbers`, with its digits by JSON Pointer: RFC 8785 alone
    /// would round them. Nothing when refused.
    #[must_use]
    pub fn digest(&self) -> Option<String> {
        let name = self.contract.as_ref().and_then(Contract::name);
        self.value().map(|value| digest::call(name, value))
    }

    /// What the contract wants, for a refusal that has one.
    pub(crate) fn hints(&self) -> Option<String> {
        self.contract.as_ref().map(|contract| contract.hints(Feedback::default().max_bytes))
    }

    /// The wire shape as JSON text, the same in every language.
    #[must_use]
    pub fn to_json(&self) -> String {
        wire::outcome(self)
    }

    /// The same outcome, independent of the text that was repaired.
    #[must_use]
    pub fn into_owned(self) -> Outcome<'static> {
        Outcome {
            document: self.document.map(Document::into_owned),
            repairs: self.repairs,
            issues: self.issues,
            warnings: self.warnings,
            contract: self.contract,
        }
    }
}

/// How much two names have in common, from 0 to 1; case, `-` and `_` tell none apart.
fn similarity(one: &str, two: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&folded(one), &folded(two))
}

impl Serialize for Outcome<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("status", self.status().as_str())?;
        if let Some(value) = self.value() {
            map.serialize_entry("value", &Json::from(value))?;
        }
        map.serialize_entry("repairs", &self.repairs)?;
        map.serialize_entry("issues", &self.issues)?;
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}
