//! Everything a backend must be to stand behind Hobnob: all ports, and a way to say that it cannot
//! be used.
//!
//! The binary opens one backend and hands it out as `Arc<dyn Store>`; whoever needs one port
//! upcasts to it. The suite checks each port by itself.

use crate::agents::AgentSessionRepository;
use crate::authorizations::AuthorizationRepository;
use crate::calls::CallRepository;
use crate::changes::ChangeSource;
use crate::error::StoreError;
use crate::keys::KeyRepository;
use crate::memory::{MemoryRepository, MemorySearch, PromptRepository, SyncMarkRepository};
use crate::model_sessions::ModelSessionRepository;
use crate::tasks::TaskRepository;
use crate::trees::TreeRepository;

/// All ports of one backend.
pub trait Store:
    MemoryRepository
    + MemorySearch
    + PromptRepository
    + SyncMarkRepository
    + TaskRepository
    + TreeRepository
    + AgentSessionRepository
    + ModelSessionRepository
    + AuthorizationRepository
    + CallRepository
    + KeyRepository
    + ChangeSource
{
    /// Why the store cannot be used now: it could not be opened, or it was given up.
    fn unavailable(&self) -> Option<StoreError>;

    /// Uses the store no more in this process: it has turned out to be damaged, and whatever is
    /// written to it could make that worse.
    fn give_up(&self, why: &StoreError);
}
