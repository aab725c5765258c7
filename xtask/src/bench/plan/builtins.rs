//! What is measured of memory and tasks, which nobody else has.

use super::columns::RESIDENT;
use super::effort::Effort;
use super::job::{Job, Over, Transport, Work, at_most, column_at_most, words};
use super::kind::Kind;

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
        targets: Vec::new(),
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
                    targets: limit.filter(|_| *memories == USUAL).map_or_else(Vec::new, at_most),
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
        targets: Vec::new(),
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
        targets: Vec::new(),
        other: None,
    }]
}

pub(super) fn idle(effort: &Effort) -> Vec<Job> {
    let resident = || vec![column_at_most(RESIDENT, 15.0)];
    let rest = format!("--runs 1 --settle {}", effort.rest);
    [
        ("stdio, first answer", Over::Stdio, "startup --over stdio".to_owned(), at_most(10.0)),
        ("stdio, at rest", Over::Stdio, format!("startup --over stdio {rest}"), resident()),
        ("http, at rest", Over::Http, format!("startup --over http {rest}"), resident()),
    ]
    .map(|(case, over, arguments, targets)| Job {
        kind: Kind::MemoryIdle,
        case: case.to_owned(),
        transport: Transport::BuiltInsOnOrOff(over, AT_REST),
        work: Work::Report(words(&arguments)),
        targets,
        other: None,
    })
    .into()
}
