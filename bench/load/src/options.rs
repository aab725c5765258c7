//! The command line, one subcommand for each way to measure.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(about = "Load generator for MCP servers")]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) measure: Measure,
}

#[derive(Subcommand)]
pub(crate) enum Measure {
    /// Calls over standard input and output, `--parallel` of them in flight
    Stdio(LoadOptions),
    /// Calls over Streamable HTTP, one at a time in each of `--parallel` sessions
    Http(HttpOptions),
    /// Calls of a tool over Streamable HTTP with arguments from a file
    Calls(CallsOptions),
    /// Requests over standard input and output from a file, one after the other
    Requests(RequestsOptions),
    /// No server: a program that is run to its end again and again
    Program(ProgramOptions),
    /// Tasks claimed over Streamable HTTP until none is left, each exactly once
    Claim(ClaimOptions),
    /// Events of the native RPC to one reader of a WebSocket
    Events(EventsOptions),
    /// Many subscriptions of the native RPC, with readers among them that do not read
    Subscriptions(SubscriptionsOptions),
    /// Memory of legacy sessions that only hold their GET stream open
    Idle(IdleOptions),
    /// Memory of legacy sessions of many principals that nobody uses
    Principals(PrincipalsOptions),
    /// Time from starting the process to its first answer
    Startup(StartupOptions),
    /// A chat on a pseudo-terminal, with a model that answers at once
    Chat(ChatOptions),
    /// Time from starting a gateway to its first list of all its upstreams' tools
    Catalogue(CatalogueOptions),
}

#[derive(Args)]
pub(crate) struct LoadOptions {
    /// Bytes of text in each call
    #[arg(long, default_value_t = 64)]
    pub(crate) payload: usize,
    /// Requests in flight (stdio), or sessions with a connection each (HTTP)
    #[arg(long, default_value_t = 1)]
    pub(crate) parallel: usize,
    /// How long to measure
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// How long to call before measuring; none with `--calls`
    #[arg(long, default_value_t = 0.3)]
    warmup: f64,
    /// Make exactly so many calls in each session instead
    #[arg(long)]
    calls: Option<usize>,
    /// What the echo tool is called; gateways may put a prefix before it
    #[arg(long, default_value = "echo")]
    pub(crate) tool: String,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct HttpOptions {
    #[arg(long, value_enum, default_value_t = Era::Legacy)]
    pub(crate) era: Era,
    #[command(flatten)]
    pub(crate) load: LoadOptions,
}

#[derive(Args)]
pub(crate) struct CallsOptions {
    /// A file with the arguments of one call in each line; all callers share them
    #[arg(long)]
    pub(crate) arguments: PathBuf,
    /// Begin again with the first line after the last
    #[arg(long)]
    pub(crate) again: bool,
    /// Also measure what one fsync costs in this folder
    #[arg(long)]
    pub(crate) disk: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) load: LoadOptions,
}

#[derive(Args)]
pub(crate) struct RequestsOptions {
    /// A file with one request in each line, without its id
    #[arg(long)]
    pub(crate) requests: PathBuf,
    /// What every answer must be
    #[arg(long, value_enum, default_value_t = Expected::Result)]
    pub(crate) expect: Expected,
    /// What every answer must have in it
    #[arg(long)]
    pub(crate) contains: Option<String>,
    #[command(flatten)]
    pub(crate) load: LoadOptions,
}

/// What an answer can be.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Expected {
    /// A result, and not of a tool that failed
    Result,
    /// The result of a tool that says that it failed
    Failure,
    /// An error of the protocol, whatever its code is
    Error,
}

#[derive(Args)]
pub(crate) struct ProgramOptions {
    /// What it must print
    #[arg(long)]
    pub(crate) contains: Option<String>,
    /// Start it with `fork` and `exec`, not with `posix_spawn`, which copies no memory
    #[arg(long)]
    pub(crate) fork: bool,
    #[command(flatten)]
    pub(crate) load: LoadOptions,
}

