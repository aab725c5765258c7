//! The open views, through which changes reach their clients.
//!
//! The opener of a view holds the lock from before its kits are built until it is in the list, so
//! that no change is missed in between.

use hobnob_gateway::{Gateway, ViewId};
use hobnob_mcp_engine::{Change, ChangeHub, InterestSink};
use hobnob_services::{BuiltInService, Presentation, ServiceEvent, ViewTools};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// A view and its clients, as the notifier sees them.
pub(crate) struct ViewSubscriber {
    pub(crate) view: ViewId,
    /// How the view spells addresses.
    pub(crate) presentation: Presentation,
    /// Where its clients listen; without listeners if the profile promises silence.
    pub(crate) hub: ChangeHub,
    /// The services that the view includes.
    pub(crate) services: Vec<Arc<dyn BuiltInService>>,
    /// Informs the services which resources are watched. Kept here, since the hub holds it weakly.
    pub(crate) _interest: Arc<dyn InterestSink>,
    /// The tools that services call for the view's callers; the presentation holds them weakly.
    pub(crate) _tools: Arc<dyn ViewTools>,
}

/// All open views. Views are added and never removed.
#[derive(Default)]
pub(crate) struct ViewSubscribers(Mutex<Vec<ViewSubscriber>>);

impl ViewSubscribers {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<ViewSubscriber>> {
        self.0.lock()
    }

    /// Notifies the clients of the views that include this service of its event.
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

    /// Gives every view that includes this service a new kit of it.
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
