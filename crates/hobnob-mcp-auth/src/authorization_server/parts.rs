//! What the handlers share: settings, store, clock, throttles and the event log.
//!
//! Each handler is a function of a request and these. What must stay true: nothing here holds a
//! lock across an await, and the clock is the only source of time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::Throttle;

use super::client_document::DocumentCache;
use super::events::{AuthorizationEvent, AuthorizationEvents};
use super::failure::ServerFailure;
use super::record_store::{AuthorizationStore, Committed, RecordKind, StoredChange};
use super::settings::AuthorizationServerSettings;
use super::users::UserDirectory;
use crate::fetch::Fetch;

/// A clock that returns seconds since 1970.
pub(super) type Clock = Box<dyn Fn() -> u64 + Send + Sync>;

/// Counts how often other processes have changed users or ended logins.
pub(super) type ChangeCount = Box<dyn Fn() -> u64 + Send + Sync>;

/// Rate limits for attempts. Clients with the same [origin](ClientId::origin) share their limits.
#[derive(Debug)]
pub(super) struct Throttles {
    /// Wrong passwords for one user.
    pub(super) passwords_of_user: Throttle<Box<str>>,
    /// Passwords from one address. The limit is higher, since all clients behind a proxy share it.
    pub(super) passwords_from: Throttle<Option<u64>>,
    /// Registrations from one address.
    pub(super) registrations_from: Throttle<Option<u64>>,
    /// Requests for the consent page from one address.
    pub(super) requests_from: Throttle<Option<u64>>,
    /// Fetches of client documents that requests from one address cause.
    pub(super) documents_from: Throttle<Option<u64>>,
}

impl Default for Throttles {
    fn default() -> Self {
        const QUARTER_HOUR: u64 = 15 * 60;
        const HOUR: u64 = 60 * 60;
        Self {
            passwords_of_user: Throttle::new(10, QUARTER_HOUR),
            passwords_from: Throttle::new(50, QUARTER_HOUR),
            registrations_from: Throttle::new(30, HOUR),
            requests_from: Throttle::new(120, QUARTER_HOUR),
            documents_from: Throttle::new(60, HOUR),
        }
    }
}

/// Everything that a handler needs.
pub(super) struct ServerParts {
    pub(super) settings: AuthorizationServerSettings,
    pub(super) store: Arc<dyn AuthorizationStore>,
    pub(super) users: UserDirectory,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) documents: DocumentCache,
    pub(super) throttles: Throttles,
    pub(super) events: Arc<dyn AuthorizationEvents>,
    pub(super) clock: Clock,
    pub(super) changes: ChangeCount,
    /// Counts the revocations made by this process.
    pub(super) revocations: AtomicU64,
}

impl ServerParts {
    pub(super) fn now(&self) -> u64 {
        (self.clock)()
    }

    pub(super) async fn tell(&self, from: ClientId, event: AuthorizationEvent) {
        self.events.record(&event, from.address()).await;
    }

    /// Whether there are at least `limit` records of a kind, even without the expired ones.
    pub(super) async fn is_full(
        &self,
        kind: RecordKind,
        limit: usize,
    ) -> Result<bool, ServerFailure> {
        if self.store.count(kind).await? < limit {
            return Ok(false);
        }
        self.store.purge(self.now()).await?;
        Ok(limit <= self.store.count(kind).await?)
    }

    /// Commits changes together, and counts a revocation if any of them revokes something.
    pub(super) async fn commit(
        &self,
        changes: Vec<StoredChange>,
    ) -> Result<Committed, ServerFailure> {
        let revokes = |change: &StoredChange| match change {
            StoredChange::RemoveGrant(_)
            | StoredChange::RemoveLogins(_)
            | StoredChange::RemoveUser(_) => true,
            StoredChange::Remove { .. }
            | StoredChange::Insert(_)
            | StoredChange::Replace { .. } => false,
        };
        let revoked = changes.iter().any(revokes);
        let committed = self.store.commit(changes).await?;
        if revoked {
            self.count_revocation();
        }
        Ok(committed)
    }

    /// Counts a revocation, so that token caches ask again.
    pub(super) fn count_revocation(&self) {
        self.revocations.fetch_add(1, Ordering::Release);
    }
}
