//! What is measured of the services that act on the machine, beside programs that do the same.

use super::columns::TIMES_BESIDE;
use super::effort::Effort;
use super::job::{Job, MachineTask, Target, Transport, Work, at_most, column_at_most, words};
use super::kind::Kind;

/// What is in a tenth of a percent of the files, and in the names of as many.
pub(in crate::bench) const NEEDLE: &str = "needle7f3a";

/// `true` through the service `shell`, and as a plain child process.
pub(super) fn shell(effort: &Effort) -> Vec<Job> {
    let load = format!("--seconds {} --warmup {}", effort.seconds, effort.warmup);
    vec![Job {
        kind: Kind::ShellRun,
        case: "true".to_owned(),
        transport: Transport::Machine(MachineTask::Shell),
        work: Work::BesideProgram {
            requests: words(&format!("requests --requests {{FOLDER}}/shell.jsonl {load}")),
            program: words(&format!("program {load}")),
        },
        targets: vec![column_at_most(TIMES_BESIDE, 1.5)],
        other: None,
    }]
}

/// A tree of files, searched through to its end.
pub(super) fn search(effort: &Effort) -> Vec<Job> {
    let Effort { files, search_seconds: seconds, .. } = *effort;
    [
        ("content, plain text", MachineTask::Text(files)),
        ("content, regular expression", MachineTask::Regex(files)),
        ("names", MachineTask::Names(files)),
    ]
    .map(|(case, task)| {
        let load = format!("--contains {NEEDLE} --seconds {seconds} --warmup {seconds}");
        let file = task.requests();
        Job {
            kind: Kind::FilesSearch,
            case: format!("{case}, {files} files"),
            transport: Transport::Machine(task),
            work: Work::BesideProgram {
                requests: words(&format!("requests --requests {{FOLDER}}/{file} {load}")),
                program: words(&format!("program {load}")),
            },
            targets: vec![column_at_most(TIMES_BESIDE, 1.3)],
            other: None,
        }
    })
    .into()
}

/// The newest entries of a long log file, by a process that has never read it and by one that has.
pub(super) fn logs(effort: &Effort) -> Vec<Job> {
    let Effort { log_entries: entries, seconds, warmup, .. } = *effort;
    let task = MachineTask::Logs(entries);
    let file = task.requests();
    let job = |case: &str, load: &str, targets: Vec<Target>| Job {
        kind: Kind::LogsQuery,
        case: format!("{case}, {entries} entries"),
        transport: Transport::Machine(task),
        work: Work::Report(words(&format!("requests --requests {{FOLDER}}/{file} {load}"))),
        targets,
        other: None,
    };
    let many = format!("--seconds {seconds} --warmup {warmup}");
    vec![
        job("first page, cold", "--calls 1", Vec::new()),
        job("first page, warm", &many, at_most(50.0)),
    ]
}

/// Lines with personal data in some of them, masked one after the other.
pub(super) fn anonymise() -> Vec<Job> {
    vec![Job {
        kind: Kind::Anonymise,
        case: "256 MiB".to_owned(),
        transport: Transport::Part,
        work: Work::Speed,
        // 100 MB/s or more.
        targets: at_most(10.0),
        other: None,
    }]
}

/// The table of the document that the profile follows.
pub(super) fn sysmcp(effort: &Effort) -> Vec<Job> {
    let load = format!("--seconds {} --warmup {}", effort.seconds, effort.warmup);
    [
        ("tool discovery", MachineTask::Discovery, "result", 50.0),
        ("tool execution, fs_stat", MachineTask::Stat, "result", 100.0),
        ("tool execution, eventlog_query", MachineTask::EventLog, "result", 100.0),
        ("schema validation", MachineTask::Validation, "failure", 10.0),
        ("protocol parsing", MachineTask::Parsing, "result", 10.0),
    ]
    .map(|(case, task, expected, limit)| {
        let file = task.requests();
        Job {
            kind: Kind::Sysmcp,
            case: case.to_owned(),
            transport: Transport::Machine(task),
            work: Work::Report(words(&format!(
                "requests --requests {{FOLDER}}/{file} --expect {expected} {load}"
            ))),
            targets: at_most(limit),
            other: None,
        }
    })
    .into()
}
