//! The state of a login that a caller is asked for in the middle of a call.
//!
//! An upstream holds one, and `log_in` runs it. What must stay true: one login at a time runs for each
//! upstream, whoever waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The login of an upstream that is under way, if there is one.
#[derive(Debug, Default)]
pub(crate) struct PageLogin(Mutex<Option<watch::Receiver<LoginStage>>>);

/// How far a login is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginStage {
    Begun,
    /// A person may visit this page.
    Page(String),
    Ended,
}

impl PageLogin {
    /// Follows the login that is under way, or the one that `begin` begins.
    pub(super) fn join(
        &self,
        begin: impl FnOnce(watch::Sender<LoginStage>),
    ) -> watch::Receiver<LoginStage> {
        let mut open = self.open();
        if let Some(stage) = open.clone().filter(is_under_way) {
            return stage;
        }
        let (sender, stage) = watch::channel(LoginStage::Begun);
        *open = Some(stage.clone());
        drop(open);
        begin(sender);
        stage
    }

    /// Waits until no login is under way any more.
    pub(crate) async fn ended(&self) {
        let stage = self.open().clone();
        if let Some(mut stage) = stage {
            // A task that is gone has ended too.
            drop(stage.wait_for(|stage| *stage == LoginStage::Ended).await);
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<watch::Receiver<LoginStage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_under_way(stage: &watch::Receiver<LoginStage>) -> bool {
    stage.has_changed().is_ok() && *stage.borrow() != LoginStage::Ended
}
