//! The options of `hobnob connect`. `cli` parses them, and `connect` reads them.

use super::super::client_words::client;
use clap::{Args, ValueEnum};
use hobnob_config::clients::ClientProgram;

/// The name of Hobnob's entry in every client.
pub(super) const NAME: &str = "hobnob";

#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// The client that shall use Hobnob; without it, all of them are listed.
    #[arg(value_parser = client())]
    pub(super) client: Option<ClientProgram>,

    /// Whether the entry counts everywhere, or in this project for everyone who works on it.
    #[arg(long, value_enum, default_value = "user")]
    pub(super) scope: ConnectScope,

    /// Take the entry out again.
    #[arg(long, requires = "client")]
    pub(super) remove: bool,

    /// Write the file without asking.
    #[arg(long, short, requires = "client")]
    pub(super) yes: bool,

    /// Show what would change, and change nothing.
    #[arg(long, conflicts_with = "yes", requires = "client")]
    pub(super) dry_run: bool,
}

/// The values of `--scope`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ConnectScope {
    /// The client's file in your home folder.
    User,
    /// The client's file in the project.
    Project,
}
