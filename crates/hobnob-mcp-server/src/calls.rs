//! The calls of one peer that are in flight: each is begun once, and finished or cancelled once.
//!
//! [`Session`](crate::Session) enters every call of MCP that it does not answer at once; requests
//! of another protocol are not in this table. Only the code that takes a call out of the table may
//! answer it, so a cancelled call never answers.

use crate::reply::{PendingReply, Reply};
use crate::wire::{self, Encoded, busy};
use futures_util::FutureExt as _;
use futures_util::future::{AbortHandle, AbortRegistration, Abortable};
use hobnob_mcp_engine::{InFlight, Refused, Ticket};
use hobnob_mcp_types::{RequestId, RpcError, encode};
use parking_lot::{Mutex, MutexGuard};
use std::future::Future;
use std::sync::Arc;

/// The calls in flight of one peer.
#[derive(Debug)]
pub(crate) struct Calls(Mutex<InFlight<Running>>);

#[derive(Debug)]
struct Running {
    abort: AbortHandle,
    reply: Reply,
}

impl Calls {
    pub(crate) fn new(max_calls: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(InFlight::new(max_calls))))
    }

    /// Enters a call. The returned future runs it and gives its answer, unless it is cancelled.
    pub(crate) fn track(
        self: &Arc<Self>,
        id: &RequestId,
        reply: &Reply,
        run: impl Future<Output = Encoded> + Send + 'static,
    ) -> Option<PendingReply> {
        let (ticket, registration) = match self.begin(id, reply) {
            Ok(begun) => begun,
            Err(error) => {
                reply.send(encode::error(Some(id), &error), wire::legacy_fault(&error));
                return None;
            }
        };
        let calls = Arc::clone(self);
        // Not an `async` block: that would store the call twice and copy it when it starts.
        Some(Box::pin(Abortable::new(run, registration).map(move |ended| {
            let (text, fault) = ended.ok()?;
            let finished = calls.lock().finish(ticket);
            finished.map(|running| running.reply.ready(text, fault))
        })))
    }

    /// Cancels a call that is still in flight; it gets no answer.
    pub(crate) fn cancel(&self, id: &RequestId) {
        let running = self.lock().cancel(id);
        if let Some(running) = running {
            running.stop();
        }
    }

    /// Cancels all calls and refuses new ones.
    pub(crate) fn end_all(&self) {
        let all = self.lock().end_all();
        all.into_iter().for_each(Running::stop);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn begin(
        &self,
        id: &RequestId,
        reply: &Reply,
    ) -> Result<(Ticket, AbortRegistration), RpcError> {
        let (abort, registration) = AbortHandle::new_pair();
        let running = Running { abort, reply: reply.clone() };
        match self.lock().begin(id.clone(), running) {
            Ok(ticket) => Ok((ticket, registration)),
            Err(Refused::Duplicate) => {
                let message = format!("a request with id {id} is still being answered");
                Err(RpcError::invalid_request(message))
            }
            Err(Refused::Full) => Err(busy()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, InFlight<Running>> {
        self.0.lock()
    }
}

impl Running {
    fn stop(self) {
        self.abort.abort();
        self.reply.skip();
    }
}
