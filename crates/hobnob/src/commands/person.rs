//! Refuses commands that are a person's to give, if no person gives them.
//!
//! Every such command calls one of these first. Programs that Hobnob started are refused all of them: a
//! server or a command of an assistant could otherwise grant itself what it likes. What decides about
//! permissions also needs a terminal, since assistants run commands without Hobnob too, and scripts of the
//! owner show the owner's secret instead. A variable alone can be set by anybody, and unset, so neither
//! says anything.

use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::INSTANCES;
use hobnob_hub::private_secret::read_or_make;
use hobnob_terminal::ended::{Code, Ended};
use std::io::{self, IsTerminal as _};

/// Where a script has the secret.
const SECRET: &str = "HOBNOB_OWNER_SECRET";

/// Fails unless a person typed the command, or a program that Hobnob did not start. `what` begins the
/// sentence, such as `servers are`.
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

/// The same of what is allowed: fails also without a terminal, unless the owner's secret is there.
pub(super) fn require_owner(what: &str, places: &Places) -> anyhow::Result<()> {
    require_person(what)?;
    let has_terminal = io::stdin().is_terminal() || io::stderr().is_terminal();
    if has_terminal {
        return Ok(());
    }
    let file = places.owner_secret();
    let secret = read_or_make(&file).context("the owner's secret cannot be read or made")?;
    if std::env::var_os(SECRET).is_some_and(|shown| shown == *secret) {
        return Ok(());
    }
    let message = format!(
        "{what} changed by a person at a terminal, and there is none; in a script of your own, set \
         {SECRET} to what is in {}",
        file.display()
    );
    Err(Ended::new(Code::Denied, message).into())
}

#[cfg(target_os = "linux")]
fn is_started_by_hub() -> bool {
    hobnob_mcp_process::is_started_by_hub()
}

/// Elsewhere only the variable says so.
#[cfg(not(target_os = "linux"))]
fn is_started_by_hub() -> bool {
    false
}