#[derive(Args)]
pub(crate) struct ClaimOptions {
    /// How many tasks there are
    #[arg(long, default_value_t = 1000)]
    pub(crate) tasks: usize,
    /// Sessions with a connection each
    #[arg(long, default_value_t = 16)]
    pub(crate) parallel: usize,
    /// Where to measure what one fsync costs
    #[arg(long)]
    pub(crate) disk: PathBuf,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct EventsOptions {
    /// One event in each stream, which says when it was emitted
    #[arg(long)]
    pub(crate) single: bool,
    /// A call is an event
    #[command(flatten)]
    pub(crate) load: LoadOptions,
}

#[derive(Args)]
pub(crate) struct SubscriptionsOptions {
    /// How many WebSockets share the subscriptions
    #[arg(long, default_value_t = 100)]
    pub(crate) connections: usize,
    /// Subscriptions on each of them
    #[arg(long, default_value_t = 10)]
    pub(crate) each: usize,
    /// Events of each subscription in a second
    #[arg(long, default_value_t = 100)]
    pub(crate) rate: u32,
    /// How long they go on
    #[arg(long, default_value_t = 10.0)]
    pub(crate) seconds: f64,
    /// Bytes of text in each event
    #[arg(long, default_value_t = 64)]
    pub(crate) payload: usize,
    /// How many of the WebSockets nobody reads from until the others are done
    #[arg(long, default_value_t = 10)]
    pub(crate) slow: usize,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct IdleOptions {
    /// How many sessions to hold open
    #[arg(long, default_value_t = 500)]
    pub(crate) sessions: usize,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct PrincipalsOptions {
    /// How many principals there are, each with a line in the file of tokens
    #[arg(long, default_value_t = 1000)]
    pub(crate) principals: usize,
    /// How many sessions each of them opens
    #[arg(long, default_value_t = 10)]
    pub(crate) sessions: usize,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct StartupOptions {
    #[arg(long, value_enum, default_value_t = Over::Stdio)]
    pub(crate) over: Over,
    /// How often to start it; the median counts
    #[arg(long, default_value_t = 5)]
    pub(crate) runs: usize,
    /// Seconds between its first answer and the look at its memory
    #[arg(long, default_value_t = 0.0)]
    pub(crate) settle: f64,
    /// The server; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct ChatOptions {
    /// Its home folder; the model is written into the settings there
    #[arg(long)]
    pub(crate) home: PathBuf,
    /// How many questions are asked
    #[arg(long, default_value_t = 1000)]
    pub(crate) turns: usize,
    /// The program to talk to
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct CatalogueOptions {
    /// How many tools there are when all upstreams are listed
    #[arg(long)]
    pub(crate) tools: usize,
    /// The program that each upstream runs, to tell them from what runs between
    #[arg(long)]
    pub(crate) upstream: PathBuf,
    /// The gateway; `{PORT}` in it becomes a free port
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<String>,
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

/// When one phase of calls is over.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    Time(Duration),
    Calls(usize),
}

impl Limit {
    /// May another call begin, after `begun` calls and `elapsed` time?
    pub(crate) fn allows(self, begun: usize, elapsed: Duration) -> bool {
        match self {
            Self::Time(limit) => elapsed < limit,
            Self::Calls(limit) => begun < limit,
        }
    }
}

impl LoadOptions {
    pub(crate) fn limit(&self) -> anyhow::Result<Limit> {
        match self.calls {
            Some(calls) => Ok(Limit::Calls(calls)),
            None => Ok(Limit::Time(Duration::try_from_secs_f64(self.seconds)?)),
        }
    }

    /// A counted run is not warmed up: the counts are there to be subtracted from each other.
    pub(crate) fn warmup(&self) -> anyhow::Result<Limit> {
        match self.calls {
            Some(_) => Ok(Limit::Calls(0)),
            None => Ok(Limit::Time(Duration::try_from_secs_f64(self.warmup)?)),
        }
    }
}
