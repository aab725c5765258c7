//! What may be typed. The help texts here are the manual's first page.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::net::SocketAddr;

/// One place where AI assistants meet their tools.
#[derive(Debug, Parser)]
#[command(name = "hobnob", version, about, arg_required_else_help = true, propagate_version = true)]
pub(crate) struct Cli {
    /// Say more on standard error: -v for decisions, -vv for everything (RUST_LOG says it finer).
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer MCP clients: on standard input and output, or over HTTP.
    Serve(ServeArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve over HTTP at this address instead of standard input and output.
    ///
    /// Clients use http://ADDR/mcp (or http://ADDR/sse for the oldest ones). Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4815")]
    pub(crate) http: Option<SocketAddr>,

    /// Listen on an address that other machines can reach, although nobody has to log in.
    ///
    /// Everyone who reaches the port can use every tool. Only for networks you trust entirely.
    /// A name that clients use for this machine must be allowed too: --allow-host NAME.
    #[arg(long, requires = "http")]
    pub(crate) allow_remote_without_auth: bool,

    /// Accept this name in the Host header besides the loopback ones (may be repeated).
    #[arg(long, value_name = "HOST[:PORT]", requires = "http")]
    pub(crate) allow_host: Vec<String>,

    /// Accept web pages of this origin besides local ones (may be repeated).
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}
