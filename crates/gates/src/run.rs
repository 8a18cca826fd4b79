//! Runs the core on several threads; a panic of the core is an answer like any other.

use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use serde_json::Value;
use toolmend::{Contract, Options, Outcome, Policy};

use crate::item::{Answer, Item};

/// Does `work` for every element of `items`, in order of the results, on `threads` threads.
pub(crate) fn parallel<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                // Deep schemas and values need more than a thread's usual stack when nothing is inlined.
                std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, || {
                    let mut done = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(item) = items.get(at) else { return done };
                        done.push((at, work(item)));
                    }
                })
            })
            .collect();
        workers.into_iter().flatten().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The core's answer to every item, in their order.
pub(crate) fn answers(
    items: &[Item],
    schemas: &HashMap<String, Value>,
    policy: Policy,
    threads: usize,
) -> Result<Vec<Answer>> {
    // Items of one tool lie together, so that its schema is compiled once.
    let mut groups: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        groups.entry((&item.schema, &item.tool)).or_default().push(at);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|((schema, tool), members)| (std::cmp::Reverse(members.len()), *schema, *tool));

    let done = parallel(&groups, threads, |((schema, tool), members)| -> Result<Vec<(usize, Answer)>> {
        let schema_value = schemas.get(*schema).with_context(|| format!("no schema `{schema}`"))?;
        let contract = Options::new().policy(policy).name(*tool).compile(schema_value);
        Ok(members
            .iter()
            .filter_map(|at| Some((*at, items.get(*at)?)))
            .map(|(at, item)| {
                let answer = match &contract {
                    Ok(contract) => answer(contract, &item.input),
                    Err(error) => failed(&error.to_string(), false),
                };
                (at, answer)
            })
            .collect())
    });
    let mut all: Vec<_> = done.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    all.sort_by_key(|(at, _)| *at);
    Ok(all.into_iter().map(|(_, answer)| answer).collect())
}

fn answer(contract: &Contract, input: &str) -> Answer {
    guarded(|| {
        let outcome = contract.repair(input);
        Answer {
            value: outcome.value().map(|value| value.to_string()),
            codes: outcome.issues().iter().map(|issue| issue.code.as_str()).collect(),
            paths: outcome.issues().iter().map(|issue| issue.path.clone()).collect(),
            wire: outcome.to_json(),
            panicked: false,
        }
    })
    .unwrap_or_else(|message| failed(&format!("panicked: {message}"), true))
}

fn failed(message: &str, panicked: bool) -> Answer {
    Answer { value: None, codes: Vec::new(), paths: Vec::new(), wire: message.to_owned(), panicked }
}

/// The result of `work`, or the message of its panic.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default()
    })
}

/// An outcome in the parts that do not depend on the order in which a schema was written.
pub(crate) fn essence(outcome: &Outcome<'_>) -> String {
    let value = outcome.value().map(|value| value.to_string());
    let mut issues: Vec<_> = outcome.issues().iter().map(|issue| (issue.code.as_str(), issue.path.as_str())).collect();
    issues.sort_unstable();
    let mut warnings: Vec<_> =
        outcome.warnings().iter().map(|issue| (issue.code.as_str(), issue.path.as_str())).collect();
    warnings.sort_unstable();
    format!("{value:?} repairs {:?} issues {issues:?} warnings {warnings:?}", outcome.repairs())
}
