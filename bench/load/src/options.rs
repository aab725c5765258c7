//! The command line: a mode, what it needs, and the command of the server.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};

#[derive(Parser)]
#[command(about = "Load generator for MCP servers")]
pub(crate) struct Options {
    #[arg(value_enum)]
    pub(crate) mode: Mode,
    /// Calls: bytes of text in each; events: the same
    #[arg(long, default_value_t = 64)]
    pub(crate) payload: usize,
    /// Calls: requests in flight (stdio), or sessions with a connection each (HTTP)
    #[arg(long, default_value_t = 1)]
    pub(crate) parallel: usize,
    /// How long to measure
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// How long to call before measuring; none with `--calls`
    #[arg(long, default_value_t = 0.3)]
    warmup: f64,
    /// Make exactly this many calls in each session instead
    #[arg(long)]
    calls: Option<usize>,
    /// Calls: the name of the echo tool, or of another tool with `--arguments`
    #[arg(long, default_value = "echo")]
    pub(crate) tool: String,
    /// Calls: a file with the arguments of one call per line, instead of an echo; a single line is
    /// repeated
    #[arg(long)]
    pub(crate) arguments: Option<PathBuf>,
    /// A text that every answer, or the output of a program, must contain
    #[arg(long)]
    pub(crate) contains: Option<String>,
    /// Calls over HTTP: how the server identifies a caller
    #[arg(long, value_enum, default_value_t = Era::Legacy)]
    pub(crate) era: Era,
    /// Calls over HTTP: also measure what one fsync costs in this folder
    #[arg(long)]
    pub(crate) disk: Option<PathBuf>,
    /// Events: one per stream, with the time at which it was emitted
    #[arg(long)]
    pub(crate) single: bool,
    /// Idle: how many sessions to hold open
    #[arg(long, default_value_t = 500)]
    pub(crate) sessions: usize,
    /// Startup: what to connect over
    #[arg(long, value_enum, default_value_t = Over::Stdio)]
    pub(crate) over: Over,
    /// Startup: how often to start the server; the median counts
    #[arg(long, default_value_t = 5)]
    pub(crate) runs: usize,
    /// Startup: seconds between the first answer and the reading of the memory
    #[arg(long, default_value_t = 0.0)]
    pub(crate) settle: f64,
    /// Catalogue: the number of tools once all upstreams are listed
    #[arg(long, default_value_t = 0)]
    pub(crate) tools: usize,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Mode {
    /// Calls over standard input and output
    Stdio,
    /// Calls over Streamable HTTP, one at a time in each session
    Http,
    /// No server: a program that is run to its end repeatedly
    Program,
    /// Events of the native RPC to one WebSocket reader
    Events,
    /// Memory of legacy sessions that only hold their GET stream open
    Idle,
    /// Time from starting the process to its first answer
    Startup,
    /// Time from starting a gateway to its first list of all its upstreams' tools
    Catalogue,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Over {
    Stdio,
    Http,
}

/// The two ways in which revisions of the protocol identify a caller.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Era {
    /// 2025-06-18: a handshake, then a session
    Legacy,
    /// 2026-07-28: every request carries its own metadata
    Stateless,
}

/// The end of one phase of calls.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    Time(Duration),
    Calls(usize),
}

impl Limit {
    /// Whether another call may begin, after `begun` calls and `elapsed` time.
    pub(crate) fn allows(self, begun: usize, elapsed: Duration) -> bool {
        match self {
            Self::Time(limit) => elapsed < limit,
            Self::Calls(limit) => begun < limit,
        }
    }
}

impl Options {
    pub(crate) fn limit(&self) -> anyhow::Result<Limit> {
        match self.calls {
            Some(calls) => Ok(Limit::Calls(calls)),
            None => Ok(Limit::Time(Duration::try_from_secs_f64(self.seconds)?)),
        }
    }

    /// A run with a fixed number of calls has no warm-up, so that such runs can be subtracted.
    pub(crate) fn warmup(&self) -> anyhow::Result<Limit> {
        match self.calls {
            Some(_) => Ok(Limit::Calls(0)),
            None => Ok(Limit::Time(Duration::try_from_secs_f64(self.warmup)?)),
        }
    }
}
