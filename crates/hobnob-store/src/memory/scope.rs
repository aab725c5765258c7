//! Who can see a memory, the roles in the scope `org` that several owners share, and the proof that
//! an owner may write to the scope of a new memory.
//!
//! An administrator grants roles; the services put them into [`MemoryAccess`](super::MemoryAccess).

use crate::owner::ProjectKey;

/// Who can see a memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryScope {
    /// Its owner, in one project.
    Project(ProjectKey),
    /// Its owner, in every project.
    User,
    /// Every owner with a role in `org`.
    Org,
}

/// The kind of a scope, without the project key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScopeKind {
    /// Its owner, in one project.
    Project,
    /// Its owner, in every project.
    User,
    /// Every owner with a role in `org`.
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
    /// The scope's kind, without the project key.
    pub fn kind(&self) -> ScopeKind {
        match self {
            Self::Project(_) => ScopeKind::Project,
            Self::User => ScopeKind::User,
            Self::Org => ScopeKind::Org,
        }
    }

    /// The project key; empty for other scopes.
    pub fn project(&self) -> &str {
        match self {
            Self::Project(key) => key.as_str(),
            Self::User | Self::Org => "",
        }
    }
}

/// What an owner may do with memories of scope `org`. Each role includes the ones before it;
/// without a role, these memories are invisible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrgRole {
    /// Finds and reads all of them.
    Reader,
    /// Also captures, and changes its own captures.
    Writer,
    /// Also changes what other owners captured.
    Admin,
}

impl OrgRole {
    /// Every role, weakest first.
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

/// The caller's role in `org` does not allow this write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this change in the scope `org` needs the role `{}`", needed.as_str())]
pub struct MissingRole {
    /// The weakest role that allows it.
    pub needed: OrgRole,
}

/// The scope of a new memory: one of the writer's own, or `org` if the writer has the role for it.
/// Every [`NewMemory`](super::NewMemory) carries one as proof that the writer may write there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WritableScope(MemoryScope);

impl WritableScope {
    /// Checks a scope for an owner with this role in `org`, or with none.
    pub fn new(scope: MemoryScope, role: Option<OrgRole>) -> Result<Self, MissingRole> {
        let needed = OrgRole::Writer;
        match scope {
            MemoryScope::Project(_) | MemoryScope::User => Ok(Self(scope)),
            MemoryScope::Org if Some(needed) <= role => Ok(Self(scope)),
            MemoryScope::Org => Err(MissingRole { needed }),
        }
    }

    /// The owner's own scope in every project.
    pub fn user() -> Self {
        Self(MemoryScope::User)
    }

    /// The owner's own scope in one project.
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
