//! The JSON text inside what a model writes around it: code fences and prose.

use super::parser::{Parsed, parse};
use super::{Extent, Reading, Step, Syntax, TextError};
use crate::document::{Content, Document};
use crate::issue::Code;
use crate::policy::{Policy, Rule};

/// Reads `text` by the narrowest means that do, using only rules that `allows` takes.
///
/// Cut text is told as `truncated` and several values as `multiple_values` at every policy; any other text that does
/// not parse is told by its first strict error.
pub(crate) fn read<'a>(
    text: &'a str,
    depth: usize,
    allows: &dyn Fn(Rule, Policy) -> bool,
) -> Result<Reading<'a>, TextError> {
    let strict = match attempt(text, 0, Extent::Whole, Syntax::Strict, depth) {
        Ok((document, parsed)) => return Ok(reading(document, parsed, Vec::new())),
        Err(error) => error,
    };
    if strict.code != Code::JsonSyntax {
        return Err(strict);
    }
    let mut told = strict;
    for framing in [fenced(text, depth), bare(text, depth)].into_iter().flatten() {
        match open(text, &framing, depth, allows) {
            Ok(reading) => return Ok(reading),
            Err(error) => told = more_telling(told, error),
        }
    }
    Err(told)
}

/// Where the JSON may stand.
struct Framing {
    json: usize,
    around: Around,
}

enum Around {
    /// Nothing: the whole text is relaxed JSON.
    Nothing,
    /// A code fence that starts at that byte.
    Fence(usize),
    /// Words.
    Prose,
}

/// A text whose first code fence holds the JSON. A fence inside a JSON string is content.
fn fenced(text: &str, depth: usize) -> Option<Framing> {
    let open = text.find("```")?;
    let before = text.get(..open)?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    if !line.trim().is_empty() {
        return None;
    }
    let inside_json = openings(before).any(|at| match attempt(text, at, Extent::Prefix, Syntax::Relaxed, depth) {
        Ok((_, parsed)) => parsed.end > open,
        Err(error) => error.code == Code::Truncated,
    });
    if inside_json {
        return None;
    }
    let body = text.get(open..)?.trim_start_matches('`');
    // The info string: letters, digits and a few signs, up to white space or the JSON itself.
    let info =
        body.trim_start_matches(|character: char| character.is_ascii_alphanumeric() || "_+-.".contains(character));
    let json = info.trim_start();
    json.starts_with(['{', '[', '"', '\'', '/'])
        .then(|| Framing { json: text.len() - json.len(), around: Around::Fence(open) })
}

/// A text that is relaxed JSON as a whole, or whose first bracket starts the JSON.
fn bare(text: &str, depth: usize) -> Option<Framing> {
    if attempt(text, 0, Extent::Whole, Syntax::Relaxed, depth).is_ok() {
        return Some(Framing { json: 0, around: Around::Nothing });
    }
    let json = text.find(['{', '['])?;
    // A bracket behind words that nothing follows opens nothing.
    let opens = json == 0 || !text.get(json + 1..).unwrap_or_default().trim().is_empty();
    opens.then_some(Framing { json, around: Around::Prose })
}

/// Places in `text` where an object or array may open. A handful decides: prose has few, and each attempt may read on
/// to the end.
fn openings(text: &str) -> impl Iterator<Item = usize> + '_ {
    const TRIES: usize = 32;
    text.match_indices(['{', '[']).map(|(at, _)| at).take(TRIES)
}

