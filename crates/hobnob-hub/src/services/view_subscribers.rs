//! The views that are open, as changes reach their clients.
//!
//! The opener of a view holds the lock from before its kits are made until it is in the list, so that no
//! change is missed in between.

use hobnob_gateway::{Gateway, ViewId};
use hobnob_mcp_engine::{Change, ChangeHub, InterestSink};
use hobnob_services::{BuiltInService, Presentation, ServiceEvent, ViewTools};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The clients of one view, as the notifier reaches them.
pub(crate) struct ViewSubscriber {
    pub(crate) view: ViewId,
    /// How the view spells addresses.
    pub(crate) presentation: Presentation,
    /// Where its clients listen; nobody listens where a profile promises silence.
    pub(crate) hub: ChangeHub,
    /// The services that the view includes.
    pub(crate) services: Vec<Arc<dyn BuiltInService>>,
    /// What tells them which resources are watched; the hub itself does not keep it.
    pub(crate) _interest: Arc<dyn InterestSink>,
    /// What services call for callers of the view; its presentation does not keep it.
    pub(crate) _tools: Arc<dyn ViewTools>,
}

/// The views that are open now. Views are added and never removed.
#[derive(Default)]
pub(crate) struct ViewSubscribers(Mutex<Vec<ViewSubscriber>>);

impl ViewSubscribers {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<ViewSubscriber>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the clients of the views with this service of what it reports.
    pub(super) fn publish_event(&self, service: &str, event: &ServiceEvent) {
        let change = match event {
            ServiceEvent::Contents(uri) => Change::Resource(uri.as_ref().into()),
        };
        for subscriber in &*self.lock() {
            let service = subscriber.services.iter().find(|it| it.name() == service);
            if let Some(service) = service {
                let may_learn = |who: &_| service.may_learn_of_event(event, who);
                subscriber.hub.publish_to(&change, may_learn);
            }
        }
    }

    /// Puts a new kit of this service into every view that includes it.
    pub(super) fn replace_kits(&self, gateway: &Gateway, changed: &Arc<dyn BuiltInService>) {
        for subscriber in &*self.lock() {
            if !subscriber.services.iter().any(|service| service.name() == changed.name()) {
                continue;
            }
            let kit = changed.kit(&subscriber.presentation);
            if let Err(error) = kit.and_then(|kit| gateway.replace_kit(subscriber.view, kit)) {
                tracing::warn!(%error, service = changed.name(), "new entries cannot be listed");
            }
        }
    }
}
