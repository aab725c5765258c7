//! The state of logins that callers are asked for in the middle of a call.
//!
//! An upstream holds them, and `log_in` runs each. What must stay true: one login at a time runs for each
//! principal, whoever waits for it, and nobody waits for another's.

use hobnob_mcp_engine::Principal;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The logins of an upstream that are under way.
#[derive(Debug, Default)]
pub(crate) struct PageLogins(Mutex<HashMap<Principal, watch::Receiver<LoginStage>>>);

/// How far a login is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginStage {
    Begun,
    /// A person may visit this page.
    Page(String),
    Ended,
}

impl PageLogins {
    /// Follows the login of this principal that is under way, or the one that `begin` begins.
    pub(super) fn join(
        &self,
        principal: &Principal,
        begin: impl FnOnce(watch::Sender<LoginStage>),
    ) -> watch::Receiver<LoginStage> {
        let mut open = self.open();
        open.retain(|_, stage| is_under_way(stage));
        if let Some(stage) = open.get(principal) {
            return stage.clone();
        }
        let (sender, stage) = watch::channel(LoginStage::Begun);
        open.insert(principal.clone(), stage.clone());
        drop(open);
        begin(sender);
        stage
    }

    /// Waits until no login of this principal is under way any more.
    pub(crate) async fn ended(&self, principal: &Principal) {
        let stage = self.open().get(principal).cloned();
        if let Some(mut stage) = stage {
            // A task that is gone has ended too.
            drop(stage.wait_for(|stage| *stage == LoginStage::Ended).await);
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Principal, watch::Receiver<LoginStage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_under_way(stage: &watch::Receiver<LoginStage>) -> bool {
    stage.has_changed().is_ok() && *stage.borrow() != LoginStage::Ended
}
