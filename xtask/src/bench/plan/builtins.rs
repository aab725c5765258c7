//! What is measured of memory and tasks.

use super::{
    Column, Effort, Job, Kind, MEMORY, Over, Shown, Target, Transport, Work, at_most, column,
    mebibytes, words,
};

const fn milliseconds(heading: &'static str, figure: &'static str) -> Column {
    Column { heading, figure, scale: 1e-3, shown: Shown::Itself }
}

pub(super) const CAPTURE: &[Column] = &[
    column("calls/s", "calls_per_second"),
    Column {
        heading: "× 1 client",
        figure: "calls_per_second",
        scale: 1.0,
        shown: Shown::TimesOther,
    },
    column("fsync µs", "fsync_us"),
    column("calls/fsync", "calls_per_fsync"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    column("CPU µs/call", "cpu_us_per_call"),
    MEMORY,
];
pub(super) const CLAIM: &[Column] = &[
    column("claims/s", "calls_per_second"),
    column("fsync µs", "fsync_us"),
    column("claims/fsync", "calls_per_fsync"),
    column("p50 µs", "p50_us"),
    column("p99 µs", "p99_us"),
    column("CPU µs/claim", "cpu_us_per_call"),
    MEMORY,
];
pub(super) const RECALL: &[Column] = &[
    milliseconds("p50 ms", "p50_us"),
    Column { heading: "× a tenth", figure: "p50_us", scale: 1.0, shown: Shown::TimesOther },
    milliseconds("p90 ms", "p90_us"),
    milliseconds("CPU p50 ms", "cpu_p50_us"),
    milliseconds("CPU p90 ms", "cpu_p90_us"),
    milliseconds("CPU ms/call", "cpu_us_per_call"),
    mebibytes("RSS MiB before", "rss_before_kib"),
    mebibytes("RSS MiB after", "rss_kib"),
];
/// Where resident memory is among the columns of a start.
const RESIDENT: usize = 1;
/// Memories that are there when a server is started.
const AT_REST: usize = 1_000;
/// The target of a search is for so many memories.
const USUAL: usize = 10_000;

pub(super) fn capture(effort: &Effort) -> Vec<Job> {
    let Effort { seconds, warmup, .. } = effort;
    let job = |clients: usize| Job {
        kind: Kind::MemoryCapture,
        case: format!("clients {clients}"),
        transport: Transport::BuiltIns(Over::Http, 0),
        work: Work::Report(words(&format!(
            "calls --tool memory_capture --arguments {{FOLDER}}/captures.jsonl --disk {{FOLDER}} \
             --parallel {clients} --seconds {seconds} --warmup {warmup}"
        ))),
        target: None,
        other: None,
    };
    let alone = job(1);
    let many = Job { other: Some(alone.case.clone()), ..job(16) };
    vec![alone, many]
}

pub(super) fn recall(effort: &Effort) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (filter, name) in [("none", ""), ("narrow", ", filtered")] {
        for (mode, limit) in [("text", Some(1.5)), ("vector", None), ("hybrid", Some(5.0))] {
            let mut smaller = None;
            for memories in effort.memories {
                let case = format!("{mode}{name}, {memories}");
                let count = effort.questions;
                let arguments = format!("--mode {mode} --filter {filter} --count {count}");
                jobs.push(Job {
                    kind: Kind::MemoryRecall,
                    case: case.clone(),
                    transport: Transport::InProcess(*memories),
                    work: Work::Itself(words(&arguments)),
                    target: limit.filter(|_| *memories == USUAL).and_then(at_most),
                    other: smaller.replace(case),
                });
            }
        }
    }
    let Effort { seconds, warmup, memories_through_binary: memories, .. } = effort;
    jobs.push(Job {
        kind: Kind::MemoryRecall,
        case: format!("text, {memories}, through the binary over HTTP"),
        transport: Transport::BuiltIns(Over::Http, *memories),
        work: Work::Report(words(&format!(
            "calls --tool memory_recall --arguments {{FOLDER}}/questions-{memories}.jsonl --again \
             --seconds {seconds} --warmup {warmup}"
        ))),
        target: None,
        other: None,
    });
    jobs
}

pub(super) fn claim(effort: &Effort) -> Vec<Job> {
    let tasks = effort.tasks;
    vec![Job {
        kind: Kind::TasksClaim,
        case: format!("clients 16, tasks {tasks}"),
        transport: Transport::BuiltIns(Over::Http, 0),
        work: Work::Report(words(&format!(
            "claim --tasks {tasks} --parallel 16 --disk {{FOLDER}}"
        ))),
        target: None,
        other: None,
    }]
}

pub(super) fn idle(effort: &Effort) -> Vec<Job> {
    let resident = Some(Target { column: RESIDENT, at_most: Some(15.0), times_raw: None });
    let rest = format!("--runs 1 --settle {}", effort.rest);
    [
        ("stdio, first answer", Over::Stdio, "startup --over stdio".to_owned(), at_most(10.0)),
        ("stdio, at rest", Over::Stdio, format!("startup --over stdio {rest}"), resident),
        ("http, at rest", Over::Http, format!("startup --over http {rest}"), resident),
    ]
    .map(|(case, over, arguments, target)| Job {
        kind: Kind::MemoryIdle,
        case: case.to_owned(),
        transport: Transport::BuiltInsOnOrOff(over, AT_REST),
        work: Work::Report(words(&arguments)),
        target,
        other: None,
    })
    .into()
}
