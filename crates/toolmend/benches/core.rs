//! The core alone, on the workloads of tests/bench/speed: `cargo xtask bench core`, which writes them first.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput};
use serde_json::Value;
use toolmend::{Contract, Options, Policy};

/// One call, and the schema that it is for.
struct Workload {
    name: String,
    schema: Value,
    arguments: String,
    policy: Policy,
    /// The value that is wanted; none where the call is to be refused.
    expected: Option<Value>,
}

impl Workload {
    fn contract(&self) -> Contract {
        Options::new().policy(self.policy).compile(&self.schema).expect("the schema is sound")
    }
}

/// The workloads in the folder that the task runner names.
fn workloads() -> Vec<Workload> {
    let folder = std::env::var("TOOLMEND_WORKLOADS").expect("`cargo xtask bench core` says where the workloads are");
    let paths = std::fs::read_dir(folder).expect("the folder can be read").map(|entry| entry.expect("an entry").path());
    let mut workloads: Vec<_> = paths.filter_map(|path| workload(&path)).collect();
    workloads.sort_by(|a, b| a.name.cmp(&b.name));
    workloads
}

/// A workload that is one call; not the one that is many tools.
fn workload(path: &Path) -> Option<Workload> {
    let text = std::fs::read_to_string(path).expect("a workload can be read");
    let mut workload: Value = serde_json::from_str(&text).expect("a workload is JSON");
    Some(Workload {
        name: path.file_stem()?.to_str()?.to_owned(),
        arguments: workload.get("arguments")?.as_str()?.to_owned(),
        policy: if workload.get("policy").is_some() { Policy::Lenient } else { Policy::default() },
        expected: workload.get("expected").cloned(),
        schema: workload["schema"].take(),
    })
}

fn repair(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("repair");
    for workload in workloads() {
        let contract = workload.contract();
        let outcome = contract.repair(workload.arguments.as_str());
        let value = outcome.value().map(|value| serde_json::from_str::<Value>(&value.to_string()).expect("JSON"));
        assert_eq!(value, workload.expected, "{}: only what is right is measured", workload.name);
        group.throughput(Throughput::Bytes(workload.arguments.len() as u64));
        group.bench_function(&workload.name, |bencher| {
            bencher.iter(|| contract.repair(black_box(workload.arguments.as_str())));
        });
    }
    group.finish();
}

fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    for workload in workloads().iter().filter(|workload| ["w1", "w2", "w5"].contains(&workload.name.as_str())) {
        group.bench_function(&workload.name, |bencher| bencher.iter(|| workload.contract()));
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    repair(&mut criterion);
    compile(&mut criterion);
    criterion.final_summary();
}
