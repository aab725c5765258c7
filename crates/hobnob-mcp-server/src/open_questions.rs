//! The requests that this server has sent to a legacy client and that await an answer.
//!
//! A session delivers the answers to `ask.rs`, each at most once.

use hobnob_mcp_types::{RequestId, RpcError};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use tokio::sync::oneshot;

/// The result of a request to the client as JSON text, or its error.
pub(crate) type ClientAnswer = Result<Box<str>, RpcError>;

/// The questions that a peer has not answered yet.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: i64,
    waiting: HashMap<RequestId, oneshot::Sender<ClientAnswer>>,
}

impl OpenQuestions {
    /// Delivers an answer; `false` if no question with this id was open.
    pub(crate) fn answered(&self, id: &RequestId, answer: ClientAnswer) -> bool {
        let waiting = self.lock().waiting.remove(id);
        match waiting {
            Some(sender) => {
                drop(sender.send(answer));
                true
            }
            None => {
                tracing::debug!(%id, "the client answered a question that is not open");
                false
            }
        }
    }

    /// Ends all waits: no more answers will come.
    pub(crate) fn close(&self) {
        self.lock().waiting.clear();
    }

    /// Opens a question: its new id, and the receiver of its answer.
    pub(crate) fn open(&self) -> (RequestId, oneshot::Receiver<ClientAnswer>) {
        let (sender, receiver) = oneshot::channel();
        let mut open = self.lock();
        open.last += 1;
        let id = RequestId::from(open.last);
        open.waiting.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Stops waiting for an answer; `false` if none was awaited any more.
    pub(crate) fn forget(&self, id: &RequestId) -> bool {
        self.lock().waiting.remove(id).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}
