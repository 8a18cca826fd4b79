//! An independent reading of an outcome's repairs: forward, backward, and as a patch.

use serde_json::{Map, Value};
use toolmend::{Repair, Rule};

fn parse(json: &toolmend::Json) -> Value {
    serde_json::from_str(json.as_str()).expect("JSON")
}

fn tokens(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}

/// Whether a pointer names a value of the input (going on into text that holds JSON), or a member that is missing.
pub(crate) fn points_into(input: &Value, path: &str) -> bool {
    let mut at = input.clone();
    let tokens = tokens(path);
    for (index, token) in tokens.iter().enumerate() {
        while let Value::String(text) = &at {
            match serde_json::from_str(text) {
                Ok(value) => at = value,
                Err(_) => return relaxed(text),
            }
        }
        let next = match &at {
            Value::Object(object) => object.get(token).cloned(),
            Value::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index).cloned()),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return index + 1 == tokens.len(),
        }
    }
    true
}

/// Text that only relaxed syntax reads; this reader does not follow it.
fn relaxed(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// The states that the repairs lead through, the input first. Paths keep the keys that were sent.
pub(crate) fn forward(input: &Value, repairs: &[Repair]) -> Vec<Value> {
    let mut states = vec![input.clone()];
    for (index, repair) in repairs.iter().enumerate() {
        let mut state = states.last().expect("never empty").clone();
        let path = current(&repair.path, &repairs[..index]);
        if let Some(before) = &repair.before {
            let found = if repair.rule == Rule::RenameKey {
                Value::String(path.last().expect("a member").clone())
            } else {
                state.pointer(&pointer(&path)).unwrap_or_else(|| panic!("nothing at {path:?} of {state}")).clone()
            };
            assert_eq!(found, parse(before), "what {} starts from", repair.rule);
        }
        apply(&mut state, &path, repair);
        states.push(state);
    }
    states
}

/// The input again: each repair undone, the last one first.
pub(crate) fn backward(states: &[Value], repairs: &[Repair]) -> Value {
    let mut state = states.last().expect("never empty").clone();
    for (index, repair) in repairs.iter().enumerate().rev() {
        let path = current(&repair.path, &repairs[..index]);
        let (key, parent) = path.split_last().map_or((None, &[][..]), |(key, parent)| (Some(key), parent));
        match (&repair.before, &repair.after) {
            (Some(before), Some(_)) if repair.rule == Rule::RenameKey => {
                let object = object_at(&mut state, parent);
                let new = parse(repair.after.as_ref().expect("renamed"));
                let value = object.shift_remove(new.as_str().expect("a key")).expect("the renamed member");
                object.insert(parse(before).as_str().expect("a key").to_owned(), value);
            }
            (Some(before), None) => {
                object_at(&mut state, parent).insert(key.expect("a member").clone(), parse(before));
            }
            (Some(before), Some(_)) => *state.pointer_mut(&pointer(&path)).expect("a value") = parse(before),
            (None, _) => {
                object_at(&mut state, parent).shift_remove(key.expect("a member"));
            }
        }
    }
    state
}

fn object_at<'v>(state: &'v mut Value, path: &[String]) -> &'v mut Map<String, Value> {
    state.pointer_mut(&pointer(path)).and_then(Value::as_object_mut).expect("an object")
}

fn apply(state: &mut Value, path: &[String], repair: &Repair) {
    match &repair.after {
        None => {
            let (key, parent) = path.split_last().expect("a member");
            object_at(state, parent).shift_remove(key);
        }
        Some(after) if repair.rule == Rule::RenameKey => {
            let (key, parent) = path.split_last().expect("a member");
            let object = object_at(state, parent);
            let value = object.shift_remove(key).expect("the member");
            let replaced = object.insert(parse(after).as_str().expect("a key").to_owned(), value);
            assert!(replaced.is_none(), "a rename never replaces a member");
        }
        Some(after) if repair.before.is_none() => {
            let (key, parent) = path.split_last().expect("a member");
            object_at(state, parent).insert(key.clone(), parse(after));
        }
        Some(after) => *state.pointer_mut(&pointer(path)).expect("a value") = parse(after),
    }
}

/// A path after the renames that were made before it is used.
fn current(path: &str, before: &[Repair]) -> Vec<String> {
    let sent = tokens(path);
    (0..sent.len())
        .map(|index| {
            let prefix = pointer(&sent[..=index]);
            before
                .iter()
                .find(|repair| repair.rule == Rule::RenameKey && repair.path == prefix)
                .and_then(|repair| parse(repair.after.as_ref()?).as_str().map(str::to_owned))
                .unwrap_or_else(|| sent[index].clone())
        })
        .collect()
}

fn pointer(tokens: &[String]) -> String {
    tokens.iter().fold(String::new(), |pointer, token| pointer + "/" + &token.replace('~', "~0").replace('/', "~1"))
}

/// The input after an RFC 6902 patch.
pub(crate) fn patched(input: &Value, patch: &str) -> Value {
    let patch: json_patch::Patch = serde_json::from_str(patch).expect("a patch");
    let mut value = input.clone();
    json_patch::patch(&mut value, &patch).expect("the patch applies");
    value
}
