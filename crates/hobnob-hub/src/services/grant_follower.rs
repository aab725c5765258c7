//! Keeps lists in step with the grants: notifies services of changes and gives views new kits.
//!
//! The gateway calls it before it answers a list or rejects a name, and every few seconds.
//! Decisions do not wait for it, since each reads the grants itself.

use super::open::Services;
use super::view_subscribers::ViewSubscribers;
use hobnob_gateway::Gateway;
use hobnob_services::KitChange;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// Compares the grants with those that the views show.
pub(crate) struct GrantFollower {
    services: Services,
    /// Weak, since the gateway holds this follower.
    gateway: Weak<Gateway>,
    /// Weak, since subscribers hold services of the gateway, which holds this follower.
    subscribers: Weak<ViewSubscribers>,
    /// The version that the views show. The lock is held while they change, so that a concurrent
    /// list waits.
    shown: Mutex<u64>,
}

impl GrantFollower {
    /// A follower for views that show the current grants.
    pub(crate) fn new(
        services: Services,
        gateway: &Arc<Gateway>,
        subscribers: &Arc<ViewSubscribers>,
    ) -> Self {
        let shown = Mutex::new(services.grants().version());
        let (gateway, subscribers) = (Arc::downgrade(gateway), Arc::downgrade(subscribers));
        Self { services, gateway, subscribers, shown }
    }

    /// Applies what a person granted or revoked since the last call.
    pub(crate) fn follow(&self) {
        let mut shown = self.shown.lock();
        let version = self.services.grants().version();
        let Some(gateway) = self.gateway.upgrade().filter(|_| *shown != version) else { return };
        let Some(subscribers) = self.subscribers.upgrade() else { return };
        for service in self.services.all() {
            match service.grants_changed() {
                KitChange::Same => {}
                KitChange::Changed => subscribers.replace_kits(&gateway, service),
            }
        }
        *shown = version;
    }
}
