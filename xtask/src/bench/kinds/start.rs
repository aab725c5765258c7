//! The time from the start of a process to its first answer, and the memory of idle processes.

use crate::bench::case::{Case, Over, Setup, Work};
use crate::bench::kind::{Column, Group, Kind, RESIDENT, Rounds};

pub(in crate::bench) static STARTUP: Kind = Kind {
    name: "startup",
    title: "from starting the process to its first answer",
    group: Group::Servers,
    rounds: Rounds::Every,
    columns: &[FIRST_ANSWER, RESIDENT, Column::times_raw("startup_ms")],
    cases: |_| {
        let case = |over: &str, setup| {
            Case::new(over, setup, Work::Report(format!("startup --over {over}")))
        };
        vec![
            case("stdio", Setup::Stdio).target("ms to first answer", 10.0),
            case("http", Setup::Http),
        ]
    },
};

pub(in crate::bench) static IDLE: Kind = Kind {
    name: "idle",
    title: "legacy sessions with an open stream",
    group: Group::Servers,
    rounds: Rounds::First,
    columns: &[
        Column::new("KiB/session", "kib_per_session"),
        RESIDENT,
        Column::times_raw("kib_per_session"),
    ],
    cases: |effort| {
        let sessions = effort.sessions;
        let work = Work::Report(format!("idle --sessions {sessions}"));
        vec![
            Case::new(format!("{sessions} sessions"), Setup::Http, work)
                .target("KiB/session", 24.0),
        ]
    },
};

pub(in crate::bench) static HUB: Kind = Kind {
    name: "memory-idle",
    title: "the start, and doing nothing",
    group: Group::Hub,
    rounds: Rounds::Every,
    columns: &[FIRST_ANSWER, RESIDENT],
    cases: |effort| {
        let rest = format!("--runs 1 --settle {}", effort.rest);
        [
            ("stdio, first answer", Over::Stdio, "startup --over stdio".to_owned()),
            ("stdio, at rest", Over::Stdio, format!("startup --over stdio {rest}")),
            ("http, at rest", Over::Http, format!("startup --over http {rest}")),
        ]
        .map(|(name, over, arguments)| {
            let setup = Setup::Hub { over, memories: STORED_MEMORIES };
            Case::new(name, setup, Work::Report(arguments))
        })
        .into()
    },
};

const FIRST_ANSWER: Column = Column::new("ms to first answer", "startup_ms");
/// The number of memories in the store when the hub starts.
const STORED_MEMORIES: usize = 1_000;
