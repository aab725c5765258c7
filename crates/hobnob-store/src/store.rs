//! The trait of a complete backend: all ports together, and a way to report that the store cannot
//! be used.
//!
//! The binary opens one backend and hands it out as `Arc<dyn Store>`; code that needs one port
//! upcasts to it. The suite tests each port separately.

use crate::agents::AgentSessionRepository;
use crate::authorizations::AuthorizationRepository;
use crate::calls::CallRepository;
use crate::changes::ChangeSource;
use crate::error::StoreError;
use crate::keys::KeyRepository;
use crate::memory::{MemoryRepository, MemorySearch, PromptRepository, SyncMarkRepository};
use crate::model_sessions::ModelSessionRepository;
use crate::quota_counts::QuotaCounts;
use crate::tasks::TaskRepository;
use crate::trees::TreeRepository;
use crate::usage::UsageRepository;

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
    + UsageRepository
    + QuotaCounts
    + ChangeSource
{
    /// Why the store cannot be used now: opening it failed, or `give_up` was called.
    fn unavailable(&self) -> Option<StoreError>;

    /// Stops using the store in this process, because it is damaged and another write could make
    /// the damage worse.
    fn give_up(&self, why: &StoreError);
}
