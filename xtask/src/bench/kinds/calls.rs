//! Calls of an echo tool over pipes and HTTP, in both eras, and their instructions.

use crate::bench::case::{Case, Setup, Work};
use crate::bench::effort::Effort;
use crate::bench::kind::{Column, Group, Kind, PER_CALL, RESIDENT, Rounds};

pub(in crate::bench) static STDIO: Kind = Kind {
    name: "stdio",
    title: "calls over one pair of pipes",
    group: Group::Servers,
    rounds: Rounds::Every,
    columns: LOAD,
    cases: |effort| load(Setup::Stdio, "stdio", "depth", effort),
};

pub(in crate::bench) static HTTP: Kind = Kind {
    name: "http",
    title: "calls in legacy sessions (2025-06-18)",
    group: Group::Servers,
    rounds: Rounds::Every,
    columns: LOAD,
    cases: |effort| load(Setup::Http, "http --era legacy", "sessions", effort),
};

pub(in crate::bench) static STATELESS: Kind = Kind {
    name: "stateless",
    title: "calls without a session (2026-07-28)",
    group: Group::Servers,
    rounds: Rounds::Every,
    columns: LOAD,
    cases: |effort| load(Setup::Http, "http --era stateless", "callers", effort),
};

pub(in crate::bench) static INSTRUCTIONS: Kind = Kind {
    name: "instructions",
    title: "in user space, counted by valgrind",
    group: Group::Servers,
    rounds: Rounds::FirstCounted,
    columns: &[Column::new("instructions/call", PER_CALL), Column::times_raw(PER_CALL)],
    cases: instructions,
};

const LOAD: &[Column] = &[
    Column::new("CPU µs/call", "cpu_us_per_call"),
    Column::new("calls/s", "calls_per_second"),
    Column::new("p50 µs", "p50_us"),
    Column::new("p99 µs", "p99_us"),
    RESIDENT,
    Column::times_raw("cpu_us_per_call"),
];

/// Sizes of messages in bytes.
pub(super) const SMALL: usize = 64;
const MEDIUM: usize = 1024;
pub(super) const LARGE: usize = 100 * 1024;

/// Sequential and concurrent calls with messages of three sizes.
fn load(setup: Setup, mode: &str, parallel_name: &str, effort: &Effort) -> Vec<Case> {
    let Effort { seconds, warmup, .. } = effort;
    let mut cases = Vec::new();
    for (payload, size) in [(SMALL, "64 B"), (MEDIUM, "1 KiB"), (LARGE, "100 KiB")] {
        for parallel in [1, 16] {
            let work = Work::Report(format!(
                "{mode} --payload {payload} --parallel {parallel} --seconds {seconds} --warmup {warmup}"
            ));
            let case = Case::new(format!("{size}, {parallel_name} {parallel}"), setup, work);
            cases.push(match (setup, payload, parallel) {
                (Setup::Http, SMALL, 16) => case.target("× raw", 1.15),
                _ => case,
            });
        }
    }
    cases
}

/// The six counts that have ceilings.
fn instructions(effort: &Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, setup, mode) in [
        ("stdio", Setup::Stdio, "stdio"),
        ("http", Setup::Http, "http --era legacy"),
        ("stateless", Setup::Http, "http --era stateless"),
    ] {
        for (payload, size, few) in
            [(SMALL, "64 B", effort.few_small_calls), (LARGE, "100 KiB", effort.few_large_calls)]
        {
            let arguments = format!("{mode} --payload {payload}");
            cases.push(Case::new(format!("{name}, {size}"), setup, Work::Count { arguments, few }));
        }
    }
    cases
}
