//! Roles in the memories of scope `org`, which principals share. A person gives a role to a
//! principal by its name.
//!
//! The person's own programs need no role, so a row without a principal makes no sense. Every other
//! caller has the role that names it, or none.

use std::sync::Arc;

use crate::grants::denied::for_option;
use crate::grants::source::MemoryRoleSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// What a principal may do with memories of scope `org`; a later role includes the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryRole {
    /// Finds and reads all memories.
    Reader,
    /// Also captures memories, and changes its own.
    Writer,
    /// Also changes the memories of other principals.
    Admin,
}

impl MemoryRole {
    /// Every role, the weakest first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    /// The word on the command line and in the file of grants.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }

    /// The role with this word, if there is one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// The command with which a person gives this role to a caller.
    #[must_use]
    pub fn command(self, who: GrantSubject<'_>) -> String {
        format!("hobnob grant memory{} --role {}", for_option(who), self.as_str())
    }
}

/// A role that one principal has.
#[derive(Debug, Clone)]
pub(super) struct MemoryRoleGrant {
    holder: GrantHolder,
    role: MemoryRole,
    text: Arc<str>,
}

impl MemoryRoleGrant {
    pub(super) fn parse(source: &MemoryRoleSource) -> Result<Self, String> {
        let holder = GrantHolder::parse(Some(&source.principal))?;
        let role = MemoryRole::parse(&source.role)
            .ok_or("its role is not reader, writer or admin".to_owned())?;
        let text = format!("memory {}{}", role.as_str(), holder.suffix());
        Ok(Self { holder, role, text: text.into() })
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// The role of a caller. On any transport, a caller without authentication is the person.
pub(super) fn role_of(grants: &[MemoryRoleGrant], who: GrantSubject<'_>) -> Option<MemoryRole> {
    if who.principal.is_none() {
        return Some(MemoryRole::Admin);
    }
    grants.iter().filter(|grant| grant.holder.includes(who)).map(|grant| grant.role).max()
}
