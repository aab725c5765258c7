//! Streams: events of the native RPC to one WebSocket reader, in long streams or one at a time.

use crate::bench::case::{Case, Setup, Work};
use crate::bench::effort::Effort;
use crate::bench::kind::{Column, Group, Kind, RESIDENT, Rounds};

pub(in crate::bench) static EVENTS: Kind = Kind {
    name: "streams",
    title: "events of the native RPC to readers of WebSockets",
    group: Group::Streams,
    rounds: Rounds::Every,
    columns: &[
        Column::new("CPU µs/event", "cpu_us_per_event"),
        Column::new("events/s", "events_per_second"),
        Column::new(ARRIVAL, "arrival_p50_us"),
        Column::new("arrival p99 µs", "arrival_p99_us"),
        RESIDENT,
        Column::times_raw("cpu_us_per_event"),
    ],
    cases: |effort| {
        let Effort { seconds, warmup, .. } = effort;
        let case = |name: &str, arguments: &str| {
            let load = format!("events {arguments} --seconds {seconds} --warmup {warmup}");
            Case::new(name, Setup::Events, Work::Report(load))
        };
        vec![
            case("64 B", "--payload 64"),
            case("1 KiB", "--payload 1024"),
            case("one at a time", "--single").target(ARRIVAL, 1_000.0),
        ]
    },
};

/// The time from emitting an event to its arrival.
const ARRIVAL: &str = "arrival p50 µs";
