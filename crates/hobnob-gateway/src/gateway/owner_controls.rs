//! What only the owner of a hub may do with running calls and open questions.
//!
//! The private socket and the page of a hub use it, after they have made sure that the owner asks.

use crate::calls::observer::ObservedCall;
use crate::calls::running::RunningCalls;
use crate::consent::{NotAnswered, OwnerAnswer, OwnerQuestion};
use crate::dispatch::owner_guard::OwnerGuard;
use std::sync::Arc;

/// The owner's view of a gateway, for code that has verified that the owner asks.
#[derive(Clone)]
pub struct OwnerControls {
    pub(super) guard: Arc<OwnerGuard>,
    pub(super) running: Option<Arc<RunningCalls>>,
}

impl OwnerControls {
    /// The open questions to the owner about other callers' calls, the oldest first.
    pub fn questions(&self) -> Vec<OwnerQuestion> {
        self.guard.questions()
    }

    /// Answers one of these questions.
    ///
    /// # Errors
    /// When the question is gone or has an answer, or when the answer cannot be recorded.
    pub async fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> Result<OwnerQuestion, NotAnswered> {
        self.guard.answer(number, answer).await
    }

    /// The calls that run now, the oldest first; none in a gateway without an observer.
    pub fn running_calls(&self) -> Vec<Arc<ObservedCall>> {
        self.running.as_ref().map(|running| running.list()).unwrap_or_default()
    }

    /// Cancels a running call, and answers its caller that the owner did so. `false` if the call does not run any more.
    pub fn cancel_call(&self, id: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.cancel(id))
    }
}

impl std::fmt::Debug for OwnerControls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnerControls")
    }
}
