//! The families of measurements, as the command line and the tables name them.
//!
//! What each of them consists of is in the files beside this one; a kind itself knows no job.

use clap::ValueEnum;
use serde::Serialize;

/// A family of measurements, shown as one table.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(in crate::bench) enum Kind {
    Stdio,
    Http,
    Stateless,
    Idle,
    Startup,
    Instructions,
    Gateway,
    GatewayIdle,
    GatewayInstructions,
    GatewayCatalogue,
    Chat,
    MemoryCapture,
    MemoryRecall,
    TasksClaim,
    MemoryIdle,
    ShellRun,
    FilesSearch,
    LogsQuery,
    Anonymise,
    Sysmcp,
    Streams,
    StreamsInstructions,
    Tokens,
    Principals,
    Trees,
    Build,
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
    /// The services of our binary that act on the machine, beside programs that do the same.
    Machine,
    /// One part of ours, in a program that measures it alone.
    Part,
    /// Streams of the native RPC, beside a bare loop that writes to a WebSocket.
    Streams,
    /// A server that asks for tokens, beside the same one that does not.
    Tokens,
    /// The service of trees, in a program that measures it alone.
    Trees,
    /// Our sources: what compiling them takes, and how large the program is.
    Sources,
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
            Self::Gateway => {
                "gateway: calls through it to one server on pipes; raw is the server called directly"
            }
            Self::GatewayIdle => "gateway-idle: legacy sessions with an open stream",
            Self::GatewayInstructions => {
                "gateway-instructions: of the gateway alone, in user space, counted by valgrind"
            }
            Self::GatewayCatalogue => "gateway-catalogue: from its start to a list of all tools",
            Self::Chat => "chat: on a terminal, with a model that answers at once",
            Self::MemoryCapture => "memory-capture: durable captures over HTTP",
            Self::MemoryRecall => "memory-recall: questions one at a time, in process",
            Self::TasksClaim => "tasks-claim: one list claimed over HTTP until it is empty",
            Self::MemoryIdle => "memory-idle: the start, and doing nothing",
            Self::ShellRun => {
                "shell-run: a command through the service, and as a plain child process"
            }
            Self::FilesSearch => "files-search: a whole tree, one search at a time",
            Self::LogsQuery => "logs-query: the newest 100 entries of a log file",
            Self::Anonymise => "anonymise: lines of a log on one core, in process",
            Self::Sysmcp => "sysmcp: the table of the document that the profile follows",
            Self::Streams => "streams: events of the native RPC to readers of WebSockets",
            Self::StreamsInstructions => {
                "streams-instructions: for an event to one reader, in user space, counted by valgrind"
            }
            Self::Tokens => {
                "tokens: a call without a session, counted by valgrind; raw is the server without tokens"
            }
            Self::Principals => {
                "principals: legacy sessions of many principals that nobody uses; raw is the server without tokens"
            }
            Self::Trees => "trees: paths and drawings of large trees, in process",
            Self::Build => {
                "build: processor time from an empty target, and the size of the program"
            }
        }
    }

    /// Whether one round tells as much as several.
    pub(in crate::bench) fn is_steady(self) -> bool {
        match self {
            Self::Idle | Self::GatewayIdle | Self::Principals => true,
            Self::Trees | Self::Build => true,
            // How many events go out with one write depends on how fast the reader is.
            Self::StreamsInstructions => false,
            _ => self.counts_instructions(),
        }
    }

    /// Whether valgrind is needed for it.
    pub(in crate::bench) fn counts_instructions(self) -> bool {
        use Kind::{GatewayInstructions, Instructions, StreamsInstructions, Tokens};
        matches!(self, Instructions | GatewayInstructions | StreamsInstructions | Tokens)
    }

    /// Whether a run that names no kinds includes it; a build takes longer than all others.
    pub(in crate::bench) fn is_usual(self) -> bool {
        self != Self::Build
    }

    pub(in crate::bench) fn subject(self) -> Subject {
        match self {
            Self::Stdio | Self::Http | Self::Stateless => Subject::Servers,
            Self::Idle | Self::Startup | Self::Instructions => Subject::Servers,
            Self::Gateway | Self::GatewayIdle => Subject::Gateways,
            Self::GatewayInstructions | Self::GatewayCatalogue => Subject::Gateways,
            Self::Chat => Subject::Gateways,
            Self::MemoryCapture | Self::MemoryRecall => Subject::BuiltIns,
            Self::TasksClaim | Self::MemoryIdle => Subject::BuiltIns,
            Self::ShellRun | Self::FilesSearch => Subject::Machine,
            Self::LogsQuery | Self::Sysmcp => Subject::Machine,
            Self::Anonymise => Subject::Part,
            Self::Streams | Self::StreamsInstructions => Subject::Streams,
            Self::Tokens | Self::Principals => Subject::Tokens,
            Self::Trees => Subject::Trees,
            Self::Build => Subject::Sources,
        }
    }
}
