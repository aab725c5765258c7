//! The families of measurements, as the command line and the tables name them.
//!
//! What each of them consists of is in the files beside this one; a kind itself knows no job.

use clap::ValueEnum;
use serde::Serialize;

/// A family of measurements, shown as one table.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(in crate::bench) enum Kind {
    Stdio,
    Http,
    Stateless,
    Idle,
    Startup,
    Instructions,
    Gateway,
    GatewayIdle,
    GatewayCatalogue,
    MemoryCapture,
    MemoryRecall,
    TasksClaim,
    MemoryIdle,
}

/// What a kind is about, and so which programs it is measured with.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::bench) enum Subject {
    /// Servers with a tool of their own.
    Servers,
    Gateways,
    /// The services that our binary brings along. Nobody else has them, so that nothing is beside
    /// them but themselves.
    BuiltIns,
}

impl Kind {
    pub(in crate::bench) fn title(self) -> &'static str {
        match self {
            Self::Stdio => "stdio: calls over one pair of pipes",
            Self::Http => "http: calls in legacy sessions (2025-06-18)",
            Self::Stateless => "stateless: calls without a session (2026-07-28)",
            Self::Idle => "idle: legacy sessions with an open stream",
            Self::Startup => "startup: from starting the process to its first answer",
            Self::Instructions => "instructions: in user space, counted by valgrind",
            Self::Gateway => "gateway: calls through it to one server on pipes; raw is direct HTTP",
            Self::GatewayIdle => "gateway-idle: legacy sessions with an open stream",
            Self::GatewayCatalogue => "gateway-catalogue: from its start to a list of all tools",
            Self::MemoryCapture => "memory-capture: durable captures over HTTP",
            Self::MemoryRecall => "memory-recall: questions one at a time, in process",
            Self::TasksClaim => "tasks-claim: one list claimed over HTTP until it is empty",
            Self::MemoryIdle => "memory-idle: the start, and doing nothing",
        }
    }

    /// Whether one round tells as much as several.
    pub(in crate::bench) fn is_steady(self) -> bool {
        matches!(self, Self::Idle | Self::Instructions | Self::GatewayIdle)
    }

    pub(in crate::bench) fn subject(self) -> Subject {
        match self {
            Self::Stdio | Self::Http | Self::Stateless => Subject::Servers,
            Self::Idle | Self::Startup | Self::Instructions => Subject::Servers,
            Self::Gateway | Self::GatewayIdle | Self::GatewayCatalogue => Subject::Gateways,
            Self::MemoryCapture | Self::MemoryRecall => Subject::BuiltIns,
            Self::TasksClaim | Self::MemoryIdle => Subject::BuiltIns,
        }
    }
}
