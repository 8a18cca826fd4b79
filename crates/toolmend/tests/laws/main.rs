//! The laws, over generated schemas, values and corruptions of valid values.
//!
//! `TOOLMEND_PROPTEST_CASES` sets the examples for each law (2,000 by default).

mod generate;
mod replay;

use generate::{Example, canonical, example, hostile_text, permuted, valid_example};
use proptest::prelude::*;
use serde_json::Value;
use toolmend::{Contract, Options, Outcome, Policy, Rule};

fn config() -> ProptestConfig {
    let cases = std::env::var("TOOLMEND_PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2_000);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4_000,
        max_global_rejects: u32::MAX,
        ..ProptestConfig::default()
    }
}

fn contract(schema: &Value, policy: Policy) -> Contract {
    Options::new().policy(policy).name("the_tool").compile(schema).expect("generated schemas compile")
}

/// The verdict of the validator on its own representation.
fn verdict(schema: &Value, value: &Value) -> bool {
    jsonschema::options().offline().should_validate_formats(false).build(schema).expect("compiles").is_valid(value)
}

fn value_of(outcome: &Outcome<'_>) -> Option<Value> {
    outcome.value().map(|node| serde_json::from_str(&node.to_string()).expect("canonical text is JSON"))
}

/// What must not depend on the order of branches: everything but the places in the schema.
fn essence(outcome: &Outcome<'_>) -> (Option<Value>, [Vec<(String, String)>; 2]) {
    let mut repairs: Vec<_> =
        outcome.repairs().iter().map(|repair| (repair.rule.to_string(), repair.path.clone())).collect();
    let mut issues: Vec<_> =
        outcome.issues().iter().map(|issue| (issue.code.to_string(), issue.path.clone())).collect();
    repairs.sort();
    issues.sort();
    (value_of(outcome), [repairs, issues])
}

fn only_respelled(outcome: &Outcome<'_>) -> bool {
    outcome.repairs().iter().all(|repair| repair.rule == Rule::CanonicalInteger)
}

