//! Law 10: hostile schemas and texts end in a typed issue, in time.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolmend::{Code, Limits, Options, Outcome, Policy};

/// Far above what any of these takes; a hang is what is looked for.
const HANG: Duration = Duration::from_secs(30);

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    let taken = start.elapsed();
    println!("{what}: {taken:?}");
    assert!(taken < HANG, "{what} took {taken:?}");
    result
}

fn codes(outcome: &Outcome<'_>) -> Vec<Code> {
    outcome.issues().iter().map(|issue| issue.code).collect()
}

fn lenient(schema: &Value) -> toolmend::Contract {
    Options::new().policy(Policy::Lenient).compile(schema).unwrap()
}

#[test]
fn deep_text_is_a_depth_limit() {
    let contract = lenient(&json!({}));
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(codes(&timed("deep", || contract.repair(&deep))), [Code::DepthLimit]);
        let cut = open.repeat(100_000);
        assert_eq!(codes(&timed("deep and cut", || contract.repair(&cut))), [Code::DepthLimit]);
    }
    let inner = "[".repeat(5_000);
    let schema = json!({"type": "object", "properties": {"v": {"type": "array"}}});
    let text = json!({"v": inner}).to_string();
    assert_eq!(codes(&lenient(&schema).repair(&text)), [Code::DepthLimit]);
}

#[test]
fn the_deepest_depth_that_can_be_asked_for_is_walked() {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let schema = json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}, "s": {"type": "array"}}, "additionalProperties": false}}});
    let contract = Options::new().policy(Policy::Lenient).limits(limits).compile(&schema).unwrap();
    assert_eq!(contract.limits().depth, Limits::MAX_DEPTH);
    // The innermost object and the list that it gets are levels too.
    let depth = Limits::MAX_DEPTH - 2;
    let deep = format!("{}{{\"s\": 1}}{}", "{\"n\":".repeat(depth), "}".repeat(depth));
    let outcome = timed("a wrap at the bottom", || contract.repair(&deep));
    assert!(outcome.is_ok(), "{}", outcome.feedback());
}

