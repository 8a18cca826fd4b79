//! From raw text or host data to an outcome.

mod array;
mod canonical;
mod ledger;
mod object;
mod place;
mod report;
mod rules;
mod spelling;
mod union;
mod walk;
mod warnings;
mod wording;

use std::str::FromStr;

use crate::certain::Ignored;
use crate::contract::Inner;
use crate::document::{Document, NodeId};
use crate::issue::{Code, Issue, Json, Received, Span};
use crate::options::Undeclared;
use crate::outcome::{Outcome, Repair};
use crate::policy::{Policy, Rule};
use crate::text::{self, Fault, Step, TextError};
use ledger::{At, Record, Side};
pub(crate) use place::Path;
use place::Place;
use walk::{Broken, Candidate, Mended, Walk};

/// What the host knows of the end of the model's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Finish {
    /// The reply came to its own end.
    #[default]
    Complete,
    /// The reply was cut at the token limit.
    Length,
}

impl Finish {
    /// What the models' services call it when a reply ends, by what it means for the arguments.
    pub const NAMES: &'static [(&'static str, Finish)] = &[
        ("complete", Finish::Complete),
        ("stop", Finish::Complete),
        ("tool_calls", Finish::Complete),
        ("function_call", Finish::Complete),
        ("end_turn", Finish::Complete),
        ("tool_use", Finish::Complete),
        ("stop_sequence", Finish::Complete),
        ("pause_turn", Finish::Complete),
        ("refusal", Finish::Complete),
        ("completed", Finish::Complete),
        ("STOP", Finish::Complete),
        ("length", Finish::Length),
        ("max_tokens", Finish::Length),
        ("max_output_tokens", Finish::Length),
        ("model_context_window_exceeded", Finish::Length),
        // What is filtered ends where the filter struck.
        ("content_filter", Finish::Length),
        ("incomplete", Finish::Length),
        ("MAX_TOKENS", Finish::Length),
    ];
}

impl FromStr for Finish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, finish)| *finish);
        found.ok_or_else(|| {
            let names: Vec<_> = Self::NAMES.iter().map(|(name, _)| *name).collect();
            format!("unknown finish `{text}`: expected one of `{}`", names.join("`, `"))
        })
    }
}

/// Repairs raw text.
pub(crate) fn text<'t>(contract: &Inner, raw: &'t str) -> Outcome<'t> {
    if contract.is_plain(raw, &mut Ignored)
        && let Ok(document) = Document::parse(raw)
    {
        return Outcome::accepted(document, Vec::new(), Vec::new());
    }
    unplain_text(contract, raw)
}

/// Repairs raw text that is not plainly valid.
pub(crate) fn unplain_text<'t>(contract: &Inner, raw: &'t str) -> Outcome<'t> {
    let limits = contract.limits;
    if raw.len() > limits.bytes {
        return oversize(contract, raw);
    }
    if raw.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
        return blank(contract, raw);
    }
    match text::read(raw, limits.depth, &|rule, from| contract.rules.allow(rule, from)) {
        Ok(reading) => {
            let repairs = text_repairs(contract, &reading.document, &reading.steps);
            answer(contract, reading.document, &reading.faults, repairs)
        }
        Err(error) => refused(contract, raw, &error),
    }
}

/// Repairs raw bytes, which must be UTF-8.
pub(crate) fn bytes<'t>(contract: &Inner, raw: &'t [u8]) -> Outcome<'t> {
    if raw.len() > contract.limits.bytes {
        // Enough for the preview; a character that is cut there is none.
        let start = raw.get(..4 * (Received::CAP + 1)).unwrap_or(raw);
        return oversize(contract, &String::from_utf8_lossy(start));
    }
    match std::str::from_utf8(raw) {
        Ok(raw) => text(contract, raw),
        Err(error) => {
            let valid = raw.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok());
            let mut issue = Issue::new(Code::InvalidUnicode, "", "the arguments are no UTF-8");
            issue.span = Some(Span::at(valid.unwrap_or_default(), error.valid_up_to()));
            Outcome::refused(vec![issue])
        }
    }
}

fn oversize(contract: &Inner, raw: &str) -> Outcome<'static> {
    let hint = format!("the arguments are longer than {} bytes", contract.limits.bytes).into();
    refused(contract, raw, &TextError { code: Code::SizeLimit, offset: 0, hint })
}

/// Repairs host data.
pub(crate) fn document<'t>(contract: &Inner, document: Document<'t>) -> Outcome<'t> {
    answer(contract, document, &[], Vec::new())
}

