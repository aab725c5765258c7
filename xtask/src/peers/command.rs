//! `cargo xtask peers`: everything that tests run against, for whoever runs them by hand.

use super::install::install;
use super::manifest::{CLIENTS, all};
use super::roster::Roster;
use crate::workspace::Workspace;

/// `cargo xtask peers` takes nothing.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Installs the peers and says how to have them tested.
pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    install_all(&workspace)?.warn();
    println!("HOBNOB_PEERS={}", workspace.peers().display());
    Ok(())
}

/// Installs every peer, and leaves word for the tests that drive them.
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
