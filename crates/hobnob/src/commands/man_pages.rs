//! `hobnob man-pages`: writes the manual pages, one for each command.
//!
//! They are made from the same definitions as the help texts, so the two cannot differ. Packages
//! hold the pages already; this command is for installations with Cargo.

use anyhow::Context as _;
use clap::{Args, Command};
use std::fs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ManPagesArgs {
    /// The folder to write to, for example ~/.local/share/man/man1; it is created if need be.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes `hobnob.1`, `hobnob-serve.1` and so on, and overwrites existing files.
pub(crate) fn run(args: &ManPagesArgs, command: Command) -> anyhow::Result<()> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // Git and Cargo have no pages for their `help` command either.
    let command = command.disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write to {}", folder.display()))
}
