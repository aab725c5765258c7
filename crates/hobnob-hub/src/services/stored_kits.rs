//! Replaces the kits of services whose lists have changed in the store.
//!
//! The notifier calls it after the changes of any process, the gateway before it answers a list:
//! the notifier may not have seen yet what the same caller wrote a moment ago.

use super::open::Services;
use super::view_subscribers::ViewSubscribers;
use hobnob_gateway::{Gateway, StoredLists};
use hobnob_mcp_engine::BoxFuture;
use hobnob_services::KitChange;
use hobnob_store::StoreError;
use std::sync::{Arc, Weak};
use tokio::sync::Mutex;

/// Compares what is stored with what the views list.
pub(crate) struct StoredKits {
    services: Services,
    /// Weak, since the gateway holds this value.
    gateway: Weak<Gateway>,
    /// Weak, since subscribers hold services of the gateway, which holds this value.
    subscribers: Weak<ViewSubscribers>,
    /// How many commits of this process the views show. The lock is held while they change, so that
    /// a list waits for the change.
    shown: Mutex<u64>,
}

impl StoredKits {
    pub(crate) fn new(
        services: Services,
        gateway: &Arc<Gateway>,
        subscribers: &Arc<ViewSubscribers>,
    ) -> Self {
        let (gateway, subscribers) = (Arc::downgrade(gateway), Arc::downgrade(subscribers));
        Self { services, gateway, subscribers, shown: Mutex::new(0) }
    }

    /// Lets every service read its lists again, and replaces the kits that differ in all views.
    pub(super) async fn refresh(&self) -> Result<(), StoreError> {
        let mut shown = self.shown.lock().await;
        self.refresh_from(&mut shown).await
    }

    async fn refresh_from(&self, shown: &mut u64) -> Result<(), StoreError> {
        // Counted before the read: what is written meanwhile may be missing from it.
        let commits = self.commits();
        let Some(gateway) = self.gateway.upgrade() else { return Ok(()) };
        let Some(subscribers) = self.subscribers.upgrade() else { return Ok(()) };
        for service in self.services.all() {
            match service.refresh().await? {
                KitChange::Same => {}
                KitChange::Changed => subscribers.replace_kits(&gateway, service),
            }
        }
        *shown = commits;
        Ok(())
    }

    fn commits(&self) -> u64 {
        self.services.store().map_or(0, |store| store.commits())
    }
}

impl StoredLists for StoredKits {
    fn catch_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let mut shown = self.shown.lock().await;
            if *shown == self.commits() {
                return;
            }
            if let Err(error) = self.refresh_from(&mut shown).await {
                // The notifier reports the error; until it succeeds, lists stay as they are.
                tracing::debug!(%error, "lists may lack what was stored last");
            }
        })
    }
}
