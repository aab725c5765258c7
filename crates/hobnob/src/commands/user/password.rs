//! Asks for a new password: twice at a terminal, without showing it, or one line of standard input.
//!
//! What must stay true: it is never an argument and never printed.

use anyhow::Context as _;
use dialoguer::console::Term;
use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::MAX_PASSWORD;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use std::io::{self, BufRead as _, Read as _};

/// The password that the person chose.
pub(super) fn ask() -> anyhow::Result<SecretText> {
    if !render::is_interactive() {
        return piped();
    }
    let typed = |what: &str| -> anyhow::Result<SecretText> {
        let terminal = Term::stderr();
        terminal.write_str(what).context("cannot write to the terminal")?;
        let line = terminal.read_secure_line().context("cannot read from the terminal")?;
        Ok(SecretText::new(line))
    };
    let (first, second) = (typed("New password: ")?, typed("Once more: ")?);
    if first != second {
        return Err(Ended::usage("the two passwords differ; nothing was changed").into());
    }
    Ok(first)
}

fn piped() -> anyhow::Result<SecretText> {
    let mut line = String::new();
    // A line that is too long is refused later, and need not be read to its end.
    let limit = u64::try_from(MAX_PASSWORD).unwrap_or(u64::MAX).saturating_add(2);
    let read = io::stdin().lock().take(limit).read_line(&mut line);
    read.context("cannot read the password from standard input")?;
    let password = line.trim_end_matches(['\n', '\r']);
    if password.is_empty() {
        let message = "there is no password on standard input; type the command in a terminal, or \
                       pipe one line to it";
        return Err(Ended::usage(message).into());
    }
    Ok(SecretText::new(password))
}
