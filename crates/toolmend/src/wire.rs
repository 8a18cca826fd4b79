//! The wire shape of an outcome, written straight into text: what `Serialize` gives, to the byte.

use serde_json::Value;

use crate::document::write_string as text;
use crate::issue::{Issue, Json, Received, Span};
use crate::outcome::{Outcome, Repair};

/// An object or array that is being written.
struct List<'o> {
    out: &'o mut String,
    closer: char,
    begun: bool,
}

fn object(out: &mut String) -> List<'_> {
    out.push('{');
    List { out, closer: '}', begun: false }
}

fn array(out: &mut String) -> List<'_> {
    out.push('[');
    List { out, closer: ']', begun: false }
}

impl List<'_> {
    fn next(&mut self) -> &mut String {
        if self.begun {
            self.out.push(',');
        }
        self.begun = true;
        self.out
    }

    /// A member; its value is written into what this gives. The key needs no escape.
    fn key(&mut self, key: &str) -> &mut String {
        let out = self.next();
        out.push('"');
        out.push_str(key);
        out.push_str("\":");
        out
    }

    fn text(&mut self, key: &str, value: &str) {
        text(self.key(key), value);
    }

    fn text_if(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    fn json_if(&mut self, key: &str, value: Option<&Json>) {
        if let Some(value) = value {
            self.key(key).push_str(value.as_str());
        }
    }

    fn number(&mut self, key: &str, value: usize) {
        self.key(key).push_str(&value.to_string());
    }

    fn end(self) {
        self.out.push(self.closer);
    }
}

pub(crate) fn outcome(outcome: &Outcome<'_>) -> String {
    let mut out = String::with_capacity(512);
    let mut wire = object(&mut out);
    wire.text("status", outcome.status().as_str());
    if let Some(value) = outcome.value() {
        value.write_to(wire.key("value"));
    }
    let mut repairs = array(wire.key("repairs"));
    for one in outcome.repairs() {
        repair(repairs.next(), one);
    }
    repairs.end();
    for (key, list) in [("issues", outcome.issues()), ("warnings", outcome.warnings())] {
        let mut issues = array(wire.key(key));
        for one in list {
            issue(issues.next(), one);
        }
        issues.end();
    }
    wire.end();
    out
}

fn repair(out: &mut String, repair: &Repair) {
    let mut wire = object(out);
    wire.text("rule", repair.rule.as_str());
    wire.text("path", &repair.path);
    wire.json_if("before", repair.before.as_ref());
    wire.json_if("after", repair.after.as_ref());
    if repair.lossy {
        wire.key("lossy").push_str("true");
    }
    wire.end();
}

fn issue(out: &mut String, issue: &Issue) {
    let mut wire = object(out);
    wire.text("code", issue.code.as_str());
    wire.text("path", &issue.path);
    wire.text_if("keyword", issue.keyword.as_deref());
    wire.text_if("schema", issue.schema.as_deref());
    if let Some(expected) = &issue.expected {
        json(wire.key("expected"), expected);
    }
    if let Some(Received { kind, preview }) = &issue.received {
        let mut received = object(wire.key("received"));
        received.text("type", kind);
        received.text_if("preview", preview.as_deref());
        received.end();
    }
    wire.text("hint", &issue.hint);
    wire.text_if("reason", issue.reason.as_deref());
    if !issue.candidates.is_empty() {
        let mut candidates = array(wire.key("candidates"));
        for candidate in &issue.candidates {
            candidates.next().push_str(candidate.as_str());
        }
        candidates.end();
    }
    if let Some(Span { offset, line, column }) = issue.span {
        let mut span = object(wire.key("span"));
        span.number("offset", offset);
        span.number("line", line);
        span.number("column", column);
        span.end();
    }
    wire.end();
}

/// A value of the schema.
fn json(out: &mut String, value: &Value) {
    match value {
        Value::String(value) => text(out, value),
        Value::Array(items) => {
            let mut list = array(out);
            for item in items {
                json(list.next(), item);
            }
            list.end();
        }
        Value::Object(members) => {
            let mut wire = object(out);
            for (key, value) in members {
                let out = wire.next();
                text(out, key);
                out.push(':');
                json(out, value);
            }
            wire.end();
        }
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(number.as_str()),
    }
}
