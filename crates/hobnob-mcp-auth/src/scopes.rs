//! Sets of scopes, and the choice of the scopes that a login requests.
//!
//! The login flow chooses them from the server's challenge, its metadata and earlier requests. What
//! must stay true: scopes keep their order, and none occurs twice.

use crate::challenge::AuthChallenge;
use crate::discovery::Discovered;

#[cfg(test)]
mod tests;

/// How many scopes a set may have.
const MAX_SCOPES: usize = 128;

/// The scope that requests a refresh token.
const OFFLINE: &str = "offline_access";

/// A set of scopes, in the order they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Box<str>>);

impl Scopes {
    /// Parses scopes that are separated by spaces.
    pub fn parse(text: &str) -> Self {
        let mut scopes = Self::default();
        scopes.extend(text.split_whitespace().map(Into::into));
        scopes
    }

    /// The scopes separated by spaces, as OAuth writes them.
    pub fn to_text(&self) -> String {
        self.0.join(" ")
    }

    /// Iterates over the scopes, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Box<str>> {
        self.0.iter()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the set contains all of these scopes.
    pub fn contains_all(&self, others: &[Box<str>]) -> bool {
        others.iter().all(|scope| self.0.contains(scope))
    }

    /// Adds the scopes that the set does not contain yet; invalid scopes are ignored.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Box<str>>) {
        for scope in others {
            if self.0.len() < MAX_SCOPES && is_scope(&scope) && !self.0.contains(&scope) {
                self.0.push(scope);
            }
        }
    }

    /// The scopes to request. Spec 2025-11-25: the challenge's scopes, else those that the resource
    /// publishes, else none. Spec 2026-07-28: also those requested earlier, and `offline_access`
    /// only if the authorization server lists it.
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

    /// Adds the scope that requests a refresh token, if the authorization server lists it.
    pub(crate) fn with_offline(mut self, discovered: &Discovered) -> Self {
        let listed = &discovered.server.abilities.scopes_supported;
        let offline = listed.iter().any(|scope| &**scope == OFFLINE);
        // On its own it would replace the server's default scopes.
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
