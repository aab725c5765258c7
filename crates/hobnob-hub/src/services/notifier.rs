//! Notifies the clients of every view of changes in the store, whichever process made them.
//!
//! One task runs it for the life of the process; views are added while it runs.

use super::events::AllEvents;
use super::open::Services;
use super::stored_kits::StoredKits;
use super::view_subscribers::ViewSubscribers;
use crate::page::OwnerPage;
use anyhow::Context as _;
use hobnob_mcp_engine::{Change, Principal};
use hobnob_services::{BuiltInService, KitStaleness};
use hobnob_store::changes::{FeedEvent, RecordChange};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The delay before the store is followed again after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// How long a namespace may stay in lists after its last memory is gone.
const MAX_STALENESS: Duration = Duration::from_secs(1);

/// Follows the store and the services for all views.
pub(crate) struct StoreNotifier {
    pub(crate) services: Services,
    pub(crate) kits: Arc<StoredKits>,
    pub(crate) subscribers: Arc<ViewSubscribers>,
    /// The page of the hub, which shows records too.
    pub(crate) page: Arc<OwnerPage>,
}

impl StoreNotifier {
    /// Follows the store until `stop`; retries after each failure.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let following = async {
            loop {
                if let Err(error) = self.follow().await {
                    self.services.report_failure(&error.context("changes cannot be followed"));
                }
                tokio::time::sleep(RETRY_DELAY).await;
            }
        };
        let forwarding = async {
            let mut events = AllEvents::of(&self.services);
            loop {
                let (service, event) = events.next().await;
                self.subscribers.publish_event(service, &event);
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            never = following => match never {},
            never = forwarding => match never {},
        }
    }

    async fn follow(&self) -> anyhow::Result<()> {
        let Some(store) = self.services.store() else {
            return std::future::pending().await;
        };
        let mut feed = store.feed().await?;
        // Anything may have changed since the kits were made or since the last failure.
        let mut event = None;
        loop {
            self.kits.refresh().await.context("the store cannot be read")?;
            let mut due = None;
            loop {
                if let Some(event) = &event {
                    self.page.store_changed(event);
                }
                match &event {
                    Some(FeedEvent::Changes(changes)) => self.announce(changes),
                    Some(FeedEvent::Many(kinds)) => self.announce_all(Some(kinds)),
                    Some(FeedEvent::Everything) => self.announce_all(None),
                    None => {}
                }
                event = match due {
                    None => Some(feed.next().await?),
                    Some(due) => match tokio::time::timeout_at(due, feed.next()).await {
                        Ok(next) => Some(next?),
                        Err(_) => None,
                    },
                };
                let Some(event) = &event else { break };
                match self.staleness(event) {
                    KitStaleness::Current => {}
                    KitStaleness::StaleSoon => {
                        due.get_or_insert_with(|| Instant::now() + MAX_STALENESS);
                    }
                    KitStaleness::Stale => break,
                }
            }
        }
    }

    fn announce(&self, changes: &[RecordChange]) {
        for subscriber in &*self.subscribers.lock() {
            // All reasons per address: a client that may learn of any one is notified once.
            let mut reasons: BTreeMap<String, Vec<(&dyn BuiltInService, &RecordChange)>> =
                BTreeMap::new();
            for service in &subscriber.services {
                for change in changes {
                    for uri in service.changed_resources(&subscriber.presentation, change) {
                        reasons.entry(uri).or_default().push((&**service, change));
                    }
                }
            }
            for (uri, reasons) in reasons {
                subscriber.hub.publish_to(&Change::Resource(uri.into()), |principal| {
                    reasons.iter().any(|(service, change)| service.may_learn(change, principal))
                });
            }
        }
    }

    /// Announces many changes at once: clients read their lists again, unless none of the changes
    /// concerns them.
    fn announce_all(&self, kinds: Option<&[RecordChange]>) {
        for subscriber in &*self.subscribers.lock() {
            let services = &subscriber.services;
            let may_learn = |principal: &Principal| {
                let concerns = |change: &RecordChange| {
                    services.iter().any(|service| service.may_learn(change, principal))
                };
                kinds.is_none_or(|kinds| kinds.iter().any(concerns))
            };
            subscriber.hub.publish_to(&Change::Resources, may_learn);
            for service in services {
                for uri in service.all_resources(&subscriber.presentation) {
                    subscriber.hub.publish_to(&Change::Resource(uri.into()), may_learn);
                }
            }
        }
    }

    fn staleness(&self, event: &FeedEvent) -> KitStaleness {
        let FeedEvent::Changes(changes) = event else { return KitStaleness::Stale };
        let services = self.services.all();
        changes
            .iter()
            .flat_map(|change| services.iter().map(|service| service.staleness(change)))
            .max()
            .unwrap_or(KitStaleness::Current)
    }
}
