//! The list of codes against the cases: every code is shown by one, and the page that documents them is made from them.

mod shared;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use shared::cases;
use toolmend::{Code, FeedbackFormat, Policy};

/// Codes of what only a host can see; the bindings' tests show them.
const HOST: [Code; 3] = [Code::UnsupportedValue, Code::UnknownTool, Code::PreconditionFailed];
/// Shown by `limits.rs`, with inputs that are too large for a page.
const LARGE: [Code; 1] = [Code::WorkLimit];

#[test]
fn every_code_is_documented_by_an_example() {
    // The shortest example of each code, from the cases at `lenient`.
    let mut examples: BTreeMap<Code, (usize, String)> = BTreeMap::new();
    for case in cases() {
        let contract = case.contract(Policy::Lenient);
        let outcome = contract.repair(&case.input);
        for issue in outcome.issues() {
            let input = case.input.replace('\n', "\\n").replace('|', "\\|");
            let path = if issue.path.is_empty() { "the whole text" } else { &issue.path };
            let row = format!("`{input}` | `{path}` | {}", issue.hint.replace('|', "\\|"));
            let entry = (row.len(), row);
            if input.chars().all(|character| !character.is_control() && character != '`')
                && examples.get(&issue.code).is_none_or(|known| entry < *known)
            {
                examples.insert(issue.code, entry);
            }
        }
    }
    let mut page =
        "# Issue codes\n\nA code is for programs and never changes its meaning. The examples are made by running \
                    the shared cases at `lenient`.\n\n| code | arguments | path | hint |\n|---|---|---|---|\n"
            .to_owned();
    for code in Code::ALL {
        match examples.get(code) {
            Some((_, row)) => writeln!(page, "| `{code}` | {row} |").unwrap(),
            None if HOST.contains(code) => writeln!(page, "| `{code}` | | | told by a host |").unwrap(),
            None if LARGE.contains(code) => {
                writeln!(page, "| `{code}` | a schema with a thousand branches, and a large input | the whole text | too many readings to look at |").unwrap();
            }
            None => panic!("no case shows `{code}`"),
        }
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/codes.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), page, "run with UPDATE_DOCS=1 to write docs/codes.md");
}

#[test]
fn every_message_is_pinned() {
    let mut told = String::new();
    for case in cases() {
        let contract = case.contract(Policy::Lenient);
        let outcome = contract.repair(&case.input);
        if outcome.is_ok() {
            continue;
        }
        writeln!(told, "== {}\n{}", case.name, outcome.feedback_as(FeedbackFormat::Text, 4_096)).unwrap();
        writeln!(told, "{}", outcome.feedback_as(FeedbackFormat::Json, 4_096)).unwrap();
    }
    insta::assert_snapshot!("feedback", told);
}
