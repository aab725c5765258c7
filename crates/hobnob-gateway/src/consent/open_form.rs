//! The form with which the caller's own client shows a question that is also in the owner's queue.
//!
//! `owner_questions` keeps it with the question. What must stay true: only an answer withdraws the
//! form; a question that expires or makes room leaves it open in the client.

use hobnob_mcp_engine::{ClientId, Withdrawal};

/// A form that a client shows.
#[derive(Debug)]
pub(crate) struct OpenForm {
    /// Comes back with the client's answer.
    token: Box<str>,
    client: ClientId,
    withdrawal: Option<Withdrawal>,
}

impl OpenForm {
    pub(crate) fn new(token: &str, client: ClientId, withdrawal: Withdrawal) -> Self {
        Self { token: token.into(), client, withdrawal: Some(withdrawal) }
    }

    pub(super) fn has_token(&self, token: &str) -> bool {
        *self.token == *token
    }

    pub(super) fn is_at(&self, client: ClientId) -> bool {
        self.client == client
    }

    /// Whether the call is open and waits for the form. Otherwise the call ended with the form, and
    /// the client makes it again with the answer.
    pub(super) fn is_awaited(&self) -> bool {
        self.withdrawal.as_ref().is_some_and(Withdrawal::is_awaited)
    }

    /// The right to withdraw the form, which belongs to the first answer. It must be dropped without
    /// a lock: the call that waits goes on at once.
    pub(super) fn take_withdrawal(&mut self) -> Option<Withdrawal> {
        self.withdrawal.take()
    }
}

impl Drop for OpenForm {
    fn drop(&mut self) {
        if let Some(withdrawal) = self.withdrawal.take() {
            withdrawal.disarm();
        }
    }
}
