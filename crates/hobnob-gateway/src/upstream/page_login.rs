//! The state of logins that callers are asked for in the middle of a call.
//!
//! `Logins` holds them; `log_in` runs each. What must stay true: each principal has at most one
//! login under way, which all their calls share, and waits for no other's.

use hobnob_mcp_engine::Principal;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use tokio::sync::watch;

/// Why a login whose task is gone did not succeed.
const INTERRUPTED: &str = "the login was interrupted; begin it again";

/// The logins of an upstream that are under way.
#[derive(Debug, Default)]
pub(crate) struct PageLogins(Mutex<HashMap<Principal, watch::Receiver<LoginStage>>>);

/// The stage of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginStage {
    Begun,
    /// The person may visit this page.
    Page(String),
    /// The person is logged in, or why not.
    Ended(Result<(), String>),
}

impl LoginStage {
    pub(super) fn is_ended(&self) -> bool {
        matches!(self, Self::Ended(_))
    }
}

impl PageLogins {
    /// Follows this principal's login; if none is under way, `begin` starts one.
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

    /// Waits until this principal's login has ended, if one is under way.
    pub(crate) async fn ended(&self, principal: &Principal) {
        // A task that was dropped counts as ended.
        drop(self.outcome(principal).await);
    }

    /// Waits for the end of this principal's last login; `None` if there was none.
    pub(crate) async fn outcome(&self, principal: &Principal) -> Option<Result<(), String>> {
        let mut stage = self.open().get(principal).cloned()?;
        let ended = stage.wait_for(LoginStage::is_ended).await;
        Some(match ended.as_deref() {
            Ok(LoginStage::Ended(outcome)) => outcome.clone(),
            Ok(LoginStage::Begun | LoginStage::Page(_)) | Err(_) => Err(INTERRUPTED.to_owned()),
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Principal, watch::Receiver<LoginStage>>> {
        self.0.lock()
    }
}

fn is_under_way(stage: &watch::Receiver<LoginStage>) -> bool {
    stage.has_changed().is_ok() && !stage.borrow().is_ended()
}
