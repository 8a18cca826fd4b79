//! The official suite: valid instances come back unchanged under every policy, `strict` is the `jsonschema` crate's own
//! verdict, and whatever a wider policy accepts validates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use jsonschema::Validator;
use referencing::{Draft, Registry, Retrieve, Uri};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use toolmend::{Options, Outcome, Policy};

use crate::judges;
use crate::places::Places;
use crate::run::{guarded, parallel};

const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// Where the suite's server would serve `remotes/`.
const SERVER: &str = "http://localhost:1234/";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// One of `draft4`, `draft6`, `draft7`, `draft2019-09`, `draft2020-12`; all by default.
    #[arg(long)]
    draft: Option<String>,
    /// Groups whose file or description contains this.
    filter: Option<String>,
    /// Also list where the crate and the suite are of two minds.
    #[arg(long)]
    crate_differs: bool,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Box<RawValue>,
    valid: bool,
}

/// One schema of the suite with its instances.
struct Work {
    name: String,
    schema: Value,
    tests: Vec<Test>,
    documents: BTreeMap<String, Value>,
    formats: bool,
    has_formats: bool,
}

#[derive(Default)]
struct Report {
    instances: usize,
    /// The crate cannot compile the schema; neither may we.
    not_compiled: Option<String>,
    /// Where the crate's verdict is not the suite's.
    differs: Vec<String>,
    failures: Vec<String>,
}

pub(crate) fn run(places: &Places, threads: usize, args: &Args) -> Result<Vec<String>> {
    let folder = places.shared("json-schema-test-suite")?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut failures = Vec::new();
    for (draft, dialect) in DRAFTS {
        if args.draft.as_ref().is_some_and(|wanted| wanted != draft) {
            continue;
        }
        let mut work = read(&folder, draft, dialect)?;
        work.retain(|group| args.filter.as_ref().is_none_or(|filter| group.name.contains(filter)));
        let reports = parallel(&work, threads, |group| {
            guarded(|| check(group)).unwrap_or_else(|panic| Report {
                failures: vec![format!("{}: panicked: {panic}", group.name)],
                ..Report::default()
            })
        });
        let total = |count: fn(&Report) -> usize| reports.iter().map(count).sum::<usize>();
        println!(
            "== suite {draft}: {} schemas, {} instances; the crate differs from the suite on {}, cannot compile {}; failures {}",
            work.len(),
            total(|report| report.instances),
            total(|report| report.differs.len()),
            total(|report| usize::from(report.not_compiled.is_some())),
            total(|report| report.failures.len()),
        );
        for (group, report) in work.iter().zip(&reports) {
            if let Some(error) = &report.not_compiled {
                println!("  not compiled by the crate: {}: {}", group.name, first_line(error));
            }
            for text in report.differs.iter().filter(|_| args.crate_differs) {
                println!("  {text}");
            }
        }
        failures.extend(reports.into_iter().flat_map(|report| report.failures).map(|text| format!("suite {text}")));
    }
    Ok(failures)
}

/// The schemas of every draft with their instances as texts.
pub(crate) fn inputs(places: &Places) -> Result<Vec<judges::Work>> {
    let folder = places.shared("json-schema-test-suite")?;
    let mut all = Vec::new();
    for (draft, dialect) in DRAFTS {
        let work = read(&folder, draft, dialect)?.into_iter().filter(|work| work.documents.is_empty());
        all.extend(work.map(|work| judges::Work {
            name: work.name,
            tool: None,
            schema: work.schema,
            formats: work.formats,
            inputs: work.tests.iter().map(|test| test.data.get().to_owned()).collect(),
        }));
    }
    Ok(all)
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.chars().take(160).collect()
}

/// Every schema of one draft, once with formats as annotations and, where it has formats, once with formats asserted.
fn read(folder: &Path, draft: &str, dialect: &str) -> Result<Vec<Work>> {
    let documents = documents(&folder.join("remotes"), draft, dialect)?;
    let mut work = Vec::new();
    let tests = folder.join("tests").join(draft);
    for path in json_files(&tests)? {
        let file = path.strip_prefix(&tests)?.with_extension("").display().to_string();
        for formats in [false, true] {
            let text = std::fs::read_to_string(&path)?;
            let groups: Vec<Group> =
                serde_json::from_str(&text).with_context(|| format!("reading `{}`", path.display()))?;
            for group in groups {
                let text = group.schema.to_string();
                let has_formats = text.contains("\"format\"");
                if formats && !has_formats {
                    continue;
                }
                let mut schema = group.schema;
                declare(&mut schema, dialect);
                work.push(Work {
                    name: format!(
                        "{draft} {file}{}: {}",
                        if formats { " (formats asserted)" } else { "" },
                        group.description
                    ),
                    schema,
                    tests: group.tests,
                    // Few schemas reach for another document, and a registry of all of them is slow to make.
                    documents: if text.contains("localhost:1234") { documents.clone() } else { BTreeMap::new() },
                    formats,
                    has_formats,
                });
            }
        }
    }
    Ok(work)
}

