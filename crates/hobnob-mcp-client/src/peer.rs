//! One server at the other end of a connection: the state that everything about it shares.
//!
//! Each part lives in a file of its own below `peer/` and knows none of the others. What happens
//! lives above: `Exchange` sends requests, `Inbox` takes what comes in, `question_routing` finds
//! who answers the server. Nothing in here waits.

mod abandoned_calls;
pub(crate) mod activity;
pub(crate) mod message_sender;
pub(crate) mod pending_requests;
pub(crate) mod server_questions;
mod visited_pages;
mod waiting_questions;

use crate::error::RequestError;
use crate::events::EventHandler;
use crate::host::Host;
use hobnob_mcp_types::{RequestId, RpcError};
use message_sender::MessageSender;
use pending_requests::PendingRequests;
use server_questions::UnansweredQuestions;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use visited_pages::VisitedPages;
use waiting_questions::WaitingQuestions;

/// The shared state of one connection.
pub(crate) struct Peer {
    pub(crate) sender: MessageSender,
    pub(crate) questions: UnansweredQuestions,
    /// Questions that wait for a call they could belong to.
    pub(crate) waiting: WaitingQuestions,
    pub(crate) pages: VisitedPages,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) events: Arc<dyn EventHandler>,
    /// Where work of the connection runs that may outlive it by a moment; see [`Self::spawn`].
    pub(crate) tasks: TaskTracker,
    /// Requests that may wait at once, listens included.
    pub(crate) max_in_flight: usize,
    pending: Mutex<PendingRequests>,
    /// Cancelled when the connection is over, with everything that only makes sense before.
    closed: CancellationToken,
}

impl Peer {
    pub(crate) fn new(
        sender: MessageSender,
        host: Arc<dyn Host>,
        events: Arc<dyn EventHandler>,
        tasks: TaskTracker,
        max_in_flight: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            sender,
            questions: UnansweredQuestions::default(),
            waiting: WaitingQuestions::default(),
            pages: VisitedPages::default(),
            host,
            events,
            tasks,
            max_in_flight,
            pending: Mutex::default(),
            closed: CancellationToken::new(),
        })
    }

    /// The requests in flight. The lock is never held while something is sent.
    pub(crate) fn pending(&self) -> MutexGuard<'_, PendingRequests> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a question of the server, unless it was answered or taken back.
    pub(crate) fn respond(&self, id: &RequestId, answer: Result<&str, &RpcError>) {
        if self.questions.close(id) {
            self.sender.respond(id, answer);
        }
    }

    /// Runs something beside, at most until the connection is over.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let closed = self.closed.clone();
        self.tasks.spawn(async move {
            let _closed = closed.run_until_cancelled_owned(work).await;
        });
    }

    /// Is cancelled when the connection is over.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Why nothing can be asked any more, once that is so.
    pub(crate) fn ended_because(&self) -> Option<Box<str>> {
        self.pending().ended().map(Into::into)
    }

    /// Ends the connection from our side.
    pub(crate) fn close(&self) {
        self.end("the connection was closed");
        self.sender.close();
    }

    /// The connection is over: nobody who waits will get an answer.
    pub(crate) fn end(&self, why: &str) {
        let waiting = self.pending().end(why);
        for request in waiting {
            request.end(Err(RequestError::Ended(why.into())));
        }
        self.questions.clear();
        self.waiting.clear();
        self.closed.cancel();
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Peer({:?}, {} in flight)", self.sender.wire(), self.pending().calls())
    }
}
