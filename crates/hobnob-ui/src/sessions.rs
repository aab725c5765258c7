//! The sessions of browsers: opened by a link, carried by a cookie, kept in memory only, so that
//! none outlives its hub. `guard` finds them, and `api/session` opens and ends them.
//!
//! What must stay true: only digests are kept, sessions are bounded in number and age, and the
//! streams of a session end with it.

use crate::secret::{PageSecret, SecretDigest};
use hobnob_mcp_engine::{NoRandomness, Principal};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How many sessions are open; one more ends the one that was unused for longest.
const MAX_SESSIONS: usize = 32;

/// A session without a request for so long has ended.
const IDLE_LIMIT: Duration = Duration::from_secs(12 * 60 * 60);

/// The longest life of a session, however much it is used.
const MAX_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The open sessions of a hub's page.
#[derive(Default)]
pub(crate) struct PageSessions(Mutex<Vec<Arc<PageSession>>>);

/// One browser that opened a link.
pub(crate) struct PageSession {
    /// Whose rights its requests have.
    pub(crate) principal: Principal,
    /// Cancelled when the session ends.
    pub(crate) ended: CancellationToken,
    /// What every request that changes something must carry.
    csrf: PageSecret,
    csrf_digest: SecretDigest,
    cookie: SecretDigest,
    opened: Instant,
    used: Mutex<Instant>,
}

impl PageSessions {
    /// A new session, and the value of its cookie.
    pub(crate) fn open(
        &self,
        principal: Principal,
    ) -> Result<(PageSecret, Arc<PageSession>), NoRandomness> {
        let (cookie, csrf, now) = (PageSecret::new()?, PageSecret::new()?, Instant::now());
        let session = Arc::new(PageSession {
            principal,
            ended: CancellationToken::new(),
            csrf_digest: csrf.digest(),
            csrf,
            cookie: cookie.digest(),
            opened: now,
            used: Mutex::new(now),
        });
        let mut open = self.0.lock();
        forget_old(&mut open, now);
        if MAX_SESSIONS <= open.len() {
            let unused = open.iter().min_by_key(|session| *session.used.lock()).cloned();
            open.retain(|session| !unused.as_ref().is_some_and(|it| Arc::ptr_eq(it, session)));
            unused.iter().for_each(|session| session.ended.cancel());
        }
        open.push(Arc::clone(&session));
        Ok((cookie, session))
    }

    /// The session with this cookie, which counts as used now.
    pub(crate) fn find(&self, cookie: &str) -> Option<Arc<PageSession>> {
        let (presented, now) = (SecretDigest::of(cookie), Instant::now());
        let mut open = self.0.lock();
        forget_old(&mut open, now);
        let session = open.iter().find(|session| session.cookie.is(&presented))?;
        *session.used.lock() = now;
        Some(Arc::clone(session))
    }

    /// Ends a session and its streams.
    pub(crate) fn end(&self, session: &Arc<PageSession>) {
        self.0.lock().retain(|open| !Arc::ptr_eq(open, session));
        session.ended.cancel();
    }

    /// How many sessions are open, and how many there may be.
    pub(crate) fn count(&self) -> (usize, usize) {
        let mut open = self.0.lock();
        forget_old(&mut open, Instant::now());
        (open.len(), MAX_SESSIONS)
    }
}

fn forget_old(open: &mut Vec<Arc<PageSession>>, now: Instant) {
    open.retain(|session| {
        let kept = session.is_open_at(now);
        if !kept {
            session.ended.cancel();
        }
        kept
    });
}

impl PageSession {
    /// The token that the page sends with every request that changes something.
    pub(crate) fn csrf(&self) -> &str {
        self.csrf.expose()
    }

    pub(crate) fn has_csrf(&self, token: &str) -> bool {
        self.csrf_digest.is(&SecretDigest::of(token))
    }

    /// Whether the session has neither been ended nor grown too old.
    pub(crate) fn is_open(&self) -> bool {
        !self.ended.is_cancelled() && self.is_open_at(Instant::now())
    }

    fn is_open_at(&self, now: Instant) -> bool {
        now.duration_since(self.opened) < MAX_LIFE
            && now.duration_since(*self.used.lock()) < IDLE_LIMIT
    }
}
