//! The port of agents' sessions: conversations with programs such as `claude`, by name.
//!
//! The program keeps the conversation itself; a record says which one of the program's it is. The
//! service of agents is the only caller.

use crate::StoreFuture;
use crate::error::StoreError;
use crate::owner::Owner;
use crate::time::Time;

/// Sessions that one owner may have.
pub const MAX_AGENT_SESSIONS: usize = 1000;

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSession {
    /// Who made it; nobody else finds it.
    pub owner: Owner,
    /// One owner has each name once.
    pub name: String,
    /// Which agent it is with, such as `claude`.
    pub agent: String,
    /// The absolute path of the folder that the agent works in.
    pub folder: String,
    /// The model to ask for; without it, the agent's own choice.
    pub model: Option<String>,
    /// What the agent is told about its task; without it, the agent's own words.
    pub system_prompt: Option<String>,
    /// Where the next chat goes on.
    pub head: AgentHead,
    /// How many chats have ended with an answer.
    pub chats: u32,
    /// When it was made.
    pub created: Time,
    /// When it last changed.
    pub updated: Time,
}

/// Where the next chat of a session goes on, by the id that the program gave its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentHead {
    /// Nothing was said yet.
    Fresh,
    /// In this conversation of the program's.
    Resume(String),
    /// In a copy of this conversation, which itself must stay as it is: other sessions branch off there.
    Fork(String),
}

/// Why a session was not made.
#[derive(Debug, thiserror::Error)]
pub enum AgentSessionError {
    /// No session of the owner has this name.
    #[error("there is no such session")]
    NotFound,
    /// The owner has a session of this name.
    #[error("there is a session of this name already")]
    NameTaken,
    /// The owner has as many sessions as may be.
    #[error("there are {MAX_AGENT_SESSIONS} sessions already: delete one that you do not need")]
    TooMany,
    /// The store itself fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Sessions with agents, each found by its owner alone.
pub trait AgentSessionRepository: Send + Sync + 'static {
    /// Stores a new one, unless its name is taken.
    fn add_session(&self, session: AgentSession) -> StoreFuture<'_, Result<(), AgentSessionError>>;

    /// Looks one of an owner's sessions up by name.
    fn find_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<Option<AgentSession>, StoreError>>;

    /// Lists an owner's sessions by name, from behind `after` on.
    fn list_sessions(
        &self,
        owner: Owner,
        after: Option<String>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<AgentSession>, StoreError>>;

    /// Sets where a session goes on; whether it is still there.
    fn set_head(
        &self,
        owner: Owner,
        name: String,
        head: AgentHead,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Counts a chat that has ended with an answer; whether the session is still there.
    fn count_chat(
        &self,
        owner: Owner,
        name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;

    /// Makes a session that goes on where another one is now. From then on both of them go on in
    /// copies, so that neither sees what the other says later.
    fn fork_session(
        &self,
        owner: Owner,
        name: String,
        new_name: String,
        now: Time,
    ) -> StoreFuture<'_, Result<AgentSession, AgentSessionError>>;

    /// Removes one; whether it was there. What the program keeps of it is the program's.
    fn remove_session(
        &self,
        owner: Owner,
        name: String,
    ) -> StoreFuture<'_, Result<bool, StoreError>>;
}
