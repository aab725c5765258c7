//! Which sessions are in use by a running chat or change, in this process.
//!
//! A chat or change enters its session here first. Changes by other processes are detected by the
//! session's head, when the answer is stored.

use hobnob_store::Owner;
use hobnob_store::model_sessions::ModelSessionName;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// Most chats at once, of all callers together.
pub(super) const MAX_CHATS: usize = 64;

/// The sessions that are in use. Clones share one set.
#[derive(Debug, Clone, Default)]
pub(super) struct ActiveChats(Arc<Mutex<HashSet<SessionKey>>>);

type SessionKey = (String, ModelSessionName);

/// Why a session cannot be used now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatRefusal {
    /// Another chat runs in it.
    InUse,
    /// The limit of running chats is reached.
    Full,
}

impl ActiveChats {
    /// Reserves a session until the guard is dropped.
    pub(super) fn enter(
        &self,
        owner: &Owner,
        session: &ModelSessionName,
    ) -> Result<ActiveChat, ChatRefusal> {
        let key = (owner.as_str().to_owned(), session.clone());
        let mut active = self.0.lock();
        if active.contains(&key) {
            return Err(ChatRefusal::InUse);
        }
        if MAX_CHATS <= active.len() {
            return Err(ChatRefusal::Full);
        }
        active.insert(key.clone());
        Ok(ActiveChat { chats: self.clone(), key })
    }
}

/// A reserved session, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct ActiveChat {
    chats: ActiveChats,
    key: SessionKey,
}

impl Drop for ActiveChat {
    fn drop(&mut self) {
        self.chats.0.lock().remove(&self.key);
    }
}
