//! Requests of the server that have no answer yet.
//!
//! The inbox opens a question, whoever answers closes it. A question is answered at most once, and
//! not at all after the server took it back: whoever removes it here may answer.

use hobnob_mcp_types::RequestId;
use hobnob_mcp_types::input::InputRequest;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Questions that a server may have open at once, over all its calls.
const MAX_OPEN: usize = 64;

/// Questions that one call may have open at once; more are refused.
pub(crate) const MAX_OPEN_PER_CALL: usize = 16;

/// A question of the server, on its way to whoever answers it.
#[derive(Debug)]
pub(crate) struct ServerQuestion {
    /// The server's id, under which our answer goes back.
    pub(crate) id: RequestId,
    pub(crate) request: InputRequest,
    /// The request of ours on whose own stream it came; `None` on a pipe, where nothing says.
    pub(crate) exchange: Option<i64>,
    /// Resolves when it is answered or taken back.
    pub(crate) closed: oneshot::Receiver<()>,
}

/// The open ones, by the server's id. Whoever looks for an answer holds the other half of the
/// channel and stops when this one is dropped.
#[derive(Default)]
pub(crate) struct UnansweredQuestions(Mutex<HashMap<RequestId, oneshot::Sender<()>>>);

impl UnansweredQuestions {
    /// Opens a question; `None` if too many are open, or one has this id already.
    pub(crate) fn open(&self, id: &RequestId) -> Option<oneshot::Receiver<()>> {
        let mut open = self.lock();
        if open.len() >= MAX_OPEN || open.contains_key(id) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        open.insert(id.clone(), sender);
        Some(receiver)
    }

    /// Closes a question; whether it was open.
    pub(crate) fn close(&self, id: &RequestId) -> bool {
        self.lock().remove(id).is_some()
    }

    pub(crate) fn is_open(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    /// Closes all of them: the connection is over.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
