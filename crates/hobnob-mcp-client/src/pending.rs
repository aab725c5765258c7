//! The requests of one connection that wait for their answers, matched by id.

use crate::exchange::Failure;
use mcp_engine::Notes;
use mcp_types::input::InputRequest;
use mcp_types::{Method, RequestId};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How a request ended: the result as JSON text.
pub(crate) type Done = Result<Box<str>, Failure>;

/// Questions one call may have open at once; more are refused.
pub(crate) const OPEN_QUESTIONS: usize = 16;

/// A question of the server that belongs to a call.
#[derive(Debug)]
pub(crate) struct ServerQuestion {
    /// The id our answer goes under.
    pub(crate) id: RequestId,
    /// What it asks.
    pub(crate) request: InputRequest,
    /// Ends when it is answered or taken back.
    pub(crate) taken_back: oneshot::Receiver<()>,
}

/// One waiting request.
pub(crate) struct Waiting {
    pub(crate) method: Method,
    pub(crate) done: oneshot::Sender<Done>,
    /// Who hears what is told meanwhile; nobody, of a request of our own.
    pub(crate) notes: Option<Notes>,
    /// Where questions go that the server asks during this call, if it may ask any.
    pub(crate) questions: Option<mpsc::Sender<ServerQuestion>>,
    pub(crate) pulse: Arc<Pulse>,
}

/// When a request last showed a sign of life.
#[derive(Debug)]
pub(crate) struct Pulse {
    begun: Instant,
    last_ms: AtomicU64,
}

impl Pulse {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), last_ms: AtomicU64::new(0) })
    }

    pub(crate) fn beat(&self) {
        let since = self.begun.elapsed().as_millis();
        self.last_ms.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Milliseconds from the beginning to the last sign of life.
    pub(crate) fn last_ms(&self) -> u64 {
        self.last_ms.load(Ordering::Relaxed)
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct Pending {
    last: i64,
    waiting: HashMap<i64, Waiting>,
    /// Progress tokens of calls that became tasks, and the requests that wait for their results.
    tokens: HashMap<i64, i64>,
    /// Why nothing can be asked any more.
    ended: Option<Box<str>>,
}

impl Pending {
    /// Takes a request in, unless the connection is over or too much is asked at once.
    pub(crate) fn begin(&mut self, waiting: Waiting, most: usize) -> Result<i64, Failure> {
        if let Some(why) = &self.ended {
            return Err(Failure::Unsent(why.clone()));
        }
        if self.waiting.len() >= most {
            return Err(Failure::Unsent(format!("{most} requests are in flight already").into()));
        }
        self.last += 1;
        self.waiting.insert(self.last, waiting);
        Ok(self.last)
    }

    /// The request with this id; it waits no longer.
    pub(crate) fn take(&mut self, id: i64) -> Option<Waiting> {
        self.tokens.retain(|_, request| *request != id);
        self.waiting.remove(&id)
    }

    /// Progress under this token is progress of that request.
    pub(crate) fn follow_token(&mut self, token: i64, id: i64) {
        if self.waiting.contains_key(&id) {
            self.tokens.insert(token, id);
        }
    }

    /// The request that progress under this token belongs to.
    pub(crate) fn by_token(&self, token: i64) -> Option<&Waiting> {
        let of_task = || self.waiting.get(self.tokens.get(&token)?);
        self.waiting.get(&token).or_else(of_task)
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Waiting> {
        self.waiting.get(&id)
    }

    /// Gives a request that goes on new ears.
    pub(crate) fn renote(&mut self, id: i64, notes: Notes) {
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.notes = Some(notes);
        }
    }

    /// The newest request that may be asked something. On a pipe nothing says which call a
    /// question belongs to; the newest is the likeliest, and all of them have the same principal.
    pub(crate) fn newest_askable(&self) -> Option<&Waiting> {
        let askable = self.waiting.iter().filter(|(_, waiting)| waiting.questions.is_some());
        askable.max_by_key(|(id, _)| **id).map(|(_, waiting)| waiting)
    }

    /// The newest call, for log messages that do not say what they belong to.
    pub(crate) fn newest_heard(&self) -> Option<&Waiting> {
        let heard = self.waiting.iter().filter(|(_, waiting)| waiting.notes.is_some());
        heard.max_by_key(|(id, _)| **id).map(|(_, waiting)| waiting)
    }

    /// Ends the connection: everyone who waits, and what to tell them.
    pub(crate) fn end(&mut self, why: &str) -> Vec<Waiting> {
        if self.ended.is_none() {
            self.ended = Some(why.into());
        }
        self.tokens.clear();
        self.waiting.drain().map(|(_, waiting)| waiting).collect()
    }

    pub(crate) fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// How many wait, but for listens, which always do.
    pub(crate) fn calls(&self) -> usize {
        let listens = |waiting: &&Waiting| waiting.method != Method::SubscriptionsListen;
        self.waiting.values().filter(listens).count()
    }
}