#[test]
fn long_text_is_a_size_limit_or_an_answer() {
    let schema = json!({"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]});
    let contract = lenient(&schema);
    let long = json!({"s": "x".repeat(10_000_000)}).to_string();
    assert_eq!(codes(&timed("10 MB", || contract.repair(&long))), [Code::SizeLimit]);
    let limits = Limits { bytes: usize::MAX, ..Limits::default() };
    let contract = Options::new().limits(limits).compile(&schema).unwrap();
    assert!(timed("10 MB allowed", || contract.repair(&long)).is_ok());
}

/// One object schema a branch, told apart by nothing.
fn branches(count: usize) -> Value {
    let branch = |index: usize| json!({"type": "object", "properties": {format!("p{index}"): {"type": "integer"}, "v": {"type": "array", "items": {"type": "integer", "minimum": index}}}, "required": [format!("p{index}")], "additionalProperties": false});
    json!({"type": "array", "items": {"oneOf": (0..count).map(branch).collect::<Vec<_>>()}})
}

#[test]
fn a_thousand_branches_and_a_large_input_is_a_work_limit() {
    let contract = lenient(&branches(1_000));
    let item = json!({"v": vec!["1"; 100], "q": "x"});
    let text = Value::from(vec![item; 500]).to_string();
    let outcome = timed("a thousand branches", || contract.repair(&text));
    assert_eq!(codes(&outcome), [Code::WorkLimit]);
    let strict = Options::new().policy(Policy::Strict).compile(&branches(1_000)).unwrap();
    let outcome = timed("a thousand branches, strict", || strict.repair(&text));
    assert!(!outcome.is_ok());
}

#[test]
fn unions_beside_unions_are_a_work_limit() {
    let union =
        |index: usize| json!({"anyOf": [{"required": [format!("a{index}")]}, {"required": [format!("b{index}")]}]});
    let schema = json!({"type": "object", "allOf": (0..40).map(union).collect::<Vec<_>>()});
    let outcome = timed("2^40 combinations", || lenient(&schema).repair(r#"{"c": 1}"#).into_owned());
    assert_eq!(codes(&outcome), [Code::WorkLimit]);
}

#[test]
fn recursion_through_unions_is_bounded() {
    let schema = json!({"$ref": "#/$defs/n", "$defs": {"n": {"anyOf": [
        {"type": "array", "items": {"$ref": "#/$defs/n"}},
        {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "integer"}]}, "minItems": 1},
        {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "additionalProperties": false}
    ]}}});
    let text = format!("{}\"x\"{}", "[".repeat(60), "]".repeat(60));
    let outcome = timed("recursive unions", || lenient(&schema).repair(&text).into_owned());
    assert!(!outcome.is_ok());
}

#[test]
fn schemas_that_refer_to_themselves_compile() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
    ] {
        if let Ok(contract) = Options::new().policy(Policy::Lenient).compile(&schema) {
            let _ = timed("a loop", || contract.repair(r#"{"a": "1"}"#).to_json());
        }
    }
}

#[test]
fn many_keys_are_linear() {
    let mut text = String::from("{");
    for index in 0..100_000 {
        let _ = write!(text, "\"Key_{index}\": 1,");
    }
    text.push_str("\"x\": 1}");
    let properties: serde_json::Map<String, Value> =
        (0..2_000).map(|index| (format!("key{index}"), json!({"type": "integer"}))).collect();
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let outcome = timed("100,000 keys", || lenient(&schema).repair(&text).into_owned());
    assert!(!outcome.is_ok());
    assert!(outcome.issues().len() <= Limits::default().issues);
}

#[test]
fn separators_by_the_million_are_ambiguous() {
    let schema = json!({"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}});
    let text = json!({"tags": "a,".repeat(1_000_000)}).to_string();
    assert_eq!(codes(&timed("a million commas", || lenient(&schema).repair(&text).into_owned())), [Code::Ambiguous]);
}

/// Every outcome that is told about in full, and yet in time.
#[test]
fn long_reports_are_cut_before_they_are_made() {
    let many = |count: usize, value: &str| Value::from(vec![value; count]);
    let list = |items: Value| json!({"type": "object", "properties": {"l": {"type": "array", "items": items}}});
    let declared: serde_json::Map<String, Value> =
        (0..200).map(|index| (format!("declared_{index}"), json!({"type": "integer"}))).collect();
    let keys = |count: usize, length: usize| -> Value {
        (0..count)
            .map(|index| (format!("{index}{}", "k".repeat(length)), json!(1)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let long: serde_json::Map<String, Value> =
        (0..30).map(|index| (format!("{}{index}", "k".repeat(3_000)), json!({"type": "integer"}))).collect();
    let members: Vec<String> = (0..5_000).map(|index| format!("member {index}")).collect();
    for (what, schema, input) in [
        ("formats", list(json!({"type": "string", "format": "email"})), json!({"l": many(100_000, "x")})),
        ("undeclared", json!({"type": "object", "properties": declared}), keys(50_000, 4)),
        ("JSON text", list(json!({"type": "string"})), json!({"l": many(60_000, "{\"a\": 1}")})),
        ("members", list(json!({"enum": members})), json!({"l": many(5_000, "member")})),
        ("long keys", json!({"type": "object", "properties": long, "additionalProperties": false}), keys(30, 3_000)),
        (
            "a map",
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            (0..60_000).map(|index| (format!("k{index}"), json!("x"))).collect::<serde_json::Map<_, _>>().into(),
        ),
        (
            "separators",
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}),
            (0..40_000).map(|index| (format!("k{index}"), json!("a,b"))).collect::<serde_json::Map<_, _>>().into(),
        ),
        (
            "decimals",
            list(json!({"type": "string"})),
            serde_json::from_str(&format!("{{\"l\": [{}1.10]}}", "1.10,".repeat(50_000))).unwrap(),
        ),
    ] {
        let contract = lenient(&schema);
        let text = input.to_string();
        let outcome = timed(what, || contract.repair(&text));
        let told = outcome.issues().len() + outcome.warnings().len();
        assert!((1..=Limits::default().issues).contains(&told), "{what}: {told}");
    }
}

/// Two layers of every union below two others, and text inside text.
#[test]
fn nesting_is_not_exponential() {
    let mut schema = json!({"type": "boolean"});
    for _ in 0..5 {
        schema = json!({"anyOf": [
            {"type": "object", "properties": {"c": schema, "d": schema}, "required": ["c"], "additionalProperties": false},
            {"type": "object", "properties": {"c": schema, "d": schema, "e": {"type": "integer"}}, "required": ["c"], "additionalProperties": false}
        ]});
    }
    let mut value = json!("x");
    for _ in 0..5 {
        value = json!({"c": value, "d": value});
    }
    let text = value.to_string();
    assert!(!timed("nested unions", || lenient(&schema).repair(&text).into_owned()).is_ok());

    let expression = json!({"$ref": "#/$defs/e", "$defs": {"e": {"anyOf": [
        {"type": "object", "properties": {"all": {"type": "array", "items": {"$ref": "#/$defs/e"}}}, "required": ["all"], "additionalProperties": false},
        {"type": "object", "properties": {"not": {"$ref": "#/$defs/e"}}, "required": ["not"], "additionalProperties": false},
        {"type": "object", "properties": {"field": {"type": "string"}, "value": {"type": "integer"}}, "required": ["field", "value"], "additionalProperties": false}
    ]}}});
    let text = format!("{}{{\"field\": \"a\", \"value\": \"5\"}}{}", "{\"not\":".repeat(12), "}".repeat(12));
    let outcome = timed("an expression", || lenient(&expression).repair(&text).into_owned());
    assert!(outcome.is_ok(), "{}", outcome.feedback());
}

/// What a schema that an attacker wrote may hold.
#[test]
fn schemas_that_multiply_are_a_work_limit() {
    let chain = |count: usize, link: &dyn Fn(Value) -> Value| {
        let mut defs = serde_json::Map::new();
        for index in 0..count {
            defs.insert(format!("d{index}"), link(json!({"$ref": format!("#/$defs/d{}", index + 1)})));
        }
        defs.insert(format!("d{count}"), json!({"type": "string"}));
        json!({"$ref": "#/$defs/d0", "$defs": defs})
    };
    let diamonds = chain(30, &|next| json!({"allOf": [next.clone(), next]}));
    let forks = chain(30, &|next| json!({"anyOf": [next.clone(), next]}));
    let long = chain(1_200, &|next| json!({"anyOf": [next, {"type": "null"}]}));
    let deep = chain(1_000, &|next| json!({"type": "object", "properties": {"a": next}}));
    for (what, schema) in [("diamonds", diamonds), ("forks", forks), ("a long way", long), ("a deep schema", deep)] {
        for policy in [Policy::Strict, Policy::Lenient] {
            let contract = Options::new().policy(policy).compile(&schema).unwrap();
            for text in ["5", "\"x\"", "{\"a\": {\"a\": 5}}"] {
                let _ = timed(what, || contract.repair(text).to_json());
            }
            let _ = timed(what, || contract.hints(1_024));
        }
    }
    for definition in
        [json!({"not": {"$ref": "#/$defs/d"}}), json!({"anyOf": [{"$ref": "#/$defs/d"}, {"type": "array"}]})]
    {
        let schema = json!({"propertyNames": {"$ref": "#/$defs/d"}, "$defs": {"d": definition}});
        if let Ok(contract) = Options::new().compile(&schema) {
            let _ = timed("names", || contract.repair("{\"a\": 1}").to_json());
        }
    }
}

#[test]
fn hints_of_recursive_schemas_are_short() {
    let properties: serde_json::Map<String, Value> =
        (0..20).map(|index| (format!("p{index}"), json!({"$ref": "#"}))).collect();
    for schema in [
        json!({"type": "object", "properties": properties}),
        json!({"anyOf": [{"type": "integer"}, {"$ref": "#"}]}),
        json!({"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/d"}]}}}),
    ] {
        let contract = Options::new().compile(&schema).unwrap();
        assert!(timed("hints", || contract.hints(1_024)).len() <= 1_024);
    }
}