/// The suite leaves it to the runner to say which draft a folder is of.
fn declare(schema: &mut Value, dialect: &str) {
    if let Some(object) = schema.as_object_mut().filter(|object| !object.contains_key("$schema")) {
        object.insert("$schema".to_owned(), dialect.into());
    }
}

fn documents(remotes: &Path, draft: &str, dialect: &str) -> Result<BTreeMap<String, Value>> {
    let mut documents = BTreeMap::new();
    for path in json_files(remotes)? {
        let place = path.strip_prefix(remotes)?.display().to_string();
        let own = place.split('/').next().filter(|first| first.starts_with("draft") || *first == "v1");
        let dialect = match own {
            None => dialect,
            Some(own) => match DRAFTS.iter().find(|(name, _)| *name == own) {
                Some((_, dialect)) => dialect,
                None => continue,
            },
        };
        if own.is_some_and(|own| own != draft) && place.contains("metaschema") {
            continue;
        }
        let mut document: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        declare(&mut document, dialect);
        documents.insert(format!("{SERVER}{place}"), document);
    }
    Ok(documents)
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading `{}`", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(json_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

struct Offline;

impl Retrieve for Offline {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("`{uri}` is not among the documents").into())
    }
}

/// The crate by itself, over `serde_json` values.
fn authority(group: &Work) -> Result<Validator, String> {
    let mut registry = Registry::new().retriever(Offline);
    for (uri, document) in &group.documents {
        let resource = Draft::default().detect(document).create_resource(document.clone());
        registry = registry.add(uri, resource).map_err(|error| error.to_string())?;
    }
    let registry = registry.prepare().map_err(|error| error.to_string())?;
    jsonschema::options()
        .with_registry(&registry)
        .with_retriever(Offline)
        .should_validate_formats(group.formats)
        .build(&group.schema)
        .map_err(|error| error.to_string())
}

fn check(group: &Work) -> Report {
    let mut report = Report { instances: group.tests.len(), ..Report::default() };
    let mut options = Options::new().assert_formats(group.formats);
    for (uri, document) in &group.documents {
        options = options.document(uri, document.clone());
    }
    let authority = match authority(group) {
        Ok(authority) => authority,
        Err(error) => {
            if options.compile(&group.schema).is_ok() {
                report.failures.push(format!(
                    "{}: compiled, though the crate says: {}",
                    group.name,
                    first_line(&error)
                ));
            }
            report.not_compiled = Some(error);
            return report;
        }
    };
    for policy in Policy::ALL {
        let contract = match options.clone().policy(*policy).compile(&group.schema) {
            Ok(contract) => contract,
            Err(error) => {
                report.failures.push(format!("{}: not compiled: {error}", group.name));
                return report;
            }
        };
        for test in &group.tests {
            let text = test.data.get();
            let Ok(data) = serde_json::from_str::<Value>(text) else { continue };
            let verdict = authority.is_valid(&data);
            // Where formats are annotations the suite's verdicts on formats are not asked for.
            let is_asked = group.formats || !group.has_formats;
            if *policy == Policy::Strict && verdict != test.valid && is_asked {
                let (crate_says, suite_says) = (word(verdict), word(test.valid));
                report.differs.push(format!(
                    "{}: {}: {} for the crate, {} for the suite",
                    group.name, test.description, crate_says, suite_says
                ));
            }
            let outcome = contract.repair(text);
            let wrong: BTreeSet<_> = wrong(&outcome, &data, verdict, *policy, &authority).into_iter().collect();
            for wrong in wrong {
                report.failures.push(format!(
                    "{}: {} at {policy}: {wrong}: {}",
                    group.name,
                    test.description,
                    first_line(&outcome.to_json())
                ));
            }
        }
    }
    report
}

fn word(valid: bool) -> &'static str {
    if valid { "valid" } else { "invalid" }
}

fn wrong(outcome: &Outcome<'_>, data: &Value, valid: bool, policy: Policy, authority: &Validator) -> Vec<&'static str> {
    let value = outcome.value().and_then(|value| serde_json::from_str::<Value>(&value.to_string()).ok());
    let mut found = Vec::new();
    if policy == Policy::Strict && outcome.is_ok() != valid {
        found.push("another verdict than the crate's");
    }
    if valid && !outcome.is_ok() {
        found.push("a valid instance is refused");
    }
    if valid && outcome.is_ok() {
        let spelling_only = policy != Policy::Strict
            && !outcome.repairs().is_empty()
            && outcome.repairs().iter().all(|repair| repair.rule.as_str() == "canonical_integer");
        if !spelling_only && (!outcome.repairs().is_empty() || value.as_ref() != Some(data)) {
            found.push("a valid instance is changed");
        }
    }
    if value.is_some_and(|value| !authority.is_valid(&value)) {
        found.push("an accepted value does not validate");
    }
    found
}
