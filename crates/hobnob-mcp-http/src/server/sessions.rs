//! The legacy sessions of one server: bounded in number, ended when silent.
//!
//! Routes find and end them; the site reaps the silent ones. A session with an open stream or a
//! running call is never ended for silence.

use crate::server::options::SessionLimits;
use crate::server::refused_request::RequestRefusal;
use crate::server::replay::Replay;
use crate::server::requester::Requester;
use crate::server::streams::Streams;
use hobnob_mcp_engine::random_token;
use hobnob_mcp_server::{Eras, Server, Session};
use hobnob_mcp_transport::{Outbox, OutboxLimits};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// One session as HTTP knows it.
#[derive(Debug)]
pub(crate) struct HttpSession {
    pub(crate) id: Box<str>,
    pub(crate) session: Arc<Session>,
    pub(crate) main: Arc<Outbox>,
    pub(crate) streams: Streams,
    began: Instant,
    /// When the client last came or went, in milliseconds since the table began.
    seen: AtomicU64,
    /// Open streams; a session somebody listens to is not silent.
    readers: AtomicUsize,
}

/// The table of all legacy sessions of one server, by their ids.
#[derive(Debug)]
pub(crate) struct Sessions {
    table: Mutex<HashMap<Box<str>, Arc<HttpSession>>>,
    limits: SessionLimits,
    /// What the streams of all sessions of all servers keep.
    replay: Arc<Replay>,
    began: Instant,
}

/// As many sessions as allowed, and none of them idle.
#[derive(Debug)]
pub(crate) struct Full;

impl Sessions {
    pub(crate) fn new(limits: SessionLimits, replay: &Arc<Replay>) -> Self {
        let replay = Arc::clone(replay);
        Self { table: Mutex::default(), limits, replay, began: Instant::now() }
    }

    /// A new session, named unguessably, that nobody can find yet.
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

    /// Takes a session in; at the limit, the one that was idle for longest ends.
    pub(crate) fn admit(&self, session: &Arc<HttpSession>) -> Result<(), Full> {
        let mut table = self.lock();
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

    /// A session, which thereby counts as seen. For everybody but its owner it does not exist.
    pub(crate) fn find(&self, id: &str, owner: &Requester<'_>) -> Option<Arc<HttpSession>> {
        let found = self.lock().get(id).cloned()?;
        if !owner.is(found.session.principal()) {
            owner.report(RequestRefusal::OthersSession);
            return None;
        }
        found.touch();
        Some(found)
    }

    /// Ends a session. Whether there was one.
    pub(crate) fn end(&self, id: &str) -> bool {
        let removed = self.lock().remove(id);
        match removed {
            Some(session) => {
                session.session.end();
                true
            }
            None => false,
        }
    }

    /// Ends the sessions that were silent for too long.
    pub(crate) fn reap(&self) {
        let limit = self.limits.idle.as_millis() as u64;
        let now = since(self.began);
        let silent = |session: &HttpSession| {
            session.is_idle() && now.saturating_sub(session.seen.load(Ordering::Relaxed)) >= limit
        };
        let mut ended = Vec::new();
        self.lock().retain(|_, session| {
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
        let all: Vec<_> = self.lock().drain().map(|(_, session)| session).collect();
        for session in all {
            session.session.end();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<HttpSession>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpSession {
    /// Somebody begins to listen; stops when the value is dropped.
    pub(crate) fn listener(self: &Arc<Self>) -> OpenStreamGuard {
        self.readers.fetch_add(1, Ordering::Relaxed);
        OpenStreamGuard(Arc::clone(self))
    }

    /// The session counts as seen. Called when a request comes, and when a stream or a call that
    /// may have lasted for long is over: its client had no reason to come before.
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
