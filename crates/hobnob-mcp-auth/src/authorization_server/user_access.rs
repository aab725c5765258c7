//! What a user may reach, whatever they agree to: their role, and the profiles they may use.
//!
//! The program's commands set it; consent and every use of a token ask it. What must stay true: it only
//! takes away from what a client asks for, and a record without it is that of a member.

use serde::{Deserialize, Serialize};

use crate::scopes::Scopes;

#[cfg(test)]
mod tests;

/// How much a user may let clients do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UserRole {
    /// Uses what the server offers.
    #[default]
    Member,
    /// May have the scope `admin` too, which shows and changes the server itself.
    Admin,
}

impl UserRole {
    /// The word in commands and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    /// Whether tokens of such a user may have this scope.
    pub fn may_have(self, scope: &str) -> bool {
        let (_, level) = scope.rsplit_once(':').unwrap_or(("", scope));
        match self {
            Self::Member => level != "admin",
            Self::Admin => true,
        }
    }
}

/// What a user may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAccess {
    /// How much they may let clients do.
    #[serde(default)]
    pub role: UserRole,
    /// The only profiles they may use; if empty, every one, and what no profile shows.
    #[serde(default)]
    pub profiles: Vec<Box<str>>,
}

impl UserAccess {
    /// The scopes that are left of these.
    pub(super) fn cut(&self, scopes: &str) -> Box<str> {
        let scopes = Scopes::parse(scopes);
        let left = scopes.iter().map(|it| &**it).filter(|scope| self.role.may_have(scope));
        left.collect::<Vec<_>>().join(" ").into()
    }

    /// Whether they may use what shows this profile, or everything if it is none.
    pub(super) fn may_use(&self, profile: Option<&str>) -> bool {
        let named = |name: &str| self.profiles.iter().any(|it| **it == *name);
        self.profiles.is_empty() || profile.is_some_and(named)
    }
}
