//! A command and a file search through the services, beside programs that do the same.

use crate::bench::case::{Case, NEEDLE, Setup, Task, Work};
use crate::bench::effort::Effort;
use crate::bench::kind::{BESIDE, Column, Group, Kind, RESIDENT, Rounds, Shown};

pub(in crate::bench) static SHELL: Kind = Kind {
    name: "shell-run",
    title: "a command through the service, and as a plain child process",
    group: Group::Machine,
    rounds: Rounds::Every,
    columns: COLUMNS,
    cases: |effort| {
        let load = format!("--seconds {} --warmup {}", effort.seconds, effort.warmup);
        let case = Case::new("true", Setup::Machine(Task::Shell), Work::Report(load));
        vec![case.target(TIMES_BESIDE, 1.5)]
    },
};

pub(in crate::bench) static FILES: Kind = Kind {
    name: "files-search",
    title: "a whole tree, one search at a time",
    group: Group::Machine,
    rounds: Rounds::Every,
    columns: COLUMNS,
    cases: |effort| {
        let Effort { files, search_seconds: seconds, .. } = *effort;
        let load = format!("--contains {NEEDLE} --seconds {seconds} --warmup {seconds}");
        [("content, plain text", Task::Text(files)), ("names", Task::Names(files))]
            .map(|(name, task)| {
                let work = Work::Report(load.clone());
                Case::new(format!("{name}, {files} files"), Setup::Machine(task), work)
                    .target(TIMES_BESIDE, 1.3)
            })
            .into()
    },
};

const TIMES_BESIDE: &str = "× beside";
const COLUMNS: &[Column] = &[
    Column::milliseconds("p50 ms", "p50_us"),
    Column { shown: Shown::Times(&BESIDE), ..Column::new(TIMES_BESIDE, "p50_us") },
    Column::milliseconds("p90 ms", "p90_us"),
    Column::milliseconds("CPU ms/call", "cpu_us_per_call"),
    RESIDENT,
];