proptest! {
    #![proptest_config(config())]

    /// Law 1: valid stays, whatever it looks like.
    #[test]
    fn valid_stays(Example { schema, value, .. } in valid_example()) {
        let text = value.to_string();
        prop_assert!(verdict(&schema, &value));
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            prop_assert!(only_respelled(&outcome), "{policy}: {}", outcome.to_json());
            prop_assert_eq!(value_of(&outcome).map(|value| canonical(&value)), Some(canonical(&value)), "{}", policy);
        }
    }

    /// Law 1: a member that is valid where it stands is left alone, whatever is wrong beside it.
    #[test]
    fn valid_members_stay(Example { schema, value, .. } in example()) {
        let text = value.to_string();
        let (Some(properties), Some(members)) = (schema["properties"].as_object(), value.as_object()) else { return Ok(()) };
        prop_assume!(["anyOf", "oneOf", "allOf"].iter().all(|keyword| schema.get(*keyword).is_none()));
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            let Some(result) = value_of(&outcome) else { continue };
            prop_assume!(outcome.repairs().iter().all(|repair| !matches!(repair.rule, Rule::RenameKey) && !(repair.path.is_empty())));
            for (key, member) in members {
                let Some(sub) = properties.get(key) else { continue };
                let alone = with_definitions(sub, &schema);
                if verdict(&alone, member) {
                    prop_assert_eq!(canonical(&result[key]), canonical(member), "{} at {}: {}", key, policy, outcome.to_json());
                }
            }
        }
    }

    /// Law 2: what is accepted is valid, and `strict` is the validator's verdict.
    #[test]
    fn ok_means_valid(Example { schema, text, .. } in example()) {
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            match value_of(&outcome) {
                Some(value) => prop_assert!(verdict(&schema, &value), "{policy}: {}", outcome.to_json()),
                None => prop_assert!(!outcome.issues().is_empty()),
            }
            if let (Policy::Strict, Ok(value)) = (*policy, serde_json::from_str::<Value>(&text))
                && !has_duplicates(&text) {
                    prop_assert_eq!(outcome.is_ok(), verdict(&schema, &value), "{}", outcome.to_json());
                }
        }
    }

    /// The plan's own check, the walk for what is plainly valid, and the `jsonschema` crate say the same of everything:
    /// outcomes are equal byte for byte, whoever judges.
    #[test]
    fn judges_agree(Example { schema, value, text, .. } in example()) {
        for policy in Policy::ALL {
            let options = Options::new().policy(*policy).name("the_tool");
            let plan = options.compile(&schema).expect("generated schemas compile");
            let authority = options.judged_by_jsonschema().compile(&schema).expect("generated schemas compile");
            for text in [&text, &value.to_string()] {
                prop_assert_eq!(plan.repair(text).to_json(), authority.repair(text).to_json(), "{}", policy);
            }
        }
    }

    /// What is plainly valid for the host's walk is valid for the validator, and comes back without a word.
    #[test]
    fn plain_means_unchanged(Example { schema, value, .. } in prop_oneof![example(), valid_example()]) {
        let contract = contract(&schema, Policy::Lenient);
        let text = value.to_string();
        if contract.is_plain(&text, &mut toolmend::certain::Ignored) {
            let authority =
                Options::new().policy(Policy::Lenient).judged_by_jsonschema().compile(&schema).expect("compiles");
            let outcome = authority.repair(&text);
            prop_assert!(verdict(&schema, &value));
            prop_assert!(outcome.repairs().is_empty() && outcome.warnings().is_empty(), "{}", outcome.to_json());
        }
    }

    /// Law 3: permuting the branches of a union never changes the outcome.
    #[test]
    fn branches_have_no_order(Example { schema, text, .. } in example(), seed in any::<u64>()) {
        let other = permuted(&schema, seed);
        for policy in Policy::ALL {
            let (one, two) = (contract(&schema, *policy), contract(&other, *policy));
            prop_assert_eq!(essence(&one.repair(&text)), essence(&two.repair(&text)), "{}: {}", policy, other);
        }
    }

    /// Law 4: repairing a repaired value changes nothing.
    #[test]
    fn idempotent(Example { schema, text, .. } in example()) {
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let Some(once) = contract.repair(&text).value().map(|node| node.to_string()) else { continue };
            let outcome = contract.repair(&once);
            prop_assert!(outcome.repairs().is_empty(), "{policy}: {} then {}", once, outcome.to_json());
            prop_assert_eq!(outcome.value().map(|node| node.to_string()), Some(once));
        }
    }

    /// Law 5: what a narrower policy accepts, a wider one accepts with the same value.
    #[test]
    fn policies_only_grow(Example { schema, text, .. } in example()) {
        let mut accepted: Option<String> = None;
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            let value = outcome.value().map(|node| node.to_string());
            if let Some(before) = &accepted {
                // `strict` leaves the spelling of an integer as it came.
                let same = value.as_ref().is_some_and(|value| {
                    let read = |text: &str| canonical(&serde_json::from_str(text).expect("JSON"));
                    value == before || only_respelled(&outcome) && read(value) == read(before)
                });
                prop_assert!(same, "{policy}: {:?} after {before}", outcome.to_json());
            }
            accepted = value.or(accepted);
        }
    }

    /// Law 6: a refusal carries no value, and every issue points into what was sent.
    #[test]
    fn refusals_point_into_the_input(Example { schema, value, .. } in example()) {
        let text = value.to_string();
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            if outcome.is_ok() { continue }
            prop_assert!(outcome.repairs().is_empty() && outcome.value().is_none());
            for issue in outcome.issues() {
                prop_assert!(replay::points_into(&value, &issue.path), "{} of {}", issue.path, outcome.to_json());
                prop_assert!(!issue.hint.is_empty());
            }
            let wire: Value = serde_json::from_str(&outcome.to_json()).expect("JSON");
            prop_assert!(wire.get("value").is_none());
        }
    }

    /// Law 7: the repairs lead from the parsed input to the value and back, and so does the patch.
    #[test]
    fn reversible(Example { schema, text, .. } in example()) {
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            let Some(value) = value_of(&outcome) else { continue };
            let input = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.clone()));
            let states = replay::forward(&input, outcome.repairs());
            prop_assert_eq!(states.last(), Some(&value), "{}: {}", policy, outcome.to_json());
            prop_assert_eq!(&replay::backward(&states, outcome.repairs()), &input, "{}: {}", policy, outcome.to_json());
            prop_assert_eq!(replay::patched(&input, &outcome.patch()), value, "{}: {}", policy, outcome.patch());
        }
    }

    /// Law 9: the schema that was compiled is not changed by anything (the text cannot be: it is borrowed).
    #[test]
    fn nothing_is_changed(Example { schema, text, .. } in example()) {
        let before = schema.clone();
        let contract = contract(&schema, Policy::Lenient);
        let one = contract.repair(&text).to_json();
        let two = contract.repair(&text).to_json();
        prop_assert_eq!(one, two);
        prop_assert_eq!(schema, before);
    }

    /// Law 10: any text gets an answer.
    #[test]
    fn any_text_gets_an_answer(Example { schema, .. } in example(), text in hostile_text()) {
        for policy in Policy::ALL {
            let contract = contract(&schema, *policy);
            let outcome = contract.repair(&text);
            prop_assert!(outcome.is_ok() || !outcome.issues().is_empty());
            let _ = outcome.feedback();
        }
    }
}

fn with_definitions(schema: &Value, root: &Value) -> Value {
    let mut schema = schema.clone();
    if let (Some(object), Some(definitions)) = (schema.as_object_mut(), root.get("$defs")) {
        object.insert("$defs".to_owned(), definitions.clone());
    }
    schema
}

fn has_duplicates(text: &str) -> bool {
    toolmend::Document::parse(text).is_err()
}
