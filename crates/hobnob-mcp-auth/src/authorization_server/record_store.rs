//! What an authorization server keeps, and where: a port for whoever stores it.
//!
//! The server decides and the store keeps: a record is a text under a key, and changes are made
//! together or not at all. What must stay true of a store: of two that change the same record at once,
//! one is told so, and what was committed is there for every process that shares the store.

use hobnob_mcp_engine::BoxFuture;

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// A client that registered itself.
    Client,
    /// A person who may log in.
    User,
    /// A request of a client that a person has not decided on yet.
    Request,
    /// The code that a person types in a terminal to agree to a request.
    TerminalCode,
    /// A browser that somebody has logged in with.
    Session,
    /// What a person agreed to, and the tokens' family.
    Grant,
    /// A code that a client redeems for its first tokens.
    Code,
    /// A token that is shown to the resource.
    AccessToken,
    /// A token that gets the next ones.
    RefreshToken,
}

impl RecordKind {
    /// Every kind, in the order of their names here.
    pub const ALL: [Self; 9] = [
        Self::Client,
        Self::User,
        Self::Request,
        Self::TerminalCode,
        Self::Session,
        Self::Grant,
        Self::Code,
        Self::AccessToken,
        Self::RefreshToken,
    ];

    /// Its name in a store; never changed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::User => "user",
            Self::Request => "request",
            Self::TerminalCode => "terminal_code",
            Self::Session => "session",
            Self::Grant => "grant",
            Self::Code => "code",
            Self::AccessToken => "access_token",
            Self::RefreshToken => "refresh_token",
        }
    }
}

/// A record as it is kept. No secret is in it, only digests of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRecord {
    /// What it is about.
    pub kind: RecordKind,
    /// Each kind has a key once.
    pub key: Box<str>,
    /// The user it belongs to; empty for nobody's.
    pub user: Box<str>,
    /// The grant it belongs to; empty for none.
    pub grant: Box<str>,
    /// When it may be removed, in seconds since 1970. Until then it is kept even if it is good for
    /// nothing, so that its second use is noticed.
    pub expires_at: Option<u64>,
    /// The rest, as JSON.
    pub body: Box<str>,
}

/// A record as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRecord {
    /// What the store keeps under its key.
    pub record: AuthorizationRecord,
    /// Another one after each change.
    pub version: u64,
}

/// One change of several that are made together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredChange {
    /// A record that must not be there yet.
    Insert(AuthorizationRecord),
    /// Other contents for a record that must be as it was found.
    Replace {
        /// What is kept from now on.
        record: AuthorizationRecord,
        /// The version that was found.
        version: u64,
    },
    /// Removes a record that must be as it was found.
    Remove {
        /// What it is about.
        kind: RecordKind,
        /// The key of the record.
        key: Box<str>,
        /// The version that was found.
        version: u64,
    },
    /// Removes everything of a grant: the grant itself, its codes and its tokens.
    RemoveGrant(Box<str>),
    /// Removes everything of a user but the user: their sessions, grants, codes and tokens.
    RemoveLogins(Box<str>),
    /// Removes everything of a user: the user, their sessions, grants, codes and tokens.
    RemoveUser(Box<str>),
}

/// How a commit of changes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// All changes were made.
    Done,
    /// None was made: a record was not as it was found.
    Conflict,
}

/// Why something was not read or written; for the log, not for callers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store of logins failed: {0}")]
pub struct RecordStoreError(pub Box<str>);

/// Keeps what an authorization server must not forget.
pub trait AuthorizationStore: std::fmt::Debug + Send + Sync + 'static {
    /// Looks a record up, expired ones too.
    fn find<'a>(
        &'a self,
        kind: RecordKind,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<FoundRecord>, RecordStoreError>>;

    /// Lists records of a kind by key, so many at most, from behind `after` on.
    fn list<'a>(
        &'a self,
        kind: RecordKind,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FoundRecord>, RecordStoreError>>;

    /// How many records of a kind there are.
    fn count(&self, kind: RecordKind) -> BoxFuture<'_, Result<usize, RecordStoreError>>;

    /// Makes all changes, in their order, or none of them.
    fn commit(
        &self,
        changes: Vec<StoredChange>,
    ) -> BoxFuture<'_, Result<Committed, RecordStoreError>>;

    /// Removes what has expired; how many records that were.
    fn purge(&self, now: u64) -> BoxFuture<'_, Result<usize, RecordStoreError>>;
}
