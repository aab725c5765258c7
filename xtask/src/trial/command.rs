//! `cargo xtask trial`: installs, builds, runs the requested stages, and prints the results.

use std::path::PathBuf;
use std::time::Duration;

use super::home::Setup;
use super::hub::Hub;
use super::prepared::Prepared;
use super::promises::Promises;
use super::{clients, faults, roster, sandboxes, stages, storm};
use crate::peers::install_clients;
use crate::process::step;
use crate::workspace::Workspace;

/// The arguments of `cargo xtask trial`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The hub to try, instead of one that is built now.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,

    /// Build the hub in the release profile.
    #[arg(long, conflicts_with = "binary")]
    release: bool,

    /// Only these servers (may be repeated).
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,

    /// Seconds that the first list may wait for all servers.
    #[arg(long, value_name = "SECONDS", default_value = "120")]
    first_list_wait: u64,

    /// Only install the servers.
    #[arg(long)]
    install: bool,

    /// Have each server learn its sandbox, and compare its behaviour inside it.
    #[arg(long)]
    sandbox: bool,

    /// Connect other projects' clients to a fresh hub, on a busy machine.
    #[arg(long)]
    clients: bool,

    /// With `--clients`: only those whose names contain this word (may be repeated).
    #[arg(long, value_name = "WORD", requires = "clients")]
    client: Vec<String>,

    /// Start all servers on a machine with a load of 16.
    #[arg(long)]
    storm: bool,
}

/// Runs the trial; fails if a promise was broken or a server is missing.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let entries = roster::entries(&args.only)?;
    let installed = roster::install_all(&workspace.trial(), &entries)?;
    installed.warn();
    if args.install {
        return Ok(());
    }
    let program = match &args.binary {
        Some(program) => program.canonicalize()?,
        None => build(&workspace, args.release)?,
    };
    let prepared = Prepared { program, folder: workspace.trial(), entries, installed };
    let mut promises = Promises::default();
    prepared.check(&mut promises);
    let wait = Duration::from_secs(args.first_list_wait);
    if args.sandbox {
        sandboxes::all(&prepared, wait, &mut promises)?;
    }
    if args.clients {
        clients::all(&prepared, &install_clients(&workspace)?, &args.client, &mut promises)?;
    }
    if args.storm {
        storm::all(&prepared, &mut promises)?;
    }
    if !(args.sandbox || args.clients || args.storm) {
        usual(&prepared, wait, &mut promises)?;
    }
    promises.conclude()
}

/// The first start, two restarts, and faults.
fn usual(prepared: &Prepared, wait: Duration, promises: &mut Promises) -> anyhow::Result<()> {
    let entries = &prepared.entries;
    let home = prepared.home("usual", Setup::Eager { first_list_wait: wait })?;
    let start = || Hub::start(&mut home.hobnob(), &home.log());
    let mut hub = start()?;
    let tools = stages::first_start(&mut hub, entries, wait, promises)?;
    stages::calls(&mut hub, entries, &home, promises);
    hub.stop()?;
    for which in ["second start", "third start"] {
        let mut hub = start()?;
        stages::restart(&mut hub, which, &tools, promises)?;
        stages::calls(&mut hub, entries, &home, promises);
        if which == "third start" {
            faults::all(&mut hub, entries, &home, promises)?;
        }
        hub.stop()?;
    }
    Ok(())
}

fn build(workspace: &Workspace, release: bool) -> anyhow::Result<PathBuf> {
    let mut command = workspace.cargo(["build", "-p", "hobnob"]);
    if release {
        command.arg("--release");
    }
    step("build the hub", &mut command)?;
    Ok(if release { workspace.released("hobnob") } else { workspace.built("hobnob") })
}
