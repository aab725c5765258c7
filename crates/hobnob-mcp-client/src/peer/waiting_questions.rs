//! Questions of the server that came before any call they could belong to, and wait for one.
//!
//! `question_routing` puts them here if the host says so; the next call takes them along before it
//! is sent. Invariant: a question leaves once, with a call or to the host when its time is over.

use crate::peer::server_questions::ServerQuestion;
use hobnob_mcp_types::RequestId;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;

/// The questions in the order of arrival, at most as many as a server may have open at once.
#[derive(Default)]
pub(crate) struct WaitingQuestions(Mutex<VecDeque<ServerQuestion>>);

impl WaitingQuestions {
    pub(crate) fn push(&self, question: ServerQuestion) {
        self.lock().push_back(question);
    }

    /// Takes out the oldest question for which `fits` holds.
    pub(crate) fn take(&self, fits: impl Fn(&ServerQuestion) -> bool) -> Option<ServerQuestion> {
        let mut waiting = self.lock();
        let at = waiting.iter().position(fits)?;
        waiting.remove(at)
    }

    /// Takes out the question with this id, if it still waits.
    pub(crate) fn take_by_id(&self, id: &RequestId) -> Option<ServerQuestion> {
        self.take(|question| question.id == *id)
    }

    /// Drops all questions: the connection has ended.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<ServerQuestion>> {
        self.0.lock()
    }
}
