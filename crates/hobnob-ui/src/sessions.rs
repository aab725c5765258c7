//! The sessions of browsers: opened by a link or a token, carried by a cookie, kept in memory only,
//! so that none outlives its hub. `guard` finds them, and `api/session` opens and ends them.
//!
//! What must stay true: only digests of cookies are kept, sessions are bounded in number and age, no
//! principal ends a session of the owner, and the streams of a session end with it.

use crate::principal_page::PrincipalPage;
use crate::secret::{PageSecret, SecretDigest};
use crate::session_life::SessionLife;
use hobnob_mcp_engine::{NoRandomness, Principal};
use parking_lot::Mutex;
use std::sync::Arc;

/// How many sessions of the owner are open; one more ends the one that was unused for longest.
const MAX_SESSIONS: usize = 32;

/// The same for each other principal, and for all of them together.
const MAX_OF_PRINCIPAL: usize = 4;
const MAX_OF_PRINCIPALS: usize = 256;

/// The open sessions of a hub's page.
#[derive(Default)]
pub(crate) struct PageSessions(Mutex<Vec<Arc<PageSession>>>);

/// Whose rights the requests of a session have.
pub(crate) enum SessionHolder {
    /// The owner of the hub, who opened a link.
    Owner,
    /// A principal who signed in with a token.
    Principal(Box<PrincipalPage>),
}

/// One browser that opened a link or signed in.
pub(crate) struct PageSession {
    /// Whose rights its requests have.
    pub(crate) holder: SessionHolder,
    pub(crate) life: Arc<SessionLife>,
    /// What every request that changes something must carry.
    csrf: PageSecret,
    csrf_digest: SecretDigest,
    cookie: SecretDigest,
}

impl PageSessions {
    /// A new session, and the value of its cookie.
    pub(crate) fn open(
        &self,
        holder: SessionHolder,
    ) -> Result<(PageSecret, Arc<PageSession>), NoRandomness> {
        let (cookie, csrf) = (PageSecret::new()?, PageSecret::new()?);
        let bearer = match &holder {
            SessionHolder::Owner => None,
            SessionHolder::Principal(page) => Some(Arc::clone(&page.bearer)),
        };
        let session = Arc::new(PageSession {
            holder,
            life: Arc::new(SessionLife::new(bearer)),
            csrf_digest: csrf.digest(),
            csrf,
            cookie: cookie.digest(),
        });
        let mut open = self.0.lock();
        forget_old(&mut open);
        match &session.holder {
            SessionHolder::Owner => make_room(&mut open, MAX_SESSIONS, PageSession::is_owners),
            SessionHolder::Principal(page) => {
                let is_same = |other: &PageSession| other.principal() == *page.principal();
                make_room(&mut open, MAX_OF_PRINCIPAL, is_same);
                make_room(&mut open, MAX_OF_PRINCIPALS, |other| !other.is_owners());
            }
        }
        open.push(Arc::clone(&session));
        Ok((cookie, session))
    }

    /// The session with this cookie, which counts as used now.
    pub(crate) fn find(&self, cookie: &str) -> Option<Arc<PageSession>> {
        let presented = SecretDigest::of(cookie);
        let mut open = self.0.lock();
        forget_old(&mut open);
        let session = open.iter().find(|session| session.cookie.is(&presented))?;
        session.life.touch();
        Some(Arc::clone(session))
    }

    /// Ends a session and its streams.
    pub(crate) fn end(&self, session: &Arc<PageSession>) {
        self.0.lock().retain(|open| !Arc::ptr_eq(open, session));
        session.life.end();
    }

    /// How many sessions of the owner are open, and how many there may be.
    pub(crate) fn count(&self) -> (usize, usize) {
        let mut open = self.0.lock();
        forget_old(&mut open);
        (open.iter().filter(|session| session.is_owners()).count(), MAX_SESSIONS)
    }

    /// The sessions of other principals than the owner.
    pub(crate) fn of_principals(&self) -> Vec<Arc<PageSession>> {
        let open = self.0.lock();
        open.iter().filter(|session| !session.is_owners()).cloned().collect()
    }
}

/// Ends the session that was unused for longest if there are this many of its kind.
fn make_room(
    open: &mut Vec<Arc<PageSession>>,
    max: usize,
    is_of_kind: impl Fn(&PageSession) -> bool,
) {
    let of_kind = || open.iter().filter(|session| is_of_kind(session));
    if of_kind().count() < max {
        return;
    }
    let unused = of_kind().min_by_key(|session| session.life.last_use()).cloned();
    if let Some(unused) = unused {
        open.retain(|session| !Arc::ptr_eq(session, &unused));
        unused.life.end();
    }
}

fn forget_old(open: &mut Vec<Arc<PageSession>>) {
    open.retain(|session| {
        let kept = session.life.is_open();
        if !kept {
            session.life.end();
        }
        kept
    });
}

impl PageSession {
    fn is_owners(&self) -> bool {
        matches!(self.holder, SessionHolder::Owner)
    }

    /// The principal of its requests; without a name for the owner.
    pub(crate) fn principal(&self) -> Principal {
        match &self.holder {
            SessionHolder::Owner => Principal::anonymous(),
            SessionHolder::Principal(page) => page.principal().clone(),
        }
    }

    /// The token that the page sends with every request that changes something.
    pub(crate) fn csrf(&self) -> &str {
        self.csrf.expose()
    }

    pub(crate) fn has_csrf(&self, token: &str) -> bool {
        self.csrf_digest.is(&SecretDigest::of(token))
    }
}
