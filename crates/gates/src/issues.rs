//! Whether fixing exactly what a refusal names makes the call valid, and whether it names only what is wrong.
//!
//! For every item that must be refused and whose truth is known: the truth's values are put at the named pointers, the
//! missing keys added and the unknown ones removed; the call must then be accepted.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use serde_json::{Map, Value};
use toolmend::{Code, Issue, Options, Policy};

use crate::item::{Expect, Item, Schema, same};
use crate::places::{Places, lines};
use crate::run::parallel;

/// Kinds that a handed case decides otherwise. `disc_other_arm`: a tag that belongs to other fields. Which of the two is
/// wrong cannot be known; the tag is believed and the fields are named (case `enum-arm-with-foreign-fields-closed`), where
/// the truth of these items is that the tag was wrong.
const DECIDED: [&str; 1] = ["disc_other_arm"];

/// The least share of refusals that are complete, and of pointers that name what is wrong.
const SHARE: f64 = 0.98;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Show this many refusals that fall short.
    #[arg(long, default_value_t = 0)]
    list: usize,
}

#[derive(Default)]
struct Judged {
    complete: bool,
    right: Vec<String>,
    pointers: usize,
    told: String,
}

pub(crate) fn run(places: &Places, threads: usize, args: &Args) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    for set in ["corpus", "unions"] {
        let folder = places.shared(set)?;
        let schemas: HashMap<_, _> = lines::<Schema>(&folder.join("schemas.jsonl"))?
            .into_iter()
            .map(|entry| (entry.sid, entry.schema))
            .collect();
        let mut items: Vec<Item> = lines(&folder.join("items.jsonl"))?;
        items.retain(|item| item.expect == Expect::Refuse && !item.contested && item.truth.is_some());
        let decided = items.iter().filter(|item| DECIDED.contains(&item.kind.as_str())).count();
        items.retain(|item| !DECIDED.contains(&item.kind.as_str()));
        if decided > 0 {
            println!("left out: {decided} items of {DECIDED:?}, which a handed case decides otherwise");
        }
        let judged = parallel(&items, threads, |item| schemas.get(&item.schema).and_then(|schema| judge(item, schema)));
        let judged: Vec<(&Item, &Judged)> =
            items.iter().zip(&judged).filter_map(|(item, judged)| Some((item, judged.as_ref()?))).collect();

        let complete = judged.iter().filter(|(_, judged)| judged.complete).count();
        let pointers: usize = judged.iter().map(|(_, judged)| judged.pointers).sum();
        let wrong = pointers - judged.iter().map(|(_, judged)| judged.right.len()).sum::<usize>();
        println!("\n== issues of {set}: {} refusals at lenient", judged.len());
        println!(
            "fixing what is named makes the call valid: {complete} of {} ({:.2} %)",
            judged.len(),
            percent(complete, judged.len())
        );
        println!("pointers that name what is wrong: {wrong} of {pointers} ({:.2} %)", percent(wrong, pointers));
        let mut kinds: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
        for (item, judged) in &judged {
            let kind = kinds.entry(&item.kind).or_default();
            kind.0 += 1;
            kind.1 += usize::from(!judged.complete);
            kind.2 += judged.right.len();
        }
        for (kind, (count, incomplete, right)) in
            kinds.iter().filter(|(_, (_, incomplete, right))| incomplete + right > 0)
        {
            println!("  {kind:<36} {count:>5}: {incomplete} incomplete, {right} pointers to what was right");
        }
        let short = judged.iter().filter(|(_, judged)| !judged.complete || !judged.right.is_empty());
        for (item, judged) in short.take(args.list) {
            let input: String = item.input.chars().take(700).collect();
            println!(
                "{} complete {} right {:?}\n  input {input}\n  said  {}\n  truth {:.700}",
                item.id,
                judged.complete,
                judged.right,
                judged.told,
                item.truth.as_ref().map_or("", |truth| truth.get())
            );
        }
        for (what, count, of) in [("complete", complete, judged.len()), ("precise", wrong, pointers)] {
            if percent(count, of) < SHARE * 100.0 {
                failures.push(format!("issues of {set}: {what} in {count} of {of}"));
            }
        }
    }
    Ok(failures)
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn judge(item: &Item, schema: &Value) -> Option<Judged> {
    let contract = Options::new().policy(Policy::Lenient).name(&item.tool).compile(schema).ok()?;
    let outcome = contract.repair(&item.input);
    if outcome.is_ok() {
        return None;
    }
    let truth: Value = serde_json::from_str(item.truth.as_ref()?.get()).ok()?;
    let told = outcome
        .issues()
        .iter()
        .map(|issue| format!("{} {} ({})", issue.code, issue.path, issue.hint))
        .collect::<Vec<_>>()
        .join("; ");
    // Where nothing can be read as JSON the whole text is named, and the truth replaces it.
    let anything = Options::new().policy(Policy::Lenient).compile(&Value::Bool(true)).ok()?;
    let read = anything.repair(&item.input);
    let Some(mut call) = read.value().and_then(|value| serde_json::from_str::<Value>(&value.to_string()).ok()) else {
        let whole = outcome.issues().iter().all(|issue| {
            !issue.path.is_empty() && issue.code == Code::DuplicateKey
                || issue.path.is_empty()
                || issue.code == Code::InvalidUnicode
        });
        return Some(Judged { complete: whole, pointers: outcome.issues().len(), told, ..Judged::default() });
    };
    // Two things may be wrong with one value; it is one place all the same.
    let mut places: Vec<&Issue> = Vec::new();
    for issue in outcome.issues() {
        if !places.iter().any(|other| other.path == issue.path) {
            places.push(issue);
        }
    }
    let mut judged = Judged { pointers: places.len(), told, ..Judged::default() };
    for issue in places {
        if fix(&mut call, &truth, issue) {
            judged.right.push(issue.path.clone());
        }
    }
    judged.complete = contract.repair(&call.to_string()).is_ok();
    Some(judged)
}

