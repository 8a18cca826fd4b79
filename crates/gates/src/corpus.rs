//! The corpora: predictions for `score.py`, its figures against what is wanted, and a readable list of the misses.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{json, value::RawValue};
use toolmend::Policy;

use crate::item::{Answer, Expect, Item, Schema, Verdict};
use crate::places::{Places, lines};
use crate::{Policies, run as runner};

/// The least share of recoverable calls that must be recovered.
const RECOVERY: f64 = 0.995;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) policies: Policies,
    /// Show this many misses with their input, answer and truth.
    #[arg(long, visible_alias = "list-wrong", default_value_t = 0)]
    list: usize,
    /// Show misses of this sort only: `panicked`, `wrong`, `over`, `not-recovered`, `path`, `lucky`.
    #[arg(long)]
    only: Option<String>,
    /// Items whose kind contains this.
    #[arg(long)]
    kind: Option<String>,
    /// Items whose id contains this; they are shown in full, right or wrong.
    #[arg(long)]
    id: Option<String>,
    /// Also list what the corpus itself marks as contested.
    #[arg(long)]
    contested: bool,
    /// Print the scorer's whole table of kinds.
    #[arg(long)]
    table: bool,
}

impl Args {
    pub(crate) fn is_filtered(&self) -> bool {
        self.kind.is_some() || self.id.is_some()
    }

