//! Makes lists follow the grants: services hear of a change, and views get the kits that differ.
//!
//! The gateway calls it before it answers a list or refuses a name, and every few seconds; decisions do
//! not wait for it, since each reads the grants itself.

use super::open::Services;
use super::view_subscribers::ViewSubscribers;
use hobnob_gateway::Gateway;
use hobnob_services::KitChange;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Compares the grants with those that the views show.
pub(crate) struct GrantFollower {
    services: Services,
    /// It is the gateway that calls us.
    gateway: Weak<Gateway>,
    /// They hold services of the gateway, which holds us.
    subscribers: Weak<ViewSubscribers>,
    /// The version that the views show. Held while they change, so that whoever lists meanwhile
    /// waits for it.
    shown: Mutex<u64>,
}

impl GrantFollower {
    /// The views that are open already show the grants of this moment.
    pub(crate) fn new(
        services: Services,
        gateway: &Arc<Gateway>,
        subscribers: &Arc<ViewSubscribers>,
    ) -> Self {
        let shown = Mutex::new(services.grants().version());
        let (gateway, subscribers) = (Arc::downgrade(gateway), Arc::downgrade(subscribers));
        Self { services, gateway, subscribers, shown }
    }

    /// Applies what a person granted or revoked since the last time.
    pub(crate) fn follow(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
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
