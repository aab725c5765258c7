//! Refuses commands that are a person's to give, if no person gives them.
//!
//! Every such command calls one of these first. Programs that Hobnob started are refused all of them: a
//! server or a command of an assistant could otherwise grant itself what it likes. What decides about
//! permissions also needs a terminal, since assistants run commands without Hobnob too, and scripts of the
//! owner show the owner's secret instead. A variable alone can be set by anybody, and unset, so neither
//! says anything.

use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_disk::{FileMode, make_folder, write_atomic};
use hobnob_gateway::INSTANCES;
use hobnob_mcp_engine::random_bytes;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_text::hex;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

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
    let secret = owner_secret(&file).context("the owner's secret cannot be read or made")?;
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

/// What only the owner can read; made when it is first asked for.
fn owner_secret(file: &Path) -> anyhow::Result<String> {
    match fs::read_to_string(file) {
        Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(_) | Err(_) => {}
    }
    let secret = hex::encode(&random_bytes::<32>()?);
    file.parent().map(make_folder).transpose()?;
    write_atomic(file, format!("{secret}\n").as_bytes(), FileMode::Private)?;
    Ok(secret)
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
