//! One-time links: how a person who may use the hub's private socket becomes the owner in a
//! browser. The hub issues them, and `api/session` redeems them.
//!
//! What must stay true: a link opens one session, within two minutes, and only its digest is kept.

use crate::secret::{PageSecret, SecretDigest};
use hobnob_mcp_engine::NoRandomness;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// How many links wait to be opened; one more replaces the oldest.
const MAX_OPEN: usize = 8;

/// How long a link can be opened.
const LIFETIME: Duration = Duration::from_secs(2 * 60);

/// The links that were issued and not opened yet.
#[derive(Default)]
pub(crate) struct PageLinks(Mutex<VecDeque<OpenLink>>);

struct OpenLink {
    digest: SecretDigest,
    until: Instant,
}

impl PageLinks {
    /// A new link's token: what follows `/ui#link=` in the address that a person opens.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub(crate) fn issue(&self) -> Result<String, NoRandomness> {
        let secret = PageSecret::new()?;
        let mut open = self.0.lock();
        if MAX_OPEN <= open.len() {
            open.pop_front();
        }
        open.push_back(OpenLink { digest: secret.digest(), until: Instant::now() + LIFETIME });
        Ok(secret.expose().to_owned())
    }

    /// Uses a link up: `true` for the first request that presents it in time.
    pub(crate) fn redeem(&self, token: &str) -> bool {
        let (presented, now) = (SecretDigest::of(token), Instant::now());
        let mut open = self.0.lock();
        open.retain(|link| now < link.until);
        let before = open.len();
        open.retain(|link| !link.digest.is(&presented));
        open.len() < before
    }
}

impl fmt::Debug for PageLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageLinks")
    }
}
