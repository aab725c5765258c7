//! Refuses commands that only a person may run, if a program runs them.
//!
//! Every such command calls one of these functions first. A program that Hobnob started is refused
//! each of them: otherwise a server, or a command of an assistant, could grant itself anything.
//! Commands that change permissions also need a terminal, since assistants run commands without
//! Hobnob too; the owner's scripts show the owner's secret instead. The mere presence or absence of
//! an environment variable proves nothing, since any program can set and unset it.

use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::INSTANCES;
use hobnob_hub::private_secret::read_or_make;
use hobnob_terminal::ended::{Code, Ended};
use std::io::{self, IsTerminal as _};

/// The environment variable in which a script shows the owner's secret.
const SECRET_VARIABLE: &str = "HOBNOB_OWNER_SECRET";

/// Fails if Hobnob started this program. `what` begins the error, such as `servers are`.
pub(super) fn require_person(what: &str) -> anyhow::Result<()> {
    if std::env::var_os(INSTANCES).is_none() && !is_started_by_hub() {
        return Ok(());
    }
    let message = format!(
        "{what} changed by a person, and this program was started by Hobnob; type the command in a \
         terminal of your own"
    );
    Err(Ended::new(Code::Denied, message).into())
}

/// The same for commands that change permissions: also fails without a terminal, unless the
/// environment has the owner's secret.
pub(super) fn require_owner(what: &str, places: &Places) -> anyhow::Result<()> {
    require_person(what)?;
    let has_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
    if has_terminal {
        return Ok(());
    }
    let file = places.owner_secret();
    let secret = read_or_make(&file).context("the owner's secret cannot be read or made")?;
    if std::env::var_os(SECRET_VARIABLE).is_some_and(|shown| shown == *secret) {
        return Ok(());
    }
    let message = format!(
        "{what} changed by a person at a terminal, and there is none; in a script of your own, set \
         {SECRET_VARIABLE} to what is in {}",
        file.display()
    );
    Err(Ended::new(Code::Denied, message).into())
}

#[cfg(target_os = "linux")]
fn is_started_by_hub() -> bool {
    hobnob_mcp_process::is_started_by_hub()
}

/// On other systems only the environment variable tells.
#[cfg(not(target_os = "linux"))]
fn is_started_by_hub() -> bool {
    false
}

/// Whether the person is root.
#[cfg(unix)]
pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
pub(super) fn is_root() -> bool {
    false
}
