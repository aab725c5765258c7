//! Sessions with models: the record, and the port that answers. What is said in a session is a path
//! in a tree, from its root to the session's head.
//!
//! The service `cone` uses the port; a backend implements it and passes the suite. What belongs
//! together is one transaction: a session and its tree, an answer and the head that moves to it.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{Page, PageRequest};
use crate::time::Time;
use crate::trees::{NewNode, NodeId, NodeRef, TreeAccess, TreeError, TreeId, TreeNode};
use std::fmt;

/// Sessions that one owner may have.
pub const MAX_MODEL_SESSIONS: usize = 1_000;
/// The most characters of a session's name.
const MAX_NAME: usize = 64;

/// A session's name, unique among those of its owner: 1 to 64 of `[A-Za-z0-9_-]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelSessionName(Box<str>);

impl ModelSessionName {
    /// Reads a name as a caller wrote it; nothing if no session can be called that.
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

/// A session as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSession {
    /// Unique among the owner's sessions.
    pub name: ModelSessionName,
    /// The model to ask; without one, whatever is the default when something is asked.
    pub model: Option<String>,
    /// What the model is told before everything else; the root of the tree says the same.
    pub system_prompt: Option<String>,
    /// How the model is asked: the text of a JSON object.
    pub settings: Option<String>,
    /// What its users noted about it: the text of a JSON object.
    pub metadata: Option<String>,
    /// The tree that holds what was said. Each session has its own, so this tells sessions apart
    /// that had the same name one after the other.
    pub tree: TreeId,
    /// The node that the next question follows.
    pub head: NodeId,
    /// When it was made.
    pub created: Time,
    /// When it, or its head, last changed.
    pub updated: Time,
}

/// A session to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewModelSession {
    /// A name that none of the owner's sessions has.
    pub name: ModelSessionName,
    /// The model to ask.
    pub model: Option<String>,
    /// What the model is told before everything else.
    pub system_prompt: Option<String>,
    /// The text of a JSON object.
    pub settings: Option<String>,
    /// The text of a JSON object.
    pub metadata: Option<String>,
}

/// Where an answer belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerPlace {
    /// The session that was asked in.
    pub session: ModelSessionName,
    /// Its tree, so that a new session of the same name gets no answer of an old one.
    pub tree: TreeId,
    /// Its head when the question was asked.
    pub head: NodeId,
    /// The node of the question that it answers.
    pub below: NodeId,
}

/// An answer that is in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The node of the answer.
    pub node: TreeNode,
    /// Where the session goes on: at the answer, unless somebody else moved the head since the
    /// question. Then their choice stays, and the answer is a branch of its own.
    pub head: NodeId,
}

/// Why nothing was done with a session.
#[derive(Debug, thiserror::Error)]
pub enum ModelSessionError {
    /// The owner has none of this name.
    #[error("session not found: {0}")]
    NotFound(ModelSessionName),
    /// The owner has one of this name.
    #[error("there is a session named `{0}` already: take another name, or delete that one")]
    NameTaken(ModelSessionName),
    /// The owner has as many as may be.
    #[error("there are {MAX_MODEL_SESSIONS} sessions already: delete one that you do not need")]
    TooMany,
    /// No page ended with this.
    #[error("this cursor is not from this list: list again without it")]
    BadCursor,
    /// The session's tree refuses it.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sessions with models, by their owners' names for them.
pub trait ModelSessionRepository: Send + Sync + 'static {
    /// Stores a new session and a tree for it, whose root says the system prompt. The session
    /// claims the tree, and its head is the root.
    fn create_model_session(
        &self,
        access: TreeAccess,
        new: NewModelSession,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// One by its name.
    fn model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// All of the owner, by name.
    fn model_sessions(
        &self,
        access: TreeAccess,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<ModelSession>, ModelSessionError>>;

    /// Lets a session go on at another node of its tree.
    fn move_session_head(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
        node: NodeRef,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;

    /// Adds an answer to the tree and moves the head to it, both or nothing.
    fn add_answer(
        &self,
        access: TreeAccess,
        place: AnswerPlace,
        answer: NewNode,
    ) -> StoreFuture<'_, Result<StoredAnswer, ModelSessionError>>;

    /// Removes a session and releases its tree, which stays as long as trees do that nobody claims.
    /// What the session was.
    fn delete_model_session(
        &self,
        access: TreeAccess,
        name: ModelSessionName,
    ) -> StoreFuture<'_, Result<ModelSession, ModelSessionError>>;
}
