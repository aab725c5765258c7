//! What is measured of servers with a tool of their own.

use super::effort::Effort;
use super::job::{Job, Transport, Work, at_most, either, times_raw, words};
use super::kind::Kind;

/// Sizes of messages in bytes.
pub(super) const SMALL: usize = 64;
const MEDIUM: usize = 1024;
pub(super) const LARGE: usize = 100 * 1024;

/// Legacy sessions that do nothing but keep a stream open.
pub(super) fn idle(effort: &Effort) -> Vec<Job> {
    vec![Job {
        kind: Kind::Idle,
        case: format!("{} sessions", effort.idle_sessions),
        transport: Transport::Http,
        work: Work::Report(words(&format!("idle --sessions {}", effort.idle_sessions))),
        targets: at_most(24.0),
        other: None,
    }]
}

/// From starting the process to its first answer.
pub(super) fn startup() -> Vec<Job> {
    let job = |transport, over: &str, targets| Job {
        kind: Kind::Startup,
        case: over.to_owned(),
        transport,
        work: Work::Report(words(&format!("startup --over {over}"))),
        targets,
        other: None,
    };
    vec![job(Transport::Stdio, "stdio", at_most(10.0)), job(Transport::Http, "http", Vec::new())]
}

/// Calls one after the other and many at once, with messages of three sizes.
pub(super) fn load(
    kind: Kind,
    transport: Transport,
    mode: &str,
    parallel_name: &str,
    effort: &Effort,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (payload, size) in [(SMALL, "64 B"), (MEDIUM, "1 KiB"), (LARGE, "100 KiB")] {
        for parallel in [1, 16] {
            let busy_http = transport == Transport::Http && payload == SMALL && parallel == 16;
            let Effort { seconds, warmup, .. } = effort;
            let arguments = format!(
                "{mode} --payload {payload} --parallel {parallel} --seconds {seconds} --warmup {warmup}"
            );
            jobs.push(Job {
                kind,
                case: format!("{size}, {parallel_name} {parallel}"),
                transport,
                work: Work::Report(words(&arguments)),
                targets: if busy_http { times_raw(1.15) } else { Vec::new() },
                other: None,
            });
        }
    }
    jobs
}

/// What a call with a token costs, counted with few calls and with many.
pub(super) fn tokens(effort: &Effort) -> Vec<Job> {
    let few = effort.few_small_calls;
    let job = |(case, word): (&str, &'static str)| Job {
        kind: Kind::Tokens,
        case: case.to_owned(),
        transport: Transport::Tokens(word),
        work: Work::Instructions {
            arguments: words(&format!("http --era stateless --payload {SMALL}")),
            few,
            many: 6 * few,
        },
        targets: times_raw(1.15),
        other: None,
    };
    [("static token", "static"), ("JWT", "jwt")].map(job).into()
}

/// What sessions of many principals take while nobody uses them.
pub(super) fn principals(effort: &Effort) -> Vec<Job> {
    let principals = effort.principals;
    vec![Job {
        kind: Kind::Principals,
        case: format!("{principals} principals, 10 sessions each"),
        transport: Transport::Tokens("principals"),
        work: Work::Report(words(&format!("principals --principals {principals} --sessions 10"))),
        targets: Vec::new(),
        other: None,
    }]
}

/// What a call costs in instructions, counted with few calls and with many.
pub(super) fn instructions(effort: &Effort) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (name, transport, mode, small_targets) in [
        ("stdio", Transport::Stdio, "stdio", either(16_000.0, 1.8)),
        ("http", Transport::Http, "http --era legacy", times_raw(1.0)),
        ("stateless", Transport::Http, "http --era stateless", times_raw(1.15)),
    ] {
        for (payload, size, few, targets) in [
            (SMALL, "64 B", effort.few_small_calls, small_targets),
            (LARGE, "100 KiB", effort.few_large_calls, times_raw(1.02)),
        ] {
            let arguments = words(&format!("{mode} --payload {payload}"));
            jobs.push(Job {
                kind: Kind::Instructions,
                case: format!("{name}, {size}"),
                transport,
                work: Work::Instructions { arguments, few, many: 6 * few },
                targets,
                other: None,
            });
        }
    }
    jobs
}
