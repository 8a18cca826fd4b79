//! The shared cases of `tests/cases`, at every policy.

mod shared;

use std::collections::BTreeSet;

use serde_json::Value;
use shared::{Case, Expect, cases};
use toolmend::Policy;

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}

/// What is wrong with the outcome of a case at a policy, if anything.
fn fault(case: &Case, policy: Policy) -> Option<String> {
    let contract = case.contract(policy);
    let outcome = contract.repair(&case.input);
    let told = outcome.to_json();
    assert_eq!(told, serde_json::to_string(&outcome).unwrap());
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
