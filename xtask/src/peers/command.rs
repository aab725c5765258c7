//! `cargo xtask peers`: installs everything that tests run against, to run those tests by hand.

use super::install::install;
use super::manifest::{CLIENTS, all};
use super::roster::Roster;
use crate::workspace::Workspace;

/// `cargo xtask peers` takes no arguments.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Installs the peers and prints how to run tests with them.
pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    install_all(&workspace)?.warn();
    println!("HOBNOB_PEERS={}", workspace.peers().display());
    Ok(())
}

/// Installs every peer, and writes the list of peers for the tests.
pub(crate) fn install_all(workspace: &Workspace) -> anyhow::Result<Roster> {
    let folder = workspace.peers();
    let roster = install(&folder, &all())?;
    roster.publish(&folder)?;
    Ok(roster)
}

/// Installs only the clients.
pub(crate) fn install_clients(workspace: &Workspace) -> anyhow::Result<Roster> {
    install(&workspace.peers(), CLIENTS)
}
