//! What a user may reach at most: their role, and the profiles they may use.
//!
//! The program's commands set it; consent and every use of a token check it. What must stay true:
//! it only reduces what a client requests, and a record without it is a member's.

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
    /// May also grant the scope `admin`, which shows and changes the server itself.
    Admin,
}

impl UserRole {
    /// The role's name in commands and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
        }
    }

    /// Whether tokens of a user with this role may have this scope.
    pub fn may_have(self, scope: &str) -> bool {
        let (_, level) = scope.rsplit_once(':').unwrap_or(("", scope));
        match self {
            Self::Member => level != "admin",
            Self::Admin => true,
        }
    }
}

/// The role and the profiles of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAccess {
    /// How much the user may let clients do.
    #[serde(default)]
    pub role: UserRole,
    /// The only profiles the user may use; if empty, all profiles and what no profile shows.
    #[serde(default)]
    pub profiles: Vec<Box<str>>,
}

impl UserAccess {
    /// The scopes among these that the role allows.
    pub(super) fn cut(&self, scopes: &str) -> Box<str> {
        let scopes = Scopes::parse(scopes);
        let left = scopes.iter().map(|it| &**it).filter(|scope| self.role.may_have(scope));
        left.collect::<Vec<_>>().join(" ").into()
    }

    /// Whether the user may use a resource that shows this profile, or everything if `None`.
    pub(super) fn may_use(&self, profile: Option<&str>) -> bool {
        let named = |name: &str| self.profiles.iter().any(|it| **it == *name);
        self.profiles.is_empty() || profile.is_some_and(named)
    }
}
