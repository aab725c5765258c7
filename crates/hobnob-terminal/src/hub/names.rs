//! The errors for a server that is not configured.
//!
//! Commands and the lists of a hub return them; they name the servers that are configured.

use crate::ended::Ended;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_hub::names::Names;

/// Fails for a server that is not configured.
pub fn check_server(names: &Names, name: &str) -> Result<(), Ended> {
    match names.servers().iter().any(|server| server == name) {
        true => Ok(()),
        false => Err(no_server(names, name, [])),
    }
}

/// The error for a server that is not configured. The user may also have meant one of the `others`.
pub fn no_server<'a>(
    names: &'a Names,
    name: &str,
    others: impl IntoIterator<Item = &'a str>,
) -> Ended {
    let servers = names.servers();
    let near = did_you_mean(name, servers.iter().map(String::as_str).chain(others));
    let there = match servers.is_empty() {
        true => "no server is configured yet, add one with: hobnob add".into(),
        false => format!("configured: {}", servers.join(", ")),
    };
    Ended::usage(format!("there is no server `{name}`; {there}{near}"))
}
