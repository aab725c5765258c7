//! The options of `hobnob add`. Clap refuses options that do not belong together. `cli` parses
//! them, `entry` reads them.
//!
//! What must stay true: options that contradict each other are refused here, before anything is
//! written.

use super::super::scope::ConfigScope;
use clap::{Args, ValueEnum};

/// Where a server goes, and what happens besides.
#[derive(Debug, Args)]
pub(crate) struct AddTarget {
    /// The name of the server: its tools become mcp__NAME__TOOL.
    pub(super) name: String,

    /// The file to write the server to.
    #[arg(long, value_enum, default_value = "own")]
    pub(super) scope: ConfigScope,

    /// Allow calls of all its tools without asking: adds a rule to config.toml.
    #[arg(long)]
    pub(super) allow: bool,

    /// Replace an existing server of this name.
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AddJsonArgs {
    #[command(flatten)]
    pub(super) target: AddTarget,

    /// The entry as in a .mcp.json, such as '{"command": "npx", "args": […]}'; or - to read it from
    /// standard input.
    #[arg(value_name = "JSON")]
    pub(super) entry: String,
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    #[command(flatten)]
    pub(super) target: AddTarget,

    /// The URL of a server that speaks HTTP.
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    pub(super) url: Option<String>,

    /// The program to start, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,

    /// An environment variable for the program (may be repeated); ${VAR} is expanded at start.
    #[arg(long, short, value_name = "K=V", conflicts_with = "url")]
    pub(super) env: Vec<String>,

    /// A header for every request (may be repeated); ${VAR} is expanded.
    #[arg(long, short = 'H', value_name = "K:V", conflicts_with = "command")]
    pub(super) header: Vec<String>,

    /// The working directory of the program.
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    pub(super) cwd: Option<String>,

    /// The transport of the URL; detected by default.
    #[arg(long = "type", value_enum, conflicts_with = "command")]
    pub(super) kind: Option<UrlTransport>,

    /// How long a call may take, for example 30s.
    #[arg(long, value_name = "TIME")]
    pub(super) timeout: Option<String>,

    /// Offer only these tools (name or glob, may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(super) allow_tools: Vec<String>,

    /// Do not offer these tools (name or glob, may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(super) deny_tools: Vec<String>,
}

/// The values of `--type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UrlTransport {
    /// Streamable HTTP, the current transport.
    Http,
    /// The older HTTP+SSE transport.
    Sse,
}
