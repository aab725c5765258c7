//! The legacy sessions of one server: bounded in number, ended when idle for too long.
//!
//! Routes find and end them; the site ends the idle ones. A session with an open stream or a
//! running call is never idle.

use crate::server::options::SessionLimits;
use crate::server::refused_request::RequestRefusal;
use crate::server::replay::Replay;
use crate::server::requester::Requester;
use crate::server::streams::Streams;
use hobnob_mcp_engine::random_token;
use hobnob_mcp_server::{Eras, Server, Session};
use hobnob_mcp_transport::{Outbox, OutboxLimits};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// One session, with its state for HTTP.
#[derive(Debug)]
pub(crate) struct HttpSession {
    pub(crate) id: Box<str>,
    pub(crate) session: Arc<Session>,
    pub(crate) main: Arc<Outbox>,
    pub(crate) streams: Streams,
    began: Instant,
    /// When the client was last active, in milliseconds since the table began.
    seen: AtomicU64,
    /// The number of open streams; a session with one is not idle.
    readers: AtomicUsize,
}

/// The table of all legacy sessions of one server, by their ids.
#[derive(Debug)]
pub(crate) struct Sessions {
    table: Mutex<HashMap<Box<str>, Arc<HttpSession>>>,
    limits: SessionLimits,
    /// The replay account shared by the streams of all sessions of all servers.
    replay: Arc<Replay>,
    began: Instant,
}

/// The number of sessions is at its limit, and none of them is idle.
#[derive(Debug)]
pub(crate) struct Full;

impl Sessions {
    pub(crate) fn new(limits: SessionLimits, replay: &Arc<Replay>) -> Self {
        let replay = Arc::clone(replay);
        Self { table: Mutex::default(), limits, replay, began: Instant::now() }
    }

    /// A new session with an unguessable id, which no request can find before it is admitted.
    pub(crate) fn prepare(
        &self,
        server: &Server,
        requester: &Requester<'_>,
    ) -> Result<Arc<HttpSession>, Full> {
        let id = random_token().map_err(|_| Full)?;
        let main = Arc::new(Outbox::new(OutboxLimits::default()));
        let (eras, principal) = (Eras::LegacyOnly, requester.principal());
        let client = requester.client.next_session();
        let session = Session::new(server, eras, principal, client, &id, Arc::clone(&main));
        Ok(Arc::new(HttpSession {
            id,
            session,
            streams: Streams::new(
                Arc::clone(&main),
                &self.limits,
                server.event_ids(),
                &self.replay,
            ),
            main,
            began: self.began,
            seen: AtomicU64::new(since(self.began)),
            readers: AtomicUsize::new(0),
        }))
    }

    /// Adds a session to the table; at the limit, the session that was idle for longest ends (LRU).
    pub(crate) fn admit(&self, session: &Arc<HttpSession>) -> Result<(), Full> {
        let mut table = self.table.lock();
        let evicted = if table.len() >= self.limits.max_sessions {
            let idle = table.values().filter(|session| session.is_idle());
            let oldest = idle.min_by_key(|session| session.seen.load(Ordering::Relaxed));
            let key = oldest.map(|session| session.id.clone()).ok_or(Full)?;
            table.remove(&key)
        } else {
            None
        };
        table.insert(session.id.clone(), Arc::clone(session));
        drop(table);
        if let Some(evicted) = evicted {
            evicted.session.end();
        }
        Ok(())
    }

    /// Finds a session and counts that as activity. Only its owner can find it.
    pub(crate) fn find(&self, id: &str, owner: &Requester<'_>) -> Option<Arc<HttpSession>> {
        let found = self.table.lock().get(id).cloned()?;
        if !owner.is(found.session.principal()) {
            owner.report(RequestRefusal::OthersSession);
            return None;
        }
        found.touch();
        Some(found)
    }

    /// Ends a session; returns whether it existed.
    pub(crate) fn end(&self, id: &str) -> bool {
        let removed = self.table.lock().remove(id);
        match removed {
            Some(session) => {
                session.session.end();
                true
            }
            None => false,
        }
    }

    /// Ends the sessions that were idle for too long.
    pub(crate) fn reap(&self) {
        let limit = self.limits.idle.as_millis() as u64;
        let now = since(self.began);
        let silent = |session: &HttpSession| {
            session.is_idle() && now.saturating_sub(session.seen.load(Ordering::Relaxed)) >= limit
        };
        let mut ended = Vec::new();
        self.table.lock().retain(|_, session| {
            let keep = !silent(session);
            if !keep {
                ended.push(Arc::clone(session));
            }
            keep
        });
        for session in ended {
            session.session.end();
        }
    }

    /// Ends every session; called when the server stops.
    pub(crate) fn end_all(&self) {
        let all: Vec<_> = self.table.lock().drain().map(|(_, session)| session).collect();
        for session in all {
            session.session.end();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.table.lock().len()
    }
}

impl HttpSession {
    /// Counts an open stream, until the returned guard is dropped.
    pub(crate) fn listener(self: &Arc<Self>) -> OpenStreamGuard {
        self.readers.fetch_add(1, Ordering::Relaxed);
        OpenStreamGuard(Arc::clone(self))
    }

    /// Counts as activity of the client. Called when a request comes, and when a stream or a call
    /// that may have lasted for long is over: its client had no reason to send anything before.
    pub(crate) fn touch(&self) {
        self.seen.store(since(self.began), Ordering::Relaxed);
    }

    fn is_idle(&self) -> bool {
        self.readers.load(Ordering::Acquire) == 0 && self.session.busy() == 0
    }
}

/// Proof that a session's stream is open.
#[derive(Debug)]
pub(crate) struct OpenStreamGuard(Arc<HttpSession>);

impl Drop for OpenStreamGuard {
    fn drop(&mut self) {
        self.0.touch();
        self.0.readers.fetch_sub(1, Ordering::Release);
    }
}

fn since(began: Instant) -> u64 {
    began.elapsed().as_millis() as u64
}
