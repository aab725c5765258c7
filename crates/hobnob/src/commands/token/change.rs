//! One change of the file of tokens, written down in the audit log.

use crate::commands::granting::record_change;
use anyhow::Context as _;
use hobnob_config::{Places, Settings, TokenEntry, TokensFile};
use hobnob_hub::compose::open_audit;

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

/// Changes the file, and records the token that `change` returns.
pub(super) fn change_tokens(
    places: &Places,
    event: TokenEvent,
    change: impl FnOnce(&mut Vec<TokenEntry>) -> anyhow::Result<TokenEntry>,
) -> anyhow::Result<TokenEntry> {
    places.create().context("the folders for settings and state cannot be made")?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    // Opened first: what cannot be written down is not done.
    let audit = open_audit(places, &settings)?;
    let changed = TokensFile::new(&places.tokens()).change(change)?;
    if let Some(audit) = audit {
        record_change(&audit, event.method(), &describe(&changed));
        audit.flush()?;
    }
    Ok(changed)
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