/// Judges host data as it is.
pub(crate) fn check<'t>(contract: &Inner, document: Document<'t>) -> Outcome<'t> {
    let root = document.root_id();
    if !contract.schema.plan().is_bounded(document.depth(root)) {
        return Outcome::refused(vec![report::work_limit()]);
    }
    let undeclared = undeclared(contract, &document, root);
    if undeclared.is_empty() && contract.schema.accepts(&document, root) {
        let warnings = warnings::find(contract, &document, root);
        return Outcome::accepted(document, Vec::new(), warnings);
    }
    Outcome::refused(report::issues(contract, &document, root, &[], undeclared))
}

/// The refusal of text that the host says was cut.
pub(crate) fn cut(contract: &Inner, raw: &str) -> Outcome<'static> {
    let hint = "the reply was cut before its end".into();
    refused(contract, raw, &TextError { code: Code::Truncated, offset: raw.len(), hint })
}

fn refused(contract: &Inner, raw: &str, error: &TextError) -> Outcome<'static> {
    let mut issue = Issue::new(error.code, "", error.hint.clone());
    if !raw.is_empty() {
        issue.span = Some(Span::at(raw, error.offset));
        issue.received = Some(contract.redaction().received_text(raw));
    }
    Outcome::refused(vec![issue])
}

/// No argument text, or none but white space: the same as `{}`, where nothing is required.
fn blank<'t>(contract: &Inner, raw: &'t str) -> Outcome<'t> {
    let plan = contract.schema.plan();
    let declares_nothing = Place::whole(plan).declared_anywhere(plan).is_empty();
    let from = if declares_nothing { Policy::Narrow } else { Policy::Adapter };
    if !contract.rules.allow(Rule::EmptyToObject, from) {
        let hint = "there are no arguments: send a JSON object".into();
        return refused(contract, raw, &TextError { code: Code::JsonSyntax, offset: raw.len(), hint });
    }
    let mut document = Document::over(raw);
    let origin = document.root_id();
    let root = document.make_object(&[], origin);
    document.set_root(root);
    let after = Some(Json::from(document.root()));
    let before = Some(contract.redaction().text(raw));
    let repair = Repair { rule: Rule::EmptyToObject, path: String::new(), before, after, lossy: false };
    answer(contract, document, &[], vec![repair])
}

fn answer<'t>(contract: &Inner, mut document: Document<'t>, faults: &[Fault], mut repairs: Vec<Repair>) -> Outcome<'t> {
    if !faults.is_empty() {
        return Outcome::refused(faulty(contract, &document, faults));
    }
    let came = document.root_id();
    match mend(contract, &mut document, came) {
        Ok(candidate) if !candidate.records.is_empty() && document.depth(candidate.node) > contract.limits.depth => {
            let hint = format!("nested deeper than {} levels", contract.limits.depth);
            Outcome::refused(vec![Issue::new(Code::DepthLimit, "", hint)])
        }
        Ok(candidate) => {
            document.set_root(candidate.node);
            let records = candidate.records.into_iter();
            repairs.extend(records.map(|record| record.into_repair(contract, &document)));
            let warnings = warnings::find(contract, &document, candidate.node);
            Outcome::accepted(document, repairs, warnings)
        }
        Err(issues) => Outcome::refused(issues),
    }
}

/// The canonical value, or why there is none.
fn mend(contract: &Inner, document: &mut Document<'_>, root: NodeId) -> Result<Candidate, Vec<Issue>> {
    let schema = &contract.schema;
    if !schema.plan().is_bounded(document.depth(root)) {
        return Err(vec![report::work_limit()]);
    }
    let valid = schema.accepts(document, root);
    let candidate = if valid && !contract.rewrites_valid() {
        Candidate::unchanged(root)
    } else if contract.repairs() {
        repaired(contract, document, root, !valid && schema.exact_plan().is_some())?
    } else {
        return Err(report::issues(contract, document, root, &[], Vec::new()));
    };
    if !contract.repairs() || !document.has_fractions() {
        return Ok(candidate);
    }
    let spelled = respelled(contract, document, candidate);
    let moved = spelled.records.iter().any(|record| record.rule != Rule::CanonicalInteger);
    let sent: Vec<(NodeId, NodeId)> =
        spelled.records.iter().filter_map(|record| respelling(document, record)).collect();
    if !moved || sent.is_empty() {
        return Ok(spelled);
    }
    // Other repairs moved what holds the number. Its spelling comes first, so that it has its place in the input still.
    let mut records = Vec::new();
    for (id, spelling) in sent {
        let before = document.respell(id, spelling);
        records.push(Record::value(Rule::CanonicalInteger, id, before, id));
    }
    let again = repaired(contract, document, root, false)?;
    let again = respelled(contract, document, again);
    records.extend(again.records.iter().cloned());
    let node = again.node;
    Ok(again.within(node, records))
}

