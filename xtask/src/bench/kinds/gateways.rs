//! Gateways: calls through them to one server, and the list of many servers' tools.

use crate::bench::case::{Case, Era, Setup, TOOLS_EACH, UPSTREAMS, Work};
use crate::bench::effort::Effort;
use crate::bench::kind::{Column, Group, Kind, PROXY, RAW, RESIDENT, Rounds, Shown};

use super::calls::{LARGE, SMALL};

pub(in crate::bench) static GATEWAY: Kind = Kind {
    name: "gateway",
    title: "calls through it to one server on pipes; raw is the server called directly",
    group: Group::Gateways,
    rounds: Rounds::Every,
    columns: &[
        Column::new("CPU µs/call", "cpu_us_per_call"),
        Column { shown: Shown::Times(&[PROXY]), ..Column::new("× proxy", "cpu_us_per_call") },
        Column { shown: Shown::Added(&[RAW]), ..Column::new("added p50 µs", "p50_us") },
        Column::new("calls/s", "calls_per_second"),
        Column::new("p50 µs", "p50_us"),
        Column::new("p99 µs", "p99_us"),
        RESIDENT,
        Column::times_raw("cpu_us_per_call"),
    ],
    cases: calls,
};

pub(in crate::bench) static CATALOGUE: Kind = Kind {
    name: "gateway-catalogue",
    title: "from its start to a list of all tools",
    group: Group::Gateways,
    rounds: Rounds::Every,
    columns: &[
        Column::new("cold: all tools ms", "cold_whole_list_ms"),
        Column::new("cold: first answer ms", "cold_first_list_ms"),
        Column::new("cached: first answer ms", "cached_first_list_ms"),
        Column::new("cached: all tools ms", "cached_whole_list_ms"),
        Column::mebibytes("PSS MiB of all", "cold_pss_kib"),
    ],
    cases: |_| {
        let work = Work::Twice(format!("catalogue --tools {}", UPSTREAMS * TOOLS_EACH));
        let name = format!("{UPSTREAMS} upstreams × {TOOLS_EACH} tools");
        vec![Case::new(name, Setup::Upstreams, work)]
    },
};

/// Sequential and concurrent calls of both eras. Large messages cost the bare proxy as much as us.
fn calls(effort: &Effort) -> Vec<Case> {
    let Effort { seconds, gateway_warmup: warmup, .. } = effort;
    let mut cases = Vec::new();
    for (era, mode) in [(Era::Legacy, "legacy"), (Era::Stateless, "stateless")] {
        for (payload, size, times_proxy) in [(SMALL, "64 B", 2.0), (LARGE, "100 KiB", 1.3)] {
            for parallel in [1, 16] {
                let work = Work::Report(format!(
                    "http --era {mode} --tool {{TOOL}} --payload {payload} --parallel {parallel} \
                     --seconds {seconds} --warmup {warmup}"
                ));
                let name = format!("{mode}, {size}, callers {parallel}");
                let case = Case::new(name, Setup::Gateway { era, payload }, work)
                    .target("× proxy", times_proxy);
                cases.push(match (payload, parallel) {
                    (SMALL, 1) => case.target("added p50 µs", 25.0),
                    (SMALL, _) => case.target("× raw", 2.5),
                    _ => case,
                });
            }
        }
    }
    cases
}
