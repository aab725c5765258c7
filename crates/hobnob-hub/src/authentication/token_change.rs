//! Changes the file of tokens and records the change in the audit log.
//!
//! `hobnob token` and the page call it. What must stay true: the audit log has a change before the
//! file does, and nothing secret.

use crate::change_log::ChangeLog;
use hobnob_config::{Places, TokenEntry, TokensFile};

/// What a person did, as the audit log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenEvent {
    /// A token was made.
    Create,
    /// A token was taken back.
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
///
/// # Errors
/// When `change` refuses, or the change cannot be recorded or written.
pub fn change_tokens(
    places: &Places,
    log: &ChangeLog,
    event: TokenEvent,
    change: impl FnOnce(&mut Vec<TokenEntry>) -> anyhow::Result<TokenEntry>,
) -> anyhow::Result<TokenEntry> {
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
