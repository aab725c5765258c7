//! Where the answer to one message goes, with the notes and questions before it.
//!
//! A transport makes one [`Reply`] per message and passes it to the session. At most one answer
//! goes through it, usually as a [`ReadyReply`] that the transport itself sends.

use crate::batch::BatchReply;
use crate::traffic;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_transport::{Fault, Frame, Outbox};
use std::sync::Arc;

/// The remaining work for one message, ending with its answer; `None` if it needs no answer or was
/// cancelled. Dropping the future cancels the request.
pub type PendingReply = BoxFuture<'static, Option<ReadyReply>>;

/// What else an outbox carries besides one message's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyScope {
    /// The outbox carries everything on the connection.
    Connection,
    /// The outbox belongs to a single exchange and ends with its answer.
    Exchange,
}

/// The only place where a message's replies may go.
#[derive(Debug, Clone)]
pub struct Reply {
    outbox: Arc<Outbox>,
    scope: ReplyScope,
    batch: Option<Arc<BatchReply>>,
}

impl Reply {
    /// A reply that goes to this outbox.
    pub fn new(outbox: Arc<Outbox>, scope: ReplyScope) -> Self {
        Self { outbox, scope, batch: None }
    }

    /// The same place, but the answer waits for the rest of its batch.
    pub(crate) fn in_batch(&self, batch: Arc<BatchReply>) -> Self {
        Self { batch: Some(batch), ..self.clone() }
    }

    /// The queue for the call's notes and questions.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Whether the outbox belongs to this exchange alone.
    pub fn scope(&self) -> ReplyScope {
        self.scope
    }

    /// Makes the one answer, for the transport to send.
    pub(crate) fn ready(self, text: String, fault: Option<Fault>) -> ReadyReply {
        ReadyReply { reply: self, text, fault }
    }

    /// Sends the one answer.
    pub(crate) fn send(&self, bytes: String, fault: Option<Fault>) {
        traffic::sent(&self.outbox, &bytes);
        match &self.batch {
            Some(batch) => self.send_batch(batch.answer(bytes)),
            None => {
                self.outbox.reply(bytes, fault);
                self.end();
            }
        }
    }

    /// Records that there will be no answer.
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

/// An answer that has not been sent yet.
#[derive(Debug)]
pub struct ReadyReply {
    reply: Reply,
    text: String,
    fault: Option<Fault>,
}

/// Sends the answer that a message's work has ended with, if there is one.
pub(crate) fn send_ready(answer: Option<ReadyReply>) {
    if let Some(answer) = answer {
        answer.send();
    }
}

impl ReadyReply {
    /// Sends the answer through the outbox, after everything that is queued there.
    pub fn send(self) {
        self.reply.send(self.text, self.fault);
    }

    /// The answer as a frame, for a transport that can write it at once. Fails if that would change
    /// the order: when notes of the call are still queued, or the answer belongs to a batch.
    pub fn into_frame(self) -> Result<Frame, Self> {
        if self.reply.batch.is_some() || !self.reply.outbox.is_empty() {
            return Err(self);
        }
        traffic::sent(&self.reply.outbox, &self.text);
        Ok(Frame::reply(self.text, self.fault))
    }
}
