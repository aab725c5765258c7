//! Memory: durable captures beside a bare fsync, and searches in stores of several sizes.

use crate::bench::case::{Case, Over, Setup, Work};
use crate::bench::effort::Effort;
use crate::bench::kind::{Column, Group, Kind, RESIDENT, Rounds};

pub(in crate::bench) static CAPTURE: Kind = Kind {
    name: "memory-capture",
    title: "durable captures over HTTP",
    group: Group::Hub,
    rounds: Rounds::Every,
    columns: &[
        Column::new("calls/s", "calls_per_second"),
        Column::new("fsync µs", "fsync_us"),
        Column::new("p50 µs", "p50_us"),
        Column::new("p99 µs", "p99_us"),
        Column::new("CPU µs/call", "cpu_us_per_call"),
        RESIDENT,
    ],
    cases: |effort| {
        let Effort { seconds, warmup, .. } = effort;
        let case = |clients| {
            let work = Work::Report(format!(
                "http --tool memory_capture --arguments {{FOLDER}}/captures.jsonl \
                 --disk {{FOLDER}} --parallel {clients} --seconds {seconds} --warmup {warmup}"
            ));
            Case::new(
                format!("clients {clients}"),
                Setup::Hub { over: Over::Http, memories: 0 },
                work,
            )
        };
        vec![case(1), case(16)]
    },
};

pub(in crate::bench) static RECALL: Kind = Kind {
    name: "memory-recall",
    title: "questions one at a time, in process",
    group: Group::Hub,
    rounds: Rounds::Every,
    columns: &[
        Column::milliseconds(P50, "p50_us"),
        Column::milliseconds("p90 ms", "p90_us"),
        Column::milliseconds("CPU ms/call", "cpu_us_per_call"),
        Column::mebibytes("RSS MiB before", "rss_before_kib"),
        Column::mebibytes("RSS MiB after", "rss_kib"),
    ],
    cases: recall,
};

const P50: &str = "p50 ms";
/// The store size for which a search has a target.
const TARGET_STORE_SIZE: usize = 10_000;

fn recall(effort: &Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for (mode, limit) in [("text", Some(1.5)), ("vector", None), ("hybrid", Some(5.0))] {
        for memories in effort.memories {
            let work = Work::Itself(format!("--mode {mode} --count {}", effort.questions));
            let setup = Setup::Recall { memories: *memories };
            let case = Case::new(format!("{mode}, {memories}"), setup, work);
            cases.push(match limit.filter(|_| *memories == TARGET_STORE_SIZE) {
                Some(limit) => case.target(P50, limit),
                None => case,
            });
        }
    }
    cases
}
