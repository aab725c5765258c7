//! Where the answer to one message goes, and what else may travel with it.
//!
//! A transport makes one [`Reply`] for each message and hands it to the session. At most one answer
//! goes through it.

use crate::batch::BatchReply;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_transport::{Fault, Outbox};
use std::sync::Arc;

/// What is left to do for a message. It sends the reply itself when it is done; dropping it cancels
/// the request.
pub type PendingReply = BoxFuture<'static, ()>;

/// What an outbox is used for besides one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyScope {
    /// The outbox carries everything on the connection.
    Connection,
    /// The outbox belongs to this one exchange and ends with the answer.
    Exchange,
}

/// The only place a message's replies may go.
#[derive(Debug, Clone)]
pub struct Reply {
    outbox: Arc<Outbox>,
    scope: ReplyScope,
    batch: Option<Arc<BatchReply>>,
}

impl Reply {
    /// Replies into an outbox.
    pub fn new(outbox: Arc<Outbox>, scope: ReplyScope) -> Self {
        Self { outbox, scope, batch: None }
    }

    /// The same place, but the answer waits for the rest of its batch.
    pub(crate) fn in_batch(&self, batch: Arc<BatchReply>) -> Self {
        Self { batch: Some(batch), ..self.clone() }
    }

    /// Where notes and questions of the call go.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Whether the outbox is this exchange's alone.
    pub fn scope(&self) -> ReplyScope {
        self.scope
    }

    /// Sends the one answer.
    pub(crate) fn send(&self, bytes: String, fault: Option<Fault>) {
        match &self.batch {
            Some(batch) => self.send_batch(batch.answer(bytes)),
            None => {
                self.outbox.reply(bytes, fault);
                self.end();
            }
        }
    }

    /// There will be no answer.
    pub(crate) fn skip(&self) {
        match &self.batch {
            Some(batch) => self.send_batch(batch.skip()),
            None => self.end(),
        }
    }

    fn send_batch(&self, whole: Option<String>) {
        if let Some(bytes) = whole {
            if !bytes.is_empty() {
                self.outbox.reply(bytes, None);
            }
            self.end();
        }
    }

    fn end(&self) {
        if self.scope == ReplyScope::Exchange {
            self.outbox.finish();
        }
    }
}
