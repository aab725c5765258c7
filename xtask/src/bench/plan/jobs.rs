//! The whole plan: the jobs of each kind, in the order in which they are run and shown.

use super::effort::Effort;
use super::job::{Job, Transport};
use super::kind::Kind;
use super::{builtins, gateways, machine, servers, sources, streams, trees};

/// All jobs of these kinds, kind by kind.
pub(in crate::bench) fn jobs(kinds: &[Kind], effort: &Effort) -> Vec<Job> {
    kinds.iter().flat_map(|kind| jobs_of(*kind, effort)).collect()
}

fn jobs_of(kind: Kind, effort: &Effort) -> Vec<Job> {
    let load = |transport, mode, parallel_name| {
        servers::load(kind, transport, mode, parallel_name, effort)
    };
    match kind {
        Kind::Stdio => load(Transport::Stdio, "stdio", "depth"),
        Kind::Http => load(Transport::Http, "http --era legacy", "sessions"),
        Kind::Stateless => load(Transport::Http, "http --era stateless", "callers"),
        Kind::Idle => servers::idle(effort),
        Kind::Startup => servers::startup(),
        Kind::Instructions => servers::instructions(effort),
        Kind::Gateway => gateways::calls(effort),
        Kind::GatewayIdle => gateways::idle(effort),
        Kind::GatewayInstructions => gateways::instructions(effort),
        Kind::GatewayCatalogue => gateways::catalogue(),
        Kind::Chat => gateways::chat(effort),
        Kind::MemoryCapture => builtins::capture(effort),
        Kind::MemoryRecall => builtins::recall(effort),
        Kind::TasksClaim => builtins::claim(effort),
        Kind::MemoryIdle => builtins::idle(effort),
        Kind::ShellRun => machine::shell(effort),
        Kind::FilesSearch => machine::search(effort),
        Kind::LogsQuery => machine::logs(effort),
        Kind::Anonymise => machine::anonymise(),
        Kind::Sysmcp => machine::sysmcp(effort),
        Kind::Streams => streams::events(effort),
        Kind::StreamsInstructions => streams::instructions(effort),
        Kind::Tokens => servers::tokens(effort),
        Kind::Principals => servers::principals(effort),
        Kind::Trees => trees::walks(effort),
        Kind::Build => sources::build(),
    }
}
