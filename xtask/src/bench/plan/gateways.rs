//! What is measured of gateways, each with one server behind it or with many.

use super::columns::{ADDED, FIRST_WORD, SUPERVISOR, TIMES_PROXY};
use super::effort::Effort;
use super::job::{
    Era, Job, SLEEPING, TOOLS_EACH, Target, Transport, UPSTREAMS, Work, at_most, column_at_most,
    words,
};
use super::kind::Kind;
use super::servers::{LARGE, SMALL};

const ERAS: [(Era, &str); 2] = [(Era::Legacy, "legacy"), (Era::Stateless, "stateless")];
/// How much more than the bare proxy a call may cost, by the size of its message.
const SIZES: [(usize, &str, f64); 2] = [(SMALL, "64 B", 2.0), (LARGE, "100 KiB", 1.3)];

/// Calls through a gateway, of both eras.
pub(super) fn calls(effort: &Effort) -> Vec<Job> {
    let Effort { seconds, gateway_warmup: warmup, .. } = effort;
    let mut jobs = Vec::new();
    for (era, mode) in ERAS {
        for (payload, size, times_proxy) in SIZES {
            for parallel in [1, 16] {
                let arguments = format!(
                    "http --era {mode} --tool {{TOOL}} --payload {payload} --parallel {parallel} \
                     --seconds {seconds} --warmup {warmup}"
                );
                let mut targets = vec![column_at_most(TIMES_PROXY, times_proxy)];
                match (payload, parallel) {
                    (SMALL, 1) => targets.push(column_at_most(ADDED, 25.0)),
                    (SMALL, _) => {
                        targets.push(Target { column: 0, at_most: None, times_raw: Some(2.5) });
                    }
                    _ => {}
                }
                jobs.push(Job {
                    kind: Kind::Gateway,
                    case: format!("{mode}, {size}, callers {parallel}"),
                    transport: Transport::Gateway(era, payload),
                    work: Work::Report(words(&arguments)),
                    targets,
                    other: None,
                });
            }
        }
    }
    jobs
}

/// What a call costs in the gateway itself, without the server behind it.
pub(super) fn instructions(effort: &Effort) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (era, mode) in ERAS {
        for (payload, size, times_proxy) in SIZES {
            let few = match payload {
                SMALL => effort.few_small_calls,
                _ => effort.few_large_calls,
            };
            let arguments =
                words(&format!("http --era {mode} --tool {{TOOL}} --payload {payload}"));
            jobs.push(Job {
                kind: Kind::GatewayInstructions,
                case: format!("{mode}, {size}"),
                transport: Transport::Gateway(era, payload),
                work: Work::Instructions { arguments, few, many: 6 * few },
                targets: vec![column_at_most(TIMES_PROXY, times_proxy)],
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
        transport: Transport::GatewayStreams,
        work: Work::Report(words(&format!("idle --sessions {}", effort.gateway_sessions))),
        targets: at_most(12.0),
        other: None,
    }]
}

/// From a gateway's start to a list of the tools of many servers, and the memory of all of them.
pub(super) fn catalogue() -> Vec<Job> {
    let tools = UPSTREAMS * TOOLS_EACH;
    vec![Job {
        kind: Kind::GatewayCatalogue,
        case: format!("{UPSTREAMS} upstreams × {TOOLS_EACH} tools"),
        transport: Transport::Upstreams,
        work: Work::Twice(words(&format!("catalogue --tools {tools} --upstream {{UPSTREAM}}"))),
        targets: vec![column_at_most(SUPERVISOR, 1.0)],
        other: None,
    }]
}

/// A chat with servers whose tools are known from before: its start, its answers, its memory.
pub(super) fn chat(effort: &Effort) -> Vec<Job> {
    let turns = effort.chat_turns;
    vec![Job {
        kind: Kind::Chat,
        case: format!("{SLEEPING} sleeping servers, {turns} turns"),
        transport: Transport::Chat,
        work: Work::Twice(words(&format!("chat --home {{FOLDER}} --turns {turns}"))),
        targets: vec![column_at_most(0, 100.0), column_at_most(FIRST_WORD, 5.0)],
        other: None,
    }]
}
