//! Whom memories are for, roles in the scope that several owners share, and the proof that somebody
//! may write where a new memory goes.
//!
//! A person gives roles; the services put them into [`MemoryAccess`](super::MemoryAccess).

use crate::owner::ProjectKey;

/// Whom a memory is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryScope {
    /// Its owner, in one project.
    Project(ProjectKey),
    /// Its owner, in every project.
    User,
    /// Everybody with a role in it.
    Org,
}

/// The word for a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeKind {
    /// Its owner, in one project.
    Project,
    /// Its owner, in every project.
    User,
    /// Everybody with a role in it.
    Org,
}

impl ScopeKind {
    /// Every scope, narrowest first.
    pub const ALL: [Self; 3] = [Self::Project, Self::User, Self::Org];

    /// The word in tools, filters and addresses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Org => "org",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == raw)
    }
}

impl MemoryScope {
    /// The scope without the project's key.
    pub fn kind(&self) -> ScopeKind {
        match self {
            Self::Project(_) => ScopeKind::Project,
            Self::User => ScopeKind::User,
            Self::Org => ScopeKind::Org,
        }
    }

    /// The project's key, empty for others.
    pub fn project(&self) -> &str {
        match self {
            Self::Project(key) => key.as_str(),
            Self::User | Self::Org => "",
        }
    }
}

/// What somebody may do with the memories of scope `org`. Each role includes those before it;
/// without one, none of these memories is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrgRole {
    /// Finds and reads them all.
    Reader,
    /// Also captures, and changes what they captured.
    Writer,
    /// Also changes what others captured.
    Admin,
}

impl OrgRole {
    /// Every role, the least first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    /// The word in commands and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }

    /// Reads the word that `as_str` writes.
    pub fn parse(raw: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == raw)
    }
}

/// A write that its writer has no role for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scope `org` takes this only from the role `{}`", needed.as_str())]
pub struct MissingRole {
    /// The least role that would do.
    pub needed: OrgRole,
}

/// Where a new memory goes: its writer's own place, or `org` if the writer has the role for it.
/// A [`NewMemory`](super::NewMemory) has one, so that nobody captures where they may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritableScope(MemoryScope);

impl WritableScope {
    /// Checks a scope for somebody with this role in `org`, or with none.
    pub fn new(scope: MemoryScope, role: Option<OrgRole>) -> Result<Self, MissingRole> {
        let needed = OrgRole::Writer;
        match scope {
            MemoryScope::Project(_) | MemoryScope::User => Ok(Self(scope)),
            MemoryScope::Org if Some(needed) <= role => Ok(Self(scope)),
            MemoryScope::Org => Err(MissingRole { needed }),
        }
    }

    /// The owner's own place in every project.
    pub fn user() -> Self {
        Self(MemoryScope::User)
    }

    /// The owner's own place in one project.
    pub fn project(key: ProjectKey) -> Self {
        Self(MemoryScope::Project(key))
    }

    /// The scope that was checked.
    pub fn get(&self) -> &MemoryScope {
        &self.0
    }

    /// The scope that was checked, for the record that is stored.
    pub fn into_scope(self) -> MemoryScope {
        self.0
    }
}