#[test]
fn text_inside_text_counts_its_levels() {
    let schema =
        json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"c": {"$ref": "#/$defs/n"}}}}});
    let contract = Options::new().compile(&schema).unwrap();
    let mut text = "{}".to_owned();
    for _ in 0..6 {
        text = format!("{}{}{}", "{\"c\":".repeat(120), json!(text), "}".repeat(120));
        let outcome = timed("layers", || contract.repair(&text));
        if let Some(value) = outcome.value().map(|value| value.to_string()) {
            assert!(contract.repair(&value).is_ok());
        } else {
            assert_eq!(codes(&outcome), [Code::DepthLimit]);
        }
    }
}

#[test]
fn a_pattern_that_is_given_up_is_an_issue_wherever_it_stands() {
    let schema = json!({"type": "object", "properties": {"l": {"type": "string", "pattern": "^(a*)*\\1b$"}}});
    let text = json!({"l": "a".repeat(40)}).to_string();
    for policy in Policy::ALL {
        let contract = Options::new().policy(*policy).compile(&schema).unwrap();
        assert!(!timed("given up", || contract.repair(&text)).is_ok());
    }
}

#[test]
fn patterns_that_explode_are_bounded() {
    let schema = json!({"type": "object", "properties": {"s": {"type": "string", "pattern": "^(a+)+\\1$"}}});
    let contract = Options::new().compile(&schema).unwrap();
    let text = json!({"s": format!("{}b", "a".repeat(5_000))}).to_string();
    let outcome = timed("a pattern that explodes", || contract.repair(&text).into_owned());
    assert!(!outcome.is_ok());
}

#[test]
fn brackets_in_prose_are_bounded() {
    let text = "see [1] {a} ".repeat(200_000);
    let outcome = timed("brackets in prose", || lenient(&json!({"type": "object"})).repair(&text).into_owned());
    assert!(!outcome.is_ok());
}
