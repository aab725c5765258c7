//! Events between services and the clients of views: which resources are watched, and which
//! changed.
//!
//! Each view has one sink for its clients' interest; the notifier takes the events of all services.

use super::open::Services;
use hobnob_mcp_engine::{Interest, InterestSink};
use hobnob_services::{BuiltInService, ServiceEvent, ServiceEvents};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

/// Passes on to the services of one view what its clients watch.
pub(crate) struct ServiceInterest {
    services: Vec<Arc<dyn BuiltInService>>,
}

impl ServiceInterest {
    pub(crate) fn new(services: &[Arc<dyn BuiltInService>]) -> Self {
        Self { services: services.to_vec() }
    }
}

impl InterestSink for ServiceInterest {
    fn interest(&self, uri: &str, interest: Interest) {
        for service in &self.services {
            service.interest(uri, interest);
        }
    }
}

/// The event streams of all services that have one, by the service's name.
pub(super) struct AllEvents(Vec<(&'static str, ServiceEvents)>);

impl AllEvents {
    /// Takes the event streams; each service gives out its stream once.
    pub(super) fn of(services: &Services) -> Self {
        let events = |it: &Arc<dyn BuiltInService>| Some((it.name(), it.events()?));
        Self(services.all().iter().filter_map(events).collect())
    }

    /// The next event of any service; pending for ever if none has events.
    pub(super) async fn next(&mut self) -> (&'static str, ServiceEvent) {
        poll_fn(|context| {
            for (service, events) in &mut self.0 {
                if let Poll::Ready(Some(event)) = events.poll_recv(context) {
                    return Poll::Ready((*service, event));
                }
            }
            Poll::Pending
        })
        .await
    }
}
