//! The shared cases of `tests/cases`, at every policy.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use toolmend::{Options, Outcome, Policy};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[expect(dead_code, reason = "for the reader of the case")]
    why: String,
    tool: Option<String>,
    schema: Value,
    #[serde(default)]
    options: Value,
    input: String,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Expect {
    Accepted { from: String, value: String, repairs: Vec<String> },
    Refused { codes: Vec<String>, paths: Vec<String> },
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let read = |file: &PathBuf| -> Vec<Case> {
        serde_json::from_str(&fs::read_to_string(file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().flat_map(read).collect()
}

fn outcome(case: &Case, policy: Policy) -> Outcome<'_> {
    let options = if case.options.is_null() { Value::Object(serde_json::Map::new()) } else { case.options.clone() };
    let mut options = Options::from_json(&options).unwrap().policy(policy);
    if let Some(name) = &case.tool {
        options = options.name(name);
    }
    options.compile(&case.schema).unwrap().repair(&case.input)
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}

/// What is wrong with the outcome of a case at a policy, if anything.
fn fault(case: &Case, policy: Policy) -> Option<String> {
    let outcome = outcome(case, policy);
    let told = outcome.to_json();
    let rules: Vec<String> = outcome.repairs().iter().map(|repair| repair.rule.to_string()).collect();
    match &case.expect {
        Expect::Accepted { from, value, repairs } => {
            let from: Policy = from.parse().unwrap();
            let respelled = !repairs.is_empty() && repairs.iter().all(|rule| rule == "canonical_integer");
            if policy == Policy::Strict && respelled {
                return (outcome.status().as_str() != "unchanged").then_some(told);
            }
            if policy < from && !repairs.is_empty() {
                return outcome.is_ok().then_some(told);
            }
            let same = outcome.value().is_some_and(|node| same(&node.to_string(), value));
            (!same || sorted(rules) != sorted(repairs.clone())).then_some(told)
        }
        Expect::Refused { codes, paths } => {
            if outcome.is_ok() {
                return Some(told);
            }
            if policy != Policy::Lenient {
                return None;
            }
            let found: BTreeSet<&str> = outcome.issues().iter().map(|issue| issue.code.as_str()).collect();
            let wanted: BTreeSet<&str> = codes.iter().map(String::as_str).collect();
            let told_paths = paths.iter().all(|path| outcome.issues().iter().any(|issue| issue.path == *path));
            (found != wanted || !told_paths).then_some(told)
        }
    }
}

/// Equal as JSON, numbers as they are written, members in any order.
fn same(one: &str, two: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    read(one) == read(two)
}

#[test]
fn every_case_is_right_at_every_policy() {
    let cases = cases();
    assert!(cases.len() >= 261, "only {} cases", cases.len());
    let mut faults = Vec::new();
    for case in &cases {
        for policy in Policy::ALL {
            if let Some(told) = fault(case, *policy) {
                faults.push(format!("{} at {policy}: {told}", case.name));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn names_are_unique() {
    let cases = cases();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len());
}
