//! What is measured of gateways, each with one server behind it or with many.

use super::columns::ADDED;
use super::effort::Effort;
use super::job::{
    Era, Job, TOOLS_EACH, Target, Transport, UPSTREAMS, Work, at_most, times_raw, words,
};
use super::kind::Kind;
use super::servers::{LARGE, SMALL};

/// Calls through a gateway, of both eras.
pub(super) fn calls(effort: &Effort) -> Vec<Job> {
    let Effort { seconds, gateway_warmup: warmup, .. } = effort;
    let added = Some(Target { column: ADDED, at_most: Some(60.0), times_raw: None });
    let mut jobs = Vec::new();
    for (era, mode) in [(Era::Legacy, "legacy"), (Era::Stateless, "stateless")] {
        for (payload, size, parallel, target) in [
            (SMALL, "64 B", 1, added),
            (SMALL, "64 B", 16, times_raw(4.0)),
            (LARGE, "100 KiB", 1, None),
            (LARGE, "100 KiB", 16, times_raw(1.5)),
        ] {
            let arguments = format!(
                "http --era {mode} --tool {{TOOL}} --payload {payload} --parallel {parallel} \
                 --seconds {seconds} --warmup {warmup}"
            );
            jobs.push(Job {
                kind: Kind::Gateway,
                case: format!("{mode}, {size}, callers {parallel}"),
                transport: Transport::Gateway(era, payload),
                work: Work::Report(words(&arguments)),
                target,
                other: None,
            });
        }
    }
    jobs
}

/// Legacy sessions through a gateway that do nothing but keep a stream open.
pub(super) fn idle(effort: &Effort) -> Vec<Job> {
    vec![Job {
        kind: Kind::GatewayIdle,
        case: format!("{} sessions", effort.gateway_sessions),
        transport: Transport::Gateway(Era::Legacy, 0),
        work: Work::Report(words(&format!("idle --sessions {}", effort.gateway_sessions))),
        target: at_most(32.0),
        other: None,
    }]
}

/// From a gateway's start to a list of the tools of many servers.
pub(super) fn catalogue() -> Vec<Job> {
    vec![Job {
        kind: Kind::GatewayCatalogue,
        case: format!("{UPSTREAMS} upstreams × {TOOLS_EACH} tools"),
        transport: Transport::Upstreams,
        work: Work::Twice(words(&format!("catalogue --tools {}", UPSTREAMS * TOOLS_EACH))),
        target: None,
        other: None,
    }]
}
