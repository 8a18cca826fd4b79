//! The cases in `tests/cases`: read, checked against the core, and compared with the handed file.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, value::RawValue};
use toolmend::{Contract, Options, Policy};

use crate::Policies;
use crate::places::{Places, lines};
use crate::run::guarded;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    policies: Policies,
    /// Cases whose name or kind contains this; the core's whole answer is shown.
    filter: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(skip)]
    kind: String,
    why: String,
    tool: Option<String>,
    pub(crate) schema: Value,
    /// Options of `compile` beside the policy.
    options: Option<Value>,
    pub(crate) input: String,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expect {
    Accepted { from: String, value: String, repairs: Vec<String> },
    Refused { codes: Vec<String>, paths: Vec<String> },
}

impl Case {
    /// The case's contract at a policy.
    pub(crate) fn compile(&self, policy: Policy) -> Result<Contract> {
        let options = match &self.options {
            Some(options) => Options::from_json(options).map_err(|error| anyhow!("{error}"))?,
            None => Options::new(),
        };
        let options = match &self.tool {
            Some(tool) => options.name(tool),
            None => options,
        };
        options.policy(policy).compile(&self.schema).with_context(|| format!("case `{}`", self.name))
    }
}

/// Every case of `tests/cases`, by file name.
pub(crate) fn read(places: &Places) -> Result<Vec<Case>> {
    let folder = places.root.join("tests/cases");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("reading `{}`", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path)?;
        let mut cases: Vec<Case> =
            serde_json::from_str(&text).with_context(|| format!("reading `{}`", path.display()))?;
        let kind = path.file_stem().unwrap_or_default().to_string_lossy();
        for case in &mut cases {
            case.kind.push_str(&kind);
        }
        all.extend(cases);
    }
    ensure!(!all.is_empty(), "no cases in `{}`", folder.display());
    Ok(all)
}

pub(crate) fn run(places: &Places, args: &Args) -> Result<Vec<String>> {
    let cases = read(places)?;
    let mut failures = Vec::new();
    std::panic::set_hook(Box::new(|_| {}));
    for policy in args.policies.or(Policy::ALL) {
        let mut wrong = Vec::new();
        let mut count = 0;
        for case in &cases {
            if args.filter.as_ref().is_some_and(|filter| !case.name.contains(filter) && !case.kind.contains(filter)) {
                continue;
            }
            count += 1;
            let (wire, found) = guarded(|| check(case, policy))
                .unwrap_or_else(|panic| (String::new(), vec![format!("panicked: {panic}")]));
            if args.filter.is_some() || !found.is_empty() {
                let verdict = if found.is_empty() { "RIGHT".to_owned() } else { format!("WRONG {}", found.join("; ")) };
                println!(
                    "{} [{}] at {policy}: {verdict}\n  why     {}\n  input   {}\n  said    {wire}",
                    case.name, case.kind, case.why, case.input
                );
                println!("  expect  {}", case.expect);
            }
            if args.filter.is_some() {
                println!("  schema  {}", case.schema);
            }
            if !found.is_empty() {
                wrong.push(case.name.as_str());
            }
        }
        println!("== cases at {policy}: {} of {count} right", count - wrong.len());
        if !wrong.is_empty() {
            failures.push(format!("cases at {policy}: {} wrong: {}", wrong.len(), wrong.join(" ")));
        }
    }
    if args.filter.is_none() {
        failures.extend(compare_with_handed(places, &cases)?);
    }
    Ok(failures)
}

