//! Sessions with models: the record and the port. The conversation of a session is a path in a
//! tree, from its root to the session's head.
//!
//! The service `cone` uses the port; a backend implements it and passes the suite. A session and
//! its tree are created in one transaction; so are an answer and the move of the head to it.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{Page, PageRequest};
use crate::time::Time;
use crate::trees::{NewNode, NodeId, NodeRef, TreeAccess, TreeError, TreeId, TreeNode};
use std::fmt;

/// Maximum number of sessions per owner.
pub const MAX_MODEL_SESSIONS: usize = 1_000;
/// Maximum length of a session's name in characters.
const MAX_NAME: usize = 64;

/// A session's name, unique per owner: 1 to 64 of `[A-Za-z0-9_-]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelSessionName(Box<str>);

impl ModelSessionName {
    /// Parses a name as a caller wrote it; `None` if it is not a valid name.
    pub fn parse(raw: &str) -> Option<Self> {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = (1..=MAX_NAME).contains(&raw.len()) && raw.bytes().all(legal);
        fits.then(|| Self(raw.into()))
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelSessionName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A session in its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSession {
    /// Unique among the owner's sessions.
    pub name: ModelSessionName,
    /// The model to ask; `None` means the default model at the time of each question.
    pub model: Option<String>,
    /// The system prompt of the session, repeated at the root of the tree.
    pub system_prompt: Option<String>,
    /// Model settings: the text of a JSON object.
    pub settings: Option<String>,
    /// The user's notes about it: the text of a JSON object.
    pub metadata: Option<String>,
    /// The tree that holds the conversation. Each session has its own, so the tree distinguishes
    /// two sessions that used the same name one after the other.
    pub tree: TreeId,
    /// The node that the next question follows.
    pub head: NodeId,
    /// When it was created.
    pub created: Time,
    /// When it, or its head, last changed.
    pub updated: Time,
}

/// A session to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewModelSession {
    /// A name that no other session of the owner has.
    pub name: ModelSessionName,
    /// The model to ask.
    pub model: Option<String>,
    /// The system prompt of the session.
    pub system_prompt: Option<String>,
    /// Model settings: the text of a JSON object.
    pub settings: Option<String>,
    /// The user's notes: the text of a JSON object.
    pub metadata: Option<String>,
}

/// Where an answer belongs: the session, its tree, and the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPlace {
    /// The session in which the question was asked.
    pub session: ModelSessionName,
    /// Its tree, so that an answer to a deleted session never reaches a new one of the same name.
    pub tree: TreeId,
    /// The session's head when the question was asked.
    pub head: NodeId,
    /// The node of the question.
    pub below: NodeId,
}

/// An answer that is stored in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The node of the answer.
    pub node: TreeNode,
    /// The session's head: the answer, unless another caller has moved the head since the question.
    /// Then that move wins, and the answer is a branch of its own.
    pub head: NodeId,
}

/// Why an operation on a session failed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ModelSessionError {
    /// The owner has no session of this name.
    #[error("session not found: {0}")]
    NotFound(ModelSessionName),
    /// The owner already has a session of this name.
    #[error("there is a session named `{0}` already: take another name, or delete that one")]
    NameTaken(ModelSessionName),
    /// The owner has the maximum number of sessions.
    #[error("there are {MAX_MODEL_SESSIONS} sessions already: delete one that you do not need")]
    TooMany,
    /// The cursor was not returned by this list.
    #[error("this cursor is not from this list: list again without it")]
    BadCursor,
    /// The session's tree refused the operation.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores each owner's sessions with models, by name.
pub trait ModelSessionRepository: Send + Sync + 'static {
    /// Creates a session and its tree, whose root holds the system prompt. The session claims the
    /// tree, and its head is the root.
    fn create_model_session(
        &self,
        access: TreeAccess,
        new: NewModelSession,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// A session by its name.
    fn model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// All sessions of the owner, sorted by name.
    fn model_sessions(
        &self,
        access: TreeAccess,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<ModelSession>, ModelSessionError>>;

    /// Moves a session's head to another node of its tree.
    fn move_session_head(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// Adds an answer to the tree and moves the head to it, both or neither.
    fn add_answer(
        &self,
        access: TreeAccess,
        place: AnswerPlace,
        answer: NewNode,
    ) -> StoreFuture<'_, Result<StoredAnswer, ModelSessionError>>;

    /// Removes a session and returns it. Its tree is released and stays as long as any unclaimed
    /// tree.
    fn delete_model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;
}