    fn wants(&self, item: &Item) -> bool {
        self.kind.as_ref().is_none_or(|kind| item.kind.contains(kind))
            && self.id.as_ref().is_none_or(|id| item.id.contains(id))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Set {
    Corpus,
    Unions,
}

impl Set {
    fn folder(self) -> &'static str {
        match self {
            Set::Corpus => "corpus",
            Set::Unions => "unions",
        }
    }
}

pub(crate) fn run(places: &Places, threads: usize, set: Set, args: &Args) -> Result<Vec<String>> {
    let folder = places.shared(set.folder())?;
    let schemas: HashMap<_, _> =
        lines::<Schema>(&folder.join("schemas.jsonl"))?.into_iter().map(|entry| (entry.sid, entry.schema)).collect();
    let mut items: Vec<Item> = lines(&folder.join("items.jsonl"))?;
    if matches!(set, Set::Corpus) {
        items.extend(lines::<Item>(&folder.join("wild.jsonl"))?);
    }
    items.retain(|item| args.wants(item));
    if items.is_empty() {
        bail!("no item is of that kind or has that id");
    }
    // A panic is listed with its item; the default hook would print each one into the tables.
    std::panic::set_hook(Box::new(|_| {}));

    let mut failures = Vec::new();
    for policy in args.policies.or(&[Policy::Narrow, Policy::Adapter, Policy::Lenient]) {
        let start = Instant::now();
        let answers = runner::answers(&items, &schemas, policy, threads)?;
        println!("\n== {} at {policy}: {} items in {:.1?}", set.folder(), items.len(), start.elapsed());
        let judged: Vec<_> =
            items.iter().zip(&answers).map(|(item, answer)| (item, answer, item.judge(answer, policy))).collect();
        list(&judged, &schemas, args);
        kinds(&judged);
        let predictions = places.output(&format!("gates/{}-{policy}.jsonl", set.folder()))?;
        write_predictions(&predictions, &judged)?;
        let score = score(&folder, &predictions, policy, args)?;
        failures.extend(
            shortfalls(&score, &judged, policy).into_iter().map(|text| format!("{} at {policy}: {text}", set.folder())),
        );
    }
    Ok(failures)
}

type Judged<'a> = (&'a Item, &'a Answer, Verdict);

/// One line a kind with misses: where to look first.
fn kinds(judged: &[Judged<'_>]) {
    let mut kinds: BTreeMap<&str, (usize, BTreeMap<Verdict, usize>)> = BTreeMap::new();
    for (item, _, verdict) in judged.iter().filter(|(item, ..)| !item.contested) {
        let entry = kinds.entry(&item.kind).or_default();
        entry.0 += 1;
        if *verdict != Verdict::Right {
            *entry.1.entry(*verdict).or_default() += 1;
        }
    }
    for (kind, (count, misses)) in kinds.iter().filter(|(_, (_, misses))| !misses.is_empty()) {
        let misses: Vec<_> = misses.iter().map(|(verdict, count)| format!("{} {count}", verdict.as_str())).collect();
        println!("  {kind:<36} {count:>5} items: {}", misses.join(", "));
    }
}

fn list(judged: &[Judged<'_>], schemas: &HashMap<String, serde_json::Value>, args: &Args) {
    let in_full = args.id.is_some();
    let wanted = |verdict: Verdict| {
        args.only.as_ref().is_none_or(|only| verdict.as_str().replace(' ', "-").contains(only.as_str()))
    };
    let shown = |sort: Verdict| {
        judged
            .iter()
            .filter(move |(item, _, verdict)| *verdict == sort && (args.contested || !item.contested) && wanted(sort))
    };
    let misses: Vec<_> = Verdict::MISSES.into_iter().flat_map(shown).collect();
    for (item, answer, verdict) in misses.iter().take(if in_full { 0 } else { args.list }) {
        println!("{}", describe(item, answer, *verdict, 600));
    }
    if args.list > 0 && !in_full && misses.len() > args.list {
        println!("({} of {} misses shown)\n", args.list, misses.len());
    }
    for (item, answer, verdict) in judged.iter().take(if in_full { args.list.max(5) } else { 0 }) {
        println!("{}", describe(item, answer, *verdict, usize::MAX));
        if let Some(schema) = schemas.get(&item.schema) {
            println!("  schema  {schema}\n");
        }
    }
}

fn describe(item: &Item, answer: &Answer, verdict: Verdict, width: usize) -> String {
    let mut text = String::new();
    let expect = match item.expect {
        Expect::Recover => format!("recover at {}", item.tier),
        Expect::Unchanged => "unchanged".to_owned(),
        Expect::Refuse => "refuse".to_owned(),
    };
    let _ = writeln!(
        text,
        "{} {} [{}] tool {}, schema {}",
        verdict.as_str().to_uppercase(),
        item.id,
        item.kind,
        item.tool,
        item.schema
    );
    let _ = writeln!(
        text,
        "  expect  {expect}{}",
        item.path.as_ref().map(|path| format!(" at {path}")).unwrap_or_default()
    );
    let _ = writeln!(text, "  detail  {}", cut(item.detail.get(), width));
    let _ = writeln!(text, "  input   {}", cut(&item.input, width));
    let _ = writeln!(text, "  said    {}", cut(&answer.wire, width));
    let _ = writeln!(text, "  truth   {}", cut(item.truth.as_ref().map_or("unknown", |truth| truth.get()), width));
    text
}

fn cut(text: &str, width: usize) -> &str {
    text.char_indices().nth(width).map_or(text, |(at, _)| &text[..at])
}

fn write_predictions(path: &Path, judged: &[Judged<'_>]) -> Result<()> {
    let mut text = String::new();
    for (item, answer, _) in judged {
        let value = answer.value.clone().map(RawValue::from_string).transpose()?;
        let line = json!({"id": item.id, "ok": value.is_some(), "value": value, "error_codes": answer.codes});
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(path, text).with_context(|| format!("writing `{}`", path.display()))
}

/// The part of `score.py --json` that counts.
#[derive(Deserialize)]
struct Score {
    syn: Option<Group>,
    wild: Option<Group>,
    over: Option<Over>,
}

#[derive(Deserialize)]
struct Group {
    recoverable: usize,
    recovered: usize,
    n: usize,
    wrong: usize,
}

#[derive(Deserialize)]
struct Over {
    #[serde(default)]
    n: usize,
    #[serde(default)]
    accepted: usize,
}

/// The scorer is the authority: it is run as it was handed.
fn score(folder: &Path, predictions: &Path, policy: Policy, args: &Args) -> Result<Score> {
    let report = predictions.with_extension("score.json");
    let mut command = Command::new("python3");
    command.arg(folder.join("score.py")).arg(predictions).arg("--json").arg(&report);
    if policy != Policy::Strict {
        command.args(["--policy", policy.as_str()]);
    }
    if !args.table {
        command.arg("--quiet");
    }
    if args.is_filtered() {
        command.arg("--covered-only");
    }
    let output = command.output().context("running `score.py` with python3")?;
    if !output.status.success() {
        bail!("`score.py` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    print!("{}", String::from_utf8_lossy(&output.stdout));
    Ok(serde_json::from_str(&std::fs::read_to_string(report)?)?)
}

/// Refusals that point to the object where the set wants a member that is missing: three forms are told apart by
/// `required` and `not` alone, what came fits one of them but for its `not`, and the missing key is another form's.
const OBJECT_IS_NAMED: [&str; 3] = ["map_missing_key-u0032", "map_missing_key-u0087", "map_missing_key-u0089"];

fn shortfalls(score: &Score, judged: &[Judged<'_>], policy: Policy) -> Vec<String> {
    let mut texts = Vec::new();
    for (name, group) in [("synthetic", &score.syn), ("wild", &score.wild)] {
        let Some(group) = group else { continue };
        #[expect(clippy::cast_precision_loss, reason = "counts of items")]
        let recovery = group.recovered as f64 / group.recoverable.max(1) as f64;
        if recovery < RECOVERY && group.recoverable > 0 {
            texts.push(format!(
                "{name}: recovered {} of {} ({:.2} %)",
                group.recovered,
                group.recoverable,
                recovery * 100.0
            ));
        }
        if group.wrong > 0 {
            texts.push(format!("{name}: silent wrong {} of {}", group.wrong, group.n));
        }
    }
    if let Some(over) = score.over.as_ref().filter(|over| over.accepted > 0) {
        texts.push(format!("over policy: {} of {} accepted", over.accepted, over.n));
    }
    let decided = |item: &Item, sort| {
        // The set's paths are those at `lenient`: what a wider policy would mend is an issue too at a narrower one.
        sort == Verdict::WrongPath && (policy != Policy::Lenient || OBJECT_IS_NAMED.contains(&item.id.as_str()))
    };
    let count = |sort: Verdict| {
        let judged = judged.iter().filter(|(item, _, verdict)| *verdict == sort && !item.contested);
        judged.filter(|(item, ..)| !decided(item, sort)).count()
    };
    for sort in [Verdict::Panicked, Verdict::WrongPath] {
        match count(sort) {
            0 => {}
            count => texts.push(format!("{}: {count}", sort.as_str())),
        }
    }
    texts
}
