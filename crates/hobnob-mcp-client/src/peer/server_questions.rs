//! The requests of the server that have no answer yet.
//!
//! The inbox opens a question, and the code that answers it closes it. Invariant: a question is
//! answered at most once, and not after its withdrawal: only the code that removes it answers.

use hobnob_mcp_types::RequestId;
use hobnob_mcp_types::input::InputRequest;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use tokio::sync::oneshot;

/// How many questions a server may have open at once, over all its calls.
const MAX_OPEN: usize = 64;

/// How many questions one call may have open at once; more are refused.
pub(crate) const MAX_OPEN_PER_CALL: usize = 16;

/// A question of the server that is waiting for its answer.
#[derive(Debug)]
pub(crate) struct ServerQuestion {
    /// The server's id, under which our answer goes back.
    pub(crate) id: RequestId,
    pub(crate) request: InputRequest,
    /// The request of ours on whose own stream it came; `None` on a pipe, where nothing says that.
    pub(crate) exchange: Option<i64>,
    /// Resolves when the question is answered or withdrawn.
    pub(crate) closed: oneshot::Receiver<()>,
}

/// The open questions by the server's id. The code that looks for an answer holds the other half of
/// the channel, and stops when this half is dropped.
#[derive(Default)]
pub(crate) struct UnansweredQuestions(Mutex<HashMap<RequestId, oneshot::Sender<()>>>);

impl UnansweredQuestions {
    /// Opens a question; `None` if too many are open, or one with this id is open already.
    pub(crate) fn open(&self, id: &RequestId) -> Option<oneshot::Receiver<()>> {
        let mut open = self.lock();
        if open.len() >= MAX_OPEN || open.contains_key(id) {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        open.insert(id.clone(), sender);
        Some(receiver)
    }

    /// Closes a question, and returns whether it was open.
    pub(crate) fn close(&self, id: &RequestId) -> bool {
        self.lock().remove(id).is_some()
    }

    pub(crate) fn is_open(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    /// Closes all questions: the connection has ended.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, oneshot::Sender<()>>> {
        self.0.lock()
    }
}