/// The same value with one spelling for its integers.
fn respelled(contract: &Inner, document: &mut Document<'_>, candidate: Candidate) -> Candidate {
    if !canonical::is_needed(document, candidate.node) {
        return candidate;
    }
    let place = Place::whole(contract.schema.plan());
    let mut records = candidate.records.clone();
    let node = canonical::rewrite(contract, document, &place, candidate.node, &mut records);
    if records.len() == candidate.records.len() {
        return candidate;
    }
    // A spelling that some keyword of the schema tells apart stays as it came.
    if contract.schema.confirms(document, node, false) { Candidate::mended(node, records) } else { candidate }
}

/// The node that came in and its spelling, where a record is about the spelling of one.
fn respelling(document: &Document<'_>, record: &Record) -> Option<(NodeId, NodeId)> {
    match (record.rule, &record.at, &record.after) {
        (Rule::CanonicalInteger, At::Node(id), Some(Side::Node(spelling))) if document.is_sent(*id) => {
            Some((*id, *spelling))
        }
        _ => None,
    }
}

/// `refused` says that the value is known not to be valid as it came.
fn repaired(
    contract: &Inner,
    document: &mut Document<'_>,
    root: NodeId,
    refused: bool,
) -> Result<Candidate, Vec<Issue>> {
    let mut walked = walk(contract, document, root, false, refused)?;
    // One licensed rename says how the model spells keys; half a rename would lose the optional ones in silence.
    if walked.saw_rename && walked.mended.depends_on_renames() {
        walked = walk(contract, document, root, true, refused)?;
    }
    let broken = match walked.mended {
        Mended::Done(candidate) if candidate.doubts.is_empty() => {
            if contract.schema.confirms(document, candidate.node, walked.accepted)
                && undeclared(contract, document, candidate.node).is_empty()
            {
                return Ok(candidate);
            }
            Broken { node: candidate.node, claims: Vec::new() }
        }
        Mended::Done(candidate) => Broken { node: candidate.node, claims: candidate.doubts },
        Mended::Broken(broken) => broken,
    };
    let undeclared = undeclared(contract, document, broken.node);
    Err(report::issues(contract, document, broken.node, &broken.claims, undeclared))
}

/// The undeclared keys that the host refuses.
fn undeclared(contract: &Inner, document: &Document<'_>, id: NodeId) -> Vec<Issue> {
    match contract.undeclared {
        Undeclared::Warn => Vec::new(),
        Undeclared::Refuse => warnings::undeclared(contract, document, id),
    }
}

fn walk(
    contract: &Inner,
    document: &mut Document<'_>,
    root: NodeId,
    respell: bool,
    refused: bool,
) -> Result<Walked, Vec<Issue>> {
    let mut walk = Walk::new(contract, document, respell);
    let mended = walk.mend_known(&Place::whole(walk.plan), root, refused.then_some(false));
    if walk.is_exhausted() {
        return Err(vec![report::work_limit()]);
    }
    let accepted = matches!(&mended, Mended::Done(candidate) if walk.has_accepted(candidate.node));
    Ok(Walked { mended, saw_rename: walk.saw_rename, accepted })
}

/// What a walk found.
struct Walked {
    mended: Mended,
    /// Whether any rename was licensed.
    saw_rename: bool,
    /// Whether the plan has accepted the mended value as a whole.
    accepted: bool,
}

/// What is wrong with the text itself, place by place.
fn faulty(contract: &Inner, document: &Document<'_>, faults: &[Fault]) -> Vec<Issue> {
    faults
        .iter()
        .take(contract.limits.issues)
        .map(|fault| {
            let pointer = contract.redaction().pointer(contract.schema.plan(), document.pointer(fault.node));
            let mut issue = Issue::new(fault.code, pointer, fault.hint());
            issue.span = Some(Span::at(document.text(), document.offset(fault.node)));
            issue
        })
        .collect()
}

/// The repairs of the text, each from what the one before left to what the next one takes, the last one to the value.
fn text_repairs(contract: &Inner, document: &Document<'_>, steps: &[Step]) -> Vec<Repair> {
    if steps.is_empty() {
        return Vec::new();
    }
    let redaction = contract.redaction();
    let text = |step: &Step| redaction.text(document.text().get(step.before.clone()).unwrap_or_default());
    let after = steps.iter().skip(1).map(text).chain([redaction.json(document.root())]);
    steps
        .iter()
        .zip(after)
        .map(|(step, after)| Repair {
            rule: step.rule,
            path: String::new(),
            before: Some(text(step)),
            after: Some(after),
            lossy: false,
        })
        .collect()
}
