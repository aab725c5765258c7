//! The keys of one issuer, fetched when they are needed and kept.
//!
//! The verifier of signed tokens asks for a key by its name. What must stay true: keys come from the
//! configured address only; however many requests wait, there is one fetch, and at most one in 30
//! seconds; and keys that were good stay when a fetch fails.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Url;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::key_set::KeySet;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};

/// The shortest time between two fetches.
const PAUSE: Duration = Duration::from_secs(30);
/// How old keys may become before they are fetched again: an issuer may have withdrawn one.
const OLDEST: Duration = Duration::from_secs(10 * 60);

/// The keys of one issuer.
pub struct IssuerKeys {
    url: Url,
    fetch: Arc<dyn Fetch>,
    kept: Mutex<KeptKeys>,
    /// One fetch at a time; whoever waits for it uses what it brought.
    turn: Semaphore,
}

#[derive(Default)]
struct KeptKeys {
    keys: Option<Arc<KeySet>>,
    /// When they were fetched.
    fetched: Option<Instant>,
    /// When the last fetch began, whatever came of it.
    tried: Option<Instant>,
}

impl IssuerKeys {
    /// The keys at this address, which nobody has asked for yet.
    pub fn new(url: Url, fetch: Arc<dyn Fetch>) -> Self {
        Self { url, fetch, kept: Mutex::default(), turn: Semaphore::new(1) }
    }

    /// The keys as they are known, after a fetch if `has_key` says that the wanted one is missing, or if
    /// they are old.
    ///
    /// # Errors
    /// When there never were any. The text is for the log.
    pub(super) async fn with_key(
        &self,
        has_key: impl Fn(&KeySet) -> bool,
    ) -> Result<Arc<KeySet>, AuthError> {
        let asked = Instant::now();
        if let Some(keys) = self.lock().usable(asked, &has_key) {
            return Ok(keys);
        }
        let closed = || AuthError::Unavailable("keys are no longer fetched".into());
        let turn = self.turn.acquire().await.map_err(|_| closed())?;
        let due = {
            let mut kept = self.lock();
            if let Some(keys) = kept.usable(Instant::now(), &has_key) {
                return Ok(keys);
            }
            let due = kept.tried.is_none_or(|tried| PAUSE <= tried.elapsed());
            if due {
                kept.tried = Some(Instant::now());
            }
            due
        };
        let failed = match due {
            true => self.refresh().await.err(),
            false => None,
        };
        drop(turn);
        if let Some(error) = &failed {
            tracing::warn!(%error, "the keys of an issuer cannot be fetched; those from before stay");
        }
        let never = || AuthError::Unavailable("the keys of the issuer were never fetched".into());
        self.lock().keys.clone().ok_or_else(|| failed.unwrap_or_else(never))
    }

    async fn refresh(&self) -> Result<(), AuthError> {
        let response = self.fetch.fetch(FetchRequest::document(self.url.clone())).await?;
        if response.status != 200 {
            let why = format!("the keys are answered with HTTP {}", response.status);
            return Err(AuthError::Unavailable(why.into()));
        }
        let keys = KeySet::parse(&response.body)
            .ok_or_else(|| AuthError::Unavailable("the keys are no JSON Web Key Set".into()))?;
        let mut kept = self.lock();
        kept.keys = Some(Arc::new(keys));
        kept.fetched = Some(Instant::now());
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, KeptKeys> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptKeys {
    fn usable(&self, now: Instant, has_key: impl Fn(&KeySet) -> bool) -> Option<Arc<KeySet>> {
        let fresh = self.fetched.is_some_and(|at| now.saturating_duration_since(at) < OLDEST);
        self.keys.as_ref().filter(|keys| fresh && has_key(keys)).cloned()
    }
}

impl fmt::Debug for IssuerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerKeys({})", self.url)
    }
}
