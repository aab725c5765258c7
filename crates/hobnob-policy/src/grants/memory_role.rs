//! Roles in the memories of scope `org`, which principals share: given by a person, to a principal
//! by name.
//!
//! The person's own programs need none, so that a row without a principal makes no sense. Everybody
//! else has the role that names them, or none.

use std::sync::Arc;

use crate::grants::denied::for_option;
use crate::grants::source::MemoryRoleSource;
use crate::grants::subject::{GrantHolder, GrantSubject};

/// What somebody may do with the memories of scope `org`; a later role includes the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryRole {
    /// Finds and reads all of them.
    Reader,
    /// Also captures, and changes what they captured themselves.
    Writer,
    /// Also changes what others captured.
    Admin,
}

impl MemoryRole {
    /// Every role, the least first.
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

    /// The line with which a person gives it to this caller.
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

/// The role of a caller. Whom nobody authenticated is the person, by whatever way they came.
pub(super) fn role_of(grants: &[MemoryRoleGrant], who: GrantSubject<'_>) -> Option<MemoryRole> {
    if who.principal.is_none() {
        return Some(MemoryRole::Admin);
    }
    grants.iter().filter(|grant| grant.holder.includes(who)).map(|grant| grant.role).max()
}