fn tokens(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

fn fold(key: &str) -> String {
    key.replace(['-', '_'], "").to_ascii_lowercase()
}

/// Puts the truth where an issue points, and tells whether what stood there was right.
fn fix(call: &mut Value, truth: &Value, issue: &Issue) -> bool {
    let tokens = tokens(&issue.path);
    let Some((last, parents)) = tokens.split_last() else {
        let right = same(call, truth);
        *call = truth.clone();
        return right;
    };
    let mut at = call;
    let mut meant = Some(truth);
    for token in parents {
        decode(at);
        meant = meant.and_then(|meant| below(meant, token, at));
        let next = match at {
            Value::Object(object) => object.get_mut(token),
            Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return false,
        }
    }
    decode(at);
    let wanted = meant.and_then(|meant| below(meant, last, at)).cloned();
    match at {
        Value::Object(object) => {
            let came = object.get(last).cloned();
            match (issue.code, wanted) {
                (Code::UnknownProperty, wanted) => {
                    object.shift_remove(last);
                    wanted.is_some() && meant.and_then(Value::as_object).is_some_and(|meant| meant.contains_key(last))
                }
                (_, Some(wanted)) => {
                    let right = came.as_ref().is_some_and(|came| same(came, &wanted));
                    object.insert(last.clone(), wanted);
                    right
                }
                (_, None) => {
                    object.shift_remove(last);
                    false
                }
            }
        }
        Value::Array(items) => {
            let Some(item) = last.parse::<usize>().ok().and_then(|index| items.get_mut(index)) else { return false };
            let Some(wanted) = wanted else { return false };
            let right = same(item, &wanted);
            *item = wanted;
            right
        }
        _ => false,
    }
}

/// Text that holds JSON counts as the value it holds.
fn decode(value: &mut Value) {
    while let Value::String(text) = value {
        match serde_json::from_str::<Value>(text) {
            Ok(decoded @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => *value = decoded,
            _ => return,
        }
    }
}

/// The truth below a token: under the declared spelling of a key, and still the same under an envelope.
fn below<'t>(meant: &'t Value, token: &str, at: &Value) -> Option<&'t Value> {
    match meant {
        Value::Object(object) => {
            let spelled = |object: &'t Map<String, Value>| {
                object.iter().find(|(key, _)| fold(key) == fold(token)).map(|(_, value)| value)
            };
            let envelope = at.as_object().is_some_and(|at| at.len() <= 2);
            object.get(token).or_else(|| spelled(object)).or_else(|| envelope.then_some(meant))
        }
        Value::Array(items) => match (at, token.parse::<usize>()) {
            (Value::Array(_), Ok(index)) => items.get(index),
            // A list of one that came without its brackets, or inside a wrapper.
            _ => items.first().filter(|_| items.len() == 1).or(Some(meant)),
        },
        _ => None,
    }
}
