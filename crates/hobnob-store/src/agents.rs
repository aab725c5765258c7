//! The port of agent sessions: named conversations with programs such as `claude`.
//!
//! The program keeps the conversation itself; a record only refers to it by the program's id. The
//! service of agents is the only caller.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Maximum number of sessions per owner.
pub const MAX_AGENT_SESSIONS: usize = 1000;

/// A stored agent session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    /// The owner who created it, and the only one who finds it.
    pub owner: Owner,
    /// Unique among the owner's sessions.
    pub name: String,
    /// The agent program, such as `claude`.
    pub agent: String,
    /// The absolute path of the folder that the agent works in.
    pub folder: String,
    /// The model to ask for; without it, the agent's default.
    pub model: Option<String>,
    /// The system prompt; without it, the agent's own.
    pub system_prompt: Option<String>,
    /// Where the next chat continues.
    pub head: AgentHead,
    /// How many chats have ended with an answer.
    pub chats: u32,
    /// When it was created.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
}

/// Where the next chat continues, as the id that the program gave its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentHead {
    /// No chat has taken place yet.
    Fresh,
    /// In this conversation of the program.
    Resume(String),
    /// In a copy of this conversation, which stays unchanged because other sessions branch off it.
    Fork(String),
}

/// Why an operation on a session failed.
#[derive(Debug, thiserror::Error)]
pub enum AgentSessionError {
    /// The owner has no session of this name.
    #[error("there is no such session")]
    NotFound,
    /// The owner already has a session of this name.
    #[error("there is a session of this name already")]
    NameTaken,
    /// The owner has the maximum number of sessions.
    #[error("there are {MAX_AGENT_SESSIONS} sessions already: delete one that you do not need")]
    TooMany,
    /// The store itself failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sessions with agents; each is visible to its owner only.
pub trait AgentSessionRepository: Send + Sync + 'static {
    /// Stores a new session, unless its name is taken.
    fn add_session(&self, session: AgentSession) -> StoreFuture<'_, Result<(), AgentSessionError>>;

    /// Looks up one of an owner's sessions by name.
    fn find_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<AgentSession>, StoreError>>;

    /// Lists an owner's sessions sorted by name, starting after `after`.
    fn list_sessions(
        &self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<AgentSession>, StoreError>>;

    /// Sets where a session continues; returns whether it still exists.
    fn set_head(
        &self,
        owner: Owner,
        name: String,
        head: AgentHead,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Counts a chat that ended with an answer; returns whether the session still exists.
    fn count_chat(
        &self,
        owner: Owner,
        name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Creates a session that continues where another one is now. From then on both continue in
    /// copies of the conversation, so neither sees what the other says later.
    fn fork_session(
        &self,
        owner: Owner,
        name: String,
        new_name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<AgentSession, AgentSessionError>>;

    /// Removes a session and returns whether it existed. The program keeps its own files about it.
    fn remove_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;
}
