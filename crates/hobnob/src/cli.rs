//! What may be typed. The help texts here are the manual's first page.

use crate::commands;
use crate::context::Output;
use crate::exit;
use crate::listeners::DEFAULT_ADDRESS;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hobnob_config::{Overrides, Places};
use std::net::SocketAddr;
use std::path::PathBuf;

/// One place where AI assistants meet their tools.
#[derive(Debug, Parser)]
#[command(name = "hobnob", version, about, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = exit::HELP)]
pub(crate) struct Cli {
    /// Say more on standard error: -v for decisions, -vv for everything (RUST_LOG says it finer).
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,

    /// Write JSON for programs instead of text for people.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) places: PlaceArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// For whom to write.
    pub(crate) fn output(&self) -> Output {
        if self.json { Output::Json } else { Output::People }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer MCP clients: on standard input and output, or over HTTP.
    Serve(ServeArgs),
    /// Add a server to the configuration.
    Add(commands::add::AddArgs),
    /// Remove a server from the configuration.
    Remove(commands::remove::RemoveArgs),
    /// List the configured servers, without starting any.
    List(commands::list::ListArgs),
    /// Switch a server on.
    Enable(commands::enable::EnableArgs),
    /// Switch a server off.
    Disable(commands::disable::DisableArgs),
    /// Look at what a project wants to start, or at a tool that changed, and approve it.
    Approve(commands::approve::ApproveArgs),
    /// Take over servers from other clients: Claude, Cursor, VS Code.
    Import(commands::import::ImportArgs),
    /// Start each server once and say what is wrong and what to do.
    Doctor(commands::doctor::DoctorArgs),
    /// Show what was called, by whom, and what was decided.
    Audit(commands::audit::AuditArgs),
    /// Say which server is in what state, and why.
    Status(commands::status::StatusArgs),
    /// List the tools of all servers, or those that fit a query.
    Tools(commands::tools::ToolsArgs),
    /// Call a tool: hobnob call TOOL key=value… | JSON | -
    Call(commands::call::CallArgs),
    /// List the resources of all servers.
    Resources(commands::resources::ResourcesArgs),
    /// Read a resource.
    Read(commands::read::ReadArgs),
    /// List the prompts of all servers.
    Prompts(commands::prompts::PromptsArgs),
    /// Fill in a prompt and show it.
    Prompt(commands::prompt::PromptArgs),
    /// Watch a resource, or a tool's result, and show every change.
    Watch(commands::watch::WatchArgs),
    /// Remember, find, list, carry and exchange memories.
    Memory(commands::memory::MemoryArgs),
    /// Add, claim and finish tasks.
    Tasks(commands::tasks::TasksArgs),
    /// Install the model that finds memories by meaning, or say which one is used.
    Embeddings(commands::embeddings::EmbeddingsArgs),
    /// Copy memories and tasks to a file, while everything goes on.
    Backup(commands::backup::BackupArgs),
    /// Put a backup in the place of memories and tasks.
    Restore(commands::restore::RestoreArgs),
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve over HTTP at this address instead of standard input and output.
    ///
    /// Clients use http://ADDR/mcp (or http://ADDR/sse for the oldest ones). Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = DEFAULT_ADDRESS)]
    pub(crate) http: Option<SocketAddr>,

    /// The same as --http (`http`), or the default (`stdio`), for whoever is used to these words.
    #[arg(long, value_enum, conflicts_with = "http")]
    pub(crate) transport: Option<ServeTransport>,

    /// The port for --transport http, on this machine only.
    #[arg(long, requires = "transport")]
    pub(crate) port: Option<u16>,

    /// Listen on an address that other machines can reach, although nobody has to log in.
    ///
    /// Everyone who reaches the port can use every tool. Only for networks you trust entirely.
    /// A name that clients use for this machine must be allowed too: --allow-host NAME.
    #[arg(long)]
    pub(crate) allow_remote_without_auth: bool,

    /// Accept this name in the Host header besides the loopback ones (may be repeated).
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(crate) allow_host: Vec<String>,

    /// Accept web pages of this origin besides local ones (may be repeated).
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,

    /// Show clients what this profile says: one that ships, or a file in the folder `profiles`.
    ///
    /// One profile is all that is shown, on standard input and output and with --http alike. With
    /// --http it may be repeated; then each is at http://ADDR/p/NAME/mcp, beside everything at
    /// /mcp. Without it, all profiles are.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Vec<String>,
}

/// A transport of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServeTransport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP, and HTTP+SSE for the oldest clients.
    Http,
}

impl ServeArgs {
    /// Where to listen over HTTP; nothing for standard input and output.
    pub(crate) fn http_address(&self) -> anyhow::Result<Option<SocketAddr>> {
        let usage = |message: &str| Err(exit::Ended::new(exit::Code::Usage, message).into());
        let address = match (self.http, self.transport) {
            (Some(address), _) => Some(address),
            (None, Some(ServeTransport::Http)) => {
                let mut address: SocketAddr = DEFAULT_ADDRESS.parse()?;
                address.set_port(self.port.unwrap_or(address.port()));
                Some(address)
            }
            (None, Some(ServeTransport::Stdio)) if self.port.is_some() => {
                return usage("standard input and output have no port: use --transport http");
            }
            (None, Some(ServeTransport::Stdio) | None) => None,
        };
        let for_http = self.allow_remote_without_auth
            || !self.allow_host.is_empty()
            || !self.allow_origin.is_empty();
        if address.is_none() && for_http {
            return usage("--allow-… is about HTTP: use it with --http");
        }
        Ok(address)
    }
}

/// Where settings and the project are.
#[derive(Debug, Args, Clone, Default)]
pub(crate) struct PlaceArgs {
    /// The project whose .mcp.json counts, instead of the current folder.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) project: Option<PathBuf>,

    /// Read settings from this folder instead of the usual one.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) config_dir: Option<PathBuf>,

    /// Keep memories and tasks in this folder instead of the usual one.
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data_dir: Option<PathBuf>,
}

impl PlaceArgs {
    /// The places these words name.
    pub(crate) fn detect(&self) -> anyhow::Result<Places> {
        let overrides = Overrides {
            config_dir: self.config_dir.clone(),
            data_dir: self.data_dir.clone(),
            project: self.project.clone(),
        };
        Ok(Places::detect(&overrides)?)
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,

    /// Print a script that stands alone and knows no names of tools, servers and resources.
    #[arg(long)]
    pub(crate) fixed: bool,
}
