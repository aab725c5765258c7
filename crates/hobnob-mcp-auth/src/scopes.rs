//! Scopes: which ones a login asks for.
//!
//! The flow chooses them from what the server challenged with and published, and what was asked for
//! before. Their order is kept and none is named twice.

use crate::challenge::AuthChallenge;
use crate::discovery::Discovered;

#[cfg(test)]
mod tests;

/// Scopes of one server that a login asks for at most.
const MAX_SCOPES: usize = 128;

/// The scope that stands for a refresh token.
const OFFLINE: &str = "offline_access";

/// A set of scopes in the order they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Box<str>>);

impl Scopes {
    /// Reads scopes that are separated by spaces.
    pub fn parse(text: &str) -> Self {
        let mut scopes = Self::default();
        scopes.extend(text.split_whitespace().map(Into::into));
        scopes
    }

    /// The scopes as OAuth writes them.
    pub fn to_text(&self) -> String {
        self.0.join(" ")
    }

    /// Each of them, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = &Box<str>> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every one of these is among them.
    pub fn contains_all(&self, others: &[Box<str>]) -> bool {
        others.iter().all(|scope| self.0.contains(scope))
    }

    /// Adds scopes that are not there yet.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Box<str>>) {
        for scope in others {
            if self.0.len() < MAX_SCOPES && is_scope(&scope) && !self.0.contains(&scope) {
                self.0.push(scope);
            }
        }
    }

    /// What to ask for. Spec 2025-11-25: the challenge's scopes, else those that the resource
    /// publishes, else none; 2026-07-28: besides those asked for before, and `offline_access` only
    /// where the authorization server lists it.
    pub fn to_request(
        discovered: &Discovered,
        challenge: Option<&AuthChallenge>,
        earlier: &Self,
        configured: &Self,
    ) -> Self {
        let mut scopes = earlier.clone();
        let challenged = challenge.and_then(AuthChallenge::scopes);
        scopes.extend(challenged.unwrap_or_else(|| discovered.scopes_supported.clone()));
        scopes.extend(configured.0.iter().cloned());
        scopes.with_offline(discovered)
    }

    /// The same with the scope that stands for a refresh token, where the authorization server
    /// lists it.
    pub(crate) fn with_offline(mut self, discovered: &Discovered) -> Self {
        let listed = &discovered.server.abilities.scopes_supported;
        let offline = listed.iter().any(|scope| &**scope == OFFLINE);
        // On its own it would stand in the place of the server's default scopes.
        if offline && !self.is_empty() {
            self.extend([OFFLINE.into()]);
        }
        self
    }
}

/// RFC 6749: visible ASCII without quotes and backslashes.
fn is_scope(scope: &str) -> bool {
    !scope.is_empty() && scope.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
}
