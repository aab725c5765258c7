//! The server at the other end of a connection: the state that all code about it shares.
//!
//! Each part has a file of its own below `peer/` and knows none of the others. The activity is in
//! other files: `Exchange` sends requests, `Inbox` handles incoming messages, `question_routing`
//! decides who answers the server. Nothing in here waits.

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
use parking_lot::{Mutex, MutexGuard};
use pending_requests::PendingRequests;
use server_questions::UnansweredQuestions;
use std::sync::Arc;
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
    /// Tracks work that may outlive the connection by a moment; see [`Self::spawn`].
    pub(crate) tasks: TaskTracker,
    /// The maximum number of requests in flight, listen requests included.
    pub(crate) max_in_flight: usize,
    pending: Mutex<PendingRequests>,
    /// Cancelled when the connection ends, together with all work that depends on it.
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

    /// The requests in flight. The lock is never held while a message is sent.
    pub(crate) fn pending(&self) -> MutexGuard<'_, PendingRequests> {
        self.pending.lock()
    }

    /// Answers a question of the server, unless it was answered or withdrawn already.
    pub(crate) fn respond(&self, id: &RequestId, answer: Result<&str, &RpcError>) {
        if self.questions.close(id) {
            self.sender.respond(id, answer);
        }
    }

    /// Runs work in the background, at most until the connection ends.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let closed = self.closed.clone();
        self.tasks.spawn(async move {
            let _closed = closed.run_until_cancelled_owned(work).await;
        });
    }

    /// Cancelled when the connection ends.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Why the connection has ended; `None` while it is open.
    pub(crate) fn ended_because(&self) -> Option<Box<str>> {
        self.pending().ended().map(Into::into)
    }

    /// Closes the connection from our side.
    pub(crate) fn close(&self) {
        self.end("the connection was closed");
        self.sender.close();
    }

    /// Ends the connection: every pending request fails.
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
