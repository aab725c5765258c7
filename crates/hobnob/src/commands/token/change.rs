//! Changes the file of tokens and records the change in the audit log. `token` calls it.

use crate::commands::change_log::ChangeLog;
use anyhow::Context as _;
use hobnob_config::{Places, TokenEntry, TokensFile};

/// What a command did, as the audit log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenEvent {
    Create,
    Revoke,
}

impl TokenEvent {
    fn method(self) -> &'static str {
        match self {
            Self::Create => "tokens/create",
            Self::Revoke => "tokens/revoke",
        }
    }
}

/// Records the token that `change` returns in the audit log, then saves the file.
pub(super) fn change_tokens(
    places: &Places,
    event: TokenEvent,
    change: impl FnOnce(&mut Vec<TokenEntry>) -> anyhow::Result<TokenEntry>,
) -> anyhow::Result<TokenEntry> {
    places.create().context("the folders for settings and state cannot be made")?;
    let log = ChangeLog::open(places)?;
    let mut recorded = None;
    let changed = TokensFile::new(&places.tokens()).change(|tokens| {
        let changed = change(tokens)?;
        let text = describe(&changed);
        log.record(event.method(), &text)?;
        recorded = Some(text);
        anyhow::Ok(changed)
    });
    if let (Err(_), Some(text)) = (&changed, recorded) {
        log.not_done(event.method(), &text);
    }
    changed
}

/// A token in one line, without anything secret.
fn describe(entry: &TokenEntry) -> String {
    let profile = entry.profile.as_ref().map(|it| format!(" for the profile {it}"));
    let expires = entry.expires.as_ref().map(|it| format!(" until {it}"));
    format!(
        "token {} ({}): {}{}{}",
        entry.name,
        entry.id,
        entry.scopes.join(" "),
        profile.unwrap_or_default(),
        expires.unwrap_or_default()
    )
}
