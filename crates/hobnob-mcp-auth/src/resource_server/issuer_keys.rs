//! A cache of one issuer's keys, which are fetched when they are needed.
//!
//! The verifier of signed tokens looks up keys by id. What must stay true: keys come only from the
//! configured address; concurrent requests share one fetch, with at least 30 seconds between two
//! fetches; and a failed fetch keeps the old keys.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::key_set::KeySet;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};

/// The shortest time between two fetches.
const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(30);
/// The age at which keys are fetched again, since the issuer may have withdrawn one.
const MAX_AGE: Duration = Duration::from_secs(10 * 60);

/// The keys of one issuer, cached.
pub struct IssuerKeys {
    url: Url,
    fetch: Arc<dyn Fetch>,
    cached: Mutex<CachedKeys>,
    /// One fetch at a time; waiting requests then use its result.
    turn: Semaphore,
}

#[derive(Default)]
struct CachedKeys {
    keys: Option<Arc<KeySet>>,
    /// When the keys were fetched.
    fetched: Option<Instant>,
    /// When the last fetch began, successful or not.
    tried: Option<Instant>,
}

impl IssuerKeys {
    /// The keys at this address; they are fetched when a token first needs one.
    pub fn new(url: Url, fetch: Arc<dyn Fetch>) -> Self {
        Self { url, fetch, cached: Mutex::default(), turn: Semaphore::new(1) }
    }

    /// The issuer's keys, fetched first if they are old or `has_key` says that the wanted one is
    /// missing.
    ///
    /// # Errors
    /// If no fetch has ever succeeded. The text is for the log.
    pub(super) async fn with_key(
        &self,
        has_key: impl Fn(&KeySet) -> bool,
    ) -> Result<Arc<KeySet>, AuthError> {
        let asked = Instant::now();
        if let Some(keys) = self.cached.lock().usable(asked, &has_key) {
            return Ok(keys);
        }
        let closed = || AuthError::Unavailable("keys are no longer fetched".into());
        let turn = self.turn.acquire().await.map_err(|_| closed())?;
        let due = {
            let mut cached = self.cached.lock();
            if let Some(keys) = cached.usable(Instant::now(), &has_key) {
                return Ok(keys);
            }
            let due = cached.tried.is_none_or(|tried| MIN_FETCH_INTERVAL <= tried.elapsed());
            if due {
                cached.tried = Some(Instant::now());
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
        self.cached.lock().keys.clone().ok_or_else(|| failed.unwrap_or_else(never))
    }

    async fn refresh(&self) -> Result<(), AuthError> {
        let response = self.fetch.fetch(FetchRequest::document(self.url.clone())).await?;
        if response.status != 200 {
            let why = format!("the keys are answered with HTTP {}", response.status);
            return Err(AuthError::Unavailable(why.into()));
        }
        let keys = KeySet::parse(&response.body)
            .ok_or_else(|| AuthError::Unavailable("the keys are no JSON Web Key Set".into()))?;
        let mut cached = self.cached.lock();
        cached.keys = Some(Arc::new(keys));
        cached.fetched = Some(Instant::now());
        Ok(())
    }
}

impl CachedKeys {
    fn usable(&self, now: Instant, has_key: impl Fn(&KeySet) -> bool) -> Option<Arc<KeySet>> {
        let fresh = self.fetched.is_some_and(|at| now.saturating_duration_since(at) < MAX_AGE);
        self.keys.as_ref().filter(|keys| fresh && has_key(keys)).cloned()
    }
}

impl fmt::Debug for IssuerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerKeys({})", self.url)
    }
}
