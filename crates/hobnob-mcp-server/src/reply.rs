//! Where the answer to one message goes, and what else may travel with it.
//!
//! A transport makes one [`Reply`] for each message and hands it to the session. At most one answer
//! goes through it: most are handed to the transport as a [`ReadyReply`], which it sends.

use crate::batch::BatchReply;
use crate::traffic;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_transport::{Fault, Frame, Outbox};
use std::sync::Arc;

/// What is left to do for a message, up to its answer; there is none if the request was cancelled.
/// Dropping it cancels the request.
pub type PendingReply = BoxFuture<'static, Option<ReadyReply>>;

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

    /// The one answer, for the transport to send.
    pub(crate) fn ready(self, text: String, fault: Option<Fault>) -> ReadyReply {
        ReadyReply { reply: self, text, fault }
    }

    /// Sends the one answer.
    pub(crate) fn send(&self, bytes: String, fault: Option<Fault>) {
        traffic::sent(&bytes);
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

/// An answer that is not sent yet.
#[derive(Debug)]
pub struct ReadyReply {
    reply: Reply,
    text: String,
    fault: Option<Fault>,
}

/// Sends what work has ended with.
pub(crate) fn send_ready(answer: Option<ReadyReply>) {
    if let Some(answer) = answer {
        answer.send();
    }
}

impl ReadyReply {
    /// Sends it through the outbox, behind whatever waits there.
    pub fn send(self) {
        self.reply.send(self.text, self.fault);
    }

    /// The answer as a frame, for a transport that can deliver it at once. Handed back if that
    /// would change the order: what its call said before still waits, or it belongs to a batch.
    pub fn into_frame(self) -> Result<Frame, Self> {
        if self.reply.batch.is_some() || !self.reply.outbox.is_empty() {
            return Err(self);
        }
        traffic::sent(&self.text);
        Ok(Frame::reply(self.text, self.fault))
    }
}
