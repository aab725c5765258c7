//! What an authorization server stores: the port that every store implements.
//!
//! The server decides and the store keeps: a record is a text under a key, and a commit makes all
//! its changes or none. What must stay true of a store: of two commits that change one record, the
//! second is a conflict, and every process that shares the store sees what was committed.

use hobnob_mcp_engine::BoxFuture;

/// The kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RecordKind {
    /// A client that registered itself.
    Client,
    /// A person who may log in.
    User,
    /// A client's request that a person has not decided on yet.
    Request,
    /// The code that a person types in a terminal to agree to a request.
    TerminalCode,
    /// A browser that a user has logged in with.
    Session,
    /// What a user agreed to; the codes and tokens issued for it belong to it.
    Grant,
    /// A code that a client redeems for its first tokens.
    Code,
    /// A token that a client presents to the resource.
    AccessToken,
    /// A token that a client exchanges for new tokens.
    RefreshToken,
}

impl RecordKind {
    /// Every kind, in the order of declaration.
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

    /// The kind's name in a store, which never changes.
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

/// A record as the store keeps it. It contains no secret, only digests of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRecord {
    /// The kind of the record.
    pub kind: RecordKind,
    /// The key of the record, unique within its kind.
    pub key: Box<str>,
    /// The user it belongs to; empty if it belongs to none.
    pub user: Box<str>,
    /// The grant it belongs to; empty if it belongs to none.
    pub grant: Box<str>,
    /// When it may be removed, in seconds since 1970. Until then the store keeps it even if it is
    /// no longer valid, so that its reuse is noticed.
    pub expires_at: Option<u64>,
    /// The contents, as JSON.
    pub body: Box<str>,
}

/// A record as the store returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRecord {
    /// The record that the store keeps under its key.
    pub record: AuthorizationRecord,
    /// The version, which every change to the record replaces.
    pub version: u64,
}

/// One of the changes in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredChange {
    /// Adds a record; a conflict if its key exists.
    Insert(AuthorizationRecord),
    /// Replaces a record; a conflict if its version is no longer the one that was read.
    Replace {
        /// The new contents of the record.
        record: AuthorizationRecord,
        /// The version that was read.
        version: u64,
    },
    /// Removes a record; a conflict if its version is no longer the one that was read.
    Remove {
        /// The kind of the record.
        kind: RecordKind,
        /// The key of the record.
        key: Box<str>,
        /// The version that was read.
        version: u64,
    },
    /// Removes everything of a grant: the grant itself, its codes and its tokens.
    RemoveGrant(Box<str>),
    /// Removes everything of a user but the user: their sessions, grants, codes and tokens.
    RemoveLogins(Box<str>),
    /// Removes everything of a user: the user, their sessions, grants, codes and tokens.
    RemoveUser(Box<str>),
}

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// All changes were made.
    Done,
    /// No change was made: another commit had changed one of the records first.
    Conflict,
}

/// Why the store failed. The text is for the log, not for callers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store of logins failed: {0}")]
pub struct RecordStoreError(pub Box<str>);

/// Stores the records of an authorization server.
pub trait AuthorizationStore: std::fmt::Debug + Send + Sync + 'static {
    /// Finds a record by its key, even if it has expired.
    fn find<'a>(
        &'a self,
        kind: RecordKind,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<FoundRecord>, RecordStoreError>>;

    /// Lists at most `limit` records of a kind, ordered by key, starting behind the key `after`.
    fn list<'a>(
        &'a self,
        kind: RecordKind,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<FoundRecord>, RecordStoreError>>;

    /// Returns how many records of a kind there are.
    fn count(&self, kind: RecordKind) -> BoxFuture<'_, Result<usize, RecordStoreError>>;

    /// Makes all changes, in their order, or none of them.
    fn commit(
        &self,
        changes: Vec<StoredChange>,
    ) -> BoxFuture<'_, Result<Committed, RecordStoreError>>;

    /// Removes expired records, and returns how many.
    fn purge(&self, now: u64) -> BoxFuture<'_, Result<usize, RecordStoreError>>;
}