fn open<'a>(
    text: &'a str,
    framing: &Framing,
    depth: usize,
    allows: &dyn Fn(Rule, Policy) -> bool,
) -> Result<Reading<'a>, TextError> {
    let mut relaxed = false;
    let strict = match framing.around {
        // The whole text is relaxed JSON, however much of it is strict.
        Around::Nothing => Err(TextError { code: Code::JsonSyntax, offset: 0, hint: "".into() }),
        Around::Fence(_) | Around::Prose => attempt(text, framing.json, Extent::Prefix, Syntax::Strict, depth),
    };
    let (document, parsed) = match strict {
        Ok(found) => found,
        Err(error) if error.code != Code::JsonSyntax => return Err(error),
        Err(error) => match attempt(text, framing.json, Extent::Prefix, Syntax::Relaxed, depth) {
            Ok(found) => {
                relaxed = true;
                found
            }
            Err(relaxed) => return Err(more_telling(error, relaxed)),
        },
    };
    let mut steps = Vec::new();
    let mut left = 0..text.len();
    let behind = text.get(parsed.end..).unwrap_or_default();
    match framing.around {
        // A comment behind the value may hold what the model meant instead.
        Around::Nothing if holds_json(behind, depth) => return Err(several(parsed.end)),
        Around::Nothing => {}
        Around::Fence(start) => {
            let close = behind.trim_start();
            if close.is_empty() {
                return Err(TextError {
                    code: Code::Truncated,
                    offset: text.len(),
                    hint: "the text ends inside a code fence".into(),
                });
            }
            if !close.starts_with("```") {
                return Err(leftover(text, parsed.end, depth));
            }
            let end = text.len() - close.trim_start_matches('`').len();
            let before = text.get(..start).unwrap_or_default();
            let behind = text.get(end..).unwrap_or_default();
            let list = matches!(document.content(parsed.root), Content::Array(_));
            let rival = |prose: &str| holds_json(prose, depth) || list && holds_list(prose, depth);
            if behind.contains("```") || rival(before) || rival(behind) {
                return Err(several(end));
            }
            if !is_space(before) || !is_space(behind) {
                steps.push(Step { rule: Rule::StripProse, policy: Policy::Adapter, before: left });
                left = start..end;
            }
            steps.push(Step { rule: Rule::StripCodeFence, policy: Policy::Narrow, before: left });
            left = framing.json..parsed.end;
        }
        Around::Prose => {
            let signs = ['{', '}', '[', ']', '<', '>', '|', '`'];
            let before = text.get(..framing.json).unwrap_or_default();
            if before.contains(signs) || behind.contains(signs) {
                return Err(leftover(text, parsed.end, depth));
            }
            if !is_space(before) || !is_space(behind) {
                steps.push(Step { rule: Rule::StripProse, policy: Policy::Lenient, before: left });
                left = framing.json..parsed.end;
            }
        }
    }
    if relaxed {
        steps.push(Step { rule: Rule::RelaxedSyntax, policy: Policy::Lenient, before: left });
    }
    match steps.iter().find(|step| !allows(step.rule, step.policy)) {
        None => Ok(reading(document, parsed, steps)),
        // The strict error of the whole text is what this policy has to say.
        Some(_) => Err(TextError { code: Code::JsonSyntax, offset: usize::MAX, hint: "".into() }),
    }
}

/// Whether a text is white space as JSON has it (RFC 8259 section 2). Any other that Unicode knows is prose.
fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The error for what follows a value that should have been the last thing.
fn leftover(text: &str, end: usize, depth: usize) -> TextError {
    let rest = text.get(end..).unwrap_or_default();
    let next = rest.trim_start();
    let offset = text.len() - next.len();
    if next.starts_with(['{', '[']) || holds_json(rest, depth) {
        return several(offset);
    }
    TextError { code: Code::JsonSyntax, offset, hint: "nothing may follow the JSON value".into() }
}

fn several(offset: usize) -> TextError {
    TextError { code: Code::MultipleValues, offset, hint: "send one JSON object, not several".into() }
}

/// Whether an object with members stands anywhere in `text`, in whatever syntax; `{}` says nothing.
fn holds_json(text: &str, depth: usize) -> bool {
    openings(text).any(|at| {
        attempt(text, at, Extent::Prefix, Syntax::Relaxed, depth)
            .is_ok_and(|(document, parsed)| document.node(parsed.root).members().len() > 0)
    })
}

/// Whether a list with items stands anywhere in `text`. Beside an object `[1]` is a footnote; beside a list it is a
/// second one.
fn holds_list(text: &str, depth: usize) -> bool {
    openings(text).any(|at| {
        attempt(text, at, Extent::Prefix, Syntax::Relaxed, depth)
            .is_ok_and(|(document, parsed)| document.node(parsed.root).elements().len() > 0)
    })
}

/// Of two errors of one text the one that says more: a cut or a second value rather than a syntax error.
fn more_telling(one: TextError, two: TextError) -> TextError {
    if one.code == Code::JsonSyntax && two.code != Code::JsonSyntax { two } else { one }
}

fn attempt(
    text: &str,
    start: usize,
    extent: Extent,
    syntax: Syntax,
    depth: usize,
) -> Result<(Document<'_>, Parsed), TextError> {
    let mut document = Document::over(text);
    let parsed = parse(&mut document, text, start, extent, syntax, depth)?;
    Ok((document, parsed))
}

fn reading(mut document: Document<'_>, parsed: Parsed, steps: Vec<Step>) -> Reading<'_> {
    document.set_root(parsed.root);
    Reading { document, faults: parsed.faults, steps }
}