/// The wire text, and what is wrong with it.
fn check(case: &Case, policy: Policy) -> (String, Vec<String>) {
    let contract = match case.compile(policy) {
        Ok(contract) => contract,
        Err(error) => return (String::new(), vec![format!("{error:#}")]),
    };
    let outcome = contract.repair(&case.input);
    let mut found = Vec::new();
    let mut rules: Vec<_> = outcome.repairs().iter().map(|repair| repair.rule.as_str()).collect();
    rules.sort_unstable();
    let mut codes: Vec<_> = outcome.issues().iter().map(|issue| issue.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    match &case.expect {
        Expect::Accepted { from, value, repairs } => {
            let from: Policy = from.parse().unwrap_or_default();
            let spelling_only = !repairs.is_empty() && repairs.iter().all(|rule| rule == "canonical_integer");
            let as_it_came = policy == Policy::Strict && (repairs.is_empty() || spelling_only);
            if policy < from && !repairs.is_empty() && !as_it_came {
                if outcome.is_ok() {
                    found.push(format!("accepted below `{from}`"));
                }
            } else if let Some(got) = outcome.value() {
                let wanted = if as_it_came { &case.input } else { value };
                if !same(&got.to_string(), wanted) {
                    found.push("another value".to_owned());
                }
                let mut wanted: Vec<_> =
                    if as_it_came { Vec::new() } else { repairs.iter().map(String::as_str).collect() };
                wanted.sort_unstable();
                if rules != wanted {
                    found.push(format!("repairs {rules:?}, not {wanted:?}"));
                }
            } else {
                found.push("refused".to_owned());
            }
        }
        Expect::Refused { .. } if outcome.is_ok() => found.push("accepted".to_owned()),
        Expect::Refused { codes: wanted, paths } if policy == Policy::Lenient => {
            let mut wanted: Vec<_> = wanted.iter().map(String::as_str).collect();
            wanted.sort_unstable();
            wanted.dedup();
            if codes != wanted {
                found.push(format!("codes {codes:?}, not {wanted:?}"));
            }
            let missing: Vec<_> =
                paths.iter().filter(|path| !outcome.issues().iter().any(|issue| issue.path == **path)).collect();
            if !missing.is_empty() {
                found.push(format!("no issue at {missing:?}"));
            }
        }
        Expect::Refused { .. } => {}
    }
    (outcome.to_json(), found)
}

/// Equal with numbers exactly as written, keys in any order.
fn same(left: &str, right: &str) -> bool {
    match (serde_json::from_str::<Value>(left), serde_json::from_str::<Value>(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Handed {
    name: String,
    kind: String,
    /// Each side says it in its own words.
    #[serde(rename = "why")]
    _why: IgnoredAny,
    tool: Option<String>,
    schema: Value,
    input: String,
    expect: HandedExpect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HandedExpect {
    ok: bool,
    value: Option<Box<RawValue>>,
    repairs: Option<Vec<String>>,
    policy: Option<String>,
    codes: Option<Vec<String>>,
    paths: Option<Vec<String>>,
}

/// Every handed case is among ours, unchanged. We may have more.
fn compare_with_handed(places: &Places, cases: &[Case]) -> Result<Vec<String>> {
    let Ok(path) = places.shared("cases/cases.jsonl") else {
        println!("== handed cases: skipped, `cases/cases.jsonl` is not there");
        return Ok(Vec::new());
    };
    let handed: Vec<Handed> = lines(&path)?;
    let ours: BTreeMap<_, _> = cases.iter().map(|case| (case.name.as_str(), case)).collect();
    let mut failures = Vec::new();
    for theirs in &handed {
        match ours.get(theirs.name.as_str()) {
            None => failures.push(format!("handed case `{}` is not in tests/cases", theirs.name)),
            Some(case) => {
                let differences = differences(theirs, case);
                if !differences.is_empty() {
                    failures.push(format!("handed case `{}` differs in {}", theirs.name, differences.join(", ")));
                }
            }
        }
    }
    println!("== handed cases: {} of {} as handed", handed.len() - failures.len(), handed.len());
    Ok(failures)
}

fn differences(theirs: &Handed, ours: &Case) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut compare = |what, equal: bool| {
        if !equal {
            found.push(what);
        }
    };
    compare("kind", theirs.kind == ours.kind);
    compare("tool", theirs.tool == ours.tool);
    compare("schema", theirs.schema == ours.schema);
    compare("input", theirs.input == ours.input);
    match &ours.expect {
        Expect::Accepted { from, value, repairs } => {
            compare("ok", theirs.expect.ok);
            compare("policy", theirs.expect.policy.as_ref() == Some(from));
            compare("value", theirs.expect.value.as_ref().is_some_and(|theirs| same(theirs.get(), value)));
            compare("repairs", theirs.expect.repairs.as_ref() == Some(repairs));
        }
        Expect::Refused { codes, paths } => {
            compare("ok", !theirs.expect.ok);
            compare("codes", theirs.expect.codes.as_ref() == Some(codes));
            compare("paths", theirs.expect.paths.as_ref() == Some(paths));
        }
    }
    found
}

impl fmt::Display for Expect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expect::Accepted { from, value, repairs } => write!(formatter, "from {from}: {value} by {repairs:?}"),
            Expect::Refused { codes, paths } => write!(formatter, "refused: {codes:?} at {paths:?}"),
        }
    }
}
