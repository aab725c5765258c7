//! Passes events of upstreams on to the parts of the gateway they concern.
//!
//! Every upstream holds the router, so it has only weak references to the registry and the views.

use crate::calls::observer::CallObserver;
use crate::servers::lists_cache::ListsCache;
use crate::servers::registry::ServerRegistry;
use crate::upstream::connection_state::{ResourceEvent, ResourceEvents};
use crate::upstream::server::{Upstream, UpstreamEvents};
use crate::upstream::{ConnectionEnd, ObservedConnection};
use crate::uris::PublicUris;
use crate::view::open_views::OpenViews;
use crate::watch::watches::Watches;
use hobnob_mcp_engine::{BoxFuture, Change, Principal};
use std::sync::{Arc, Weak};

/// Routes the events of upstreams to the registry, the views, the watches and the cache.
pub(super) struct EventRouter {
    pub(super) servers: Weak<ServerRegistry>,
    pub(super) views: Weak<OpenViews>,
    pub(super) watches: Arc<Watches>,
    pub(super) cache: ListsCache,
    pub(super) observer: Option<Arc<dyn CallObserver>>,
}

impl ResourceEvents for EventRouter {
    fn on_resource(&self, server: &str, of: &Principal, event: ResourceEvent<'_>) {
        let uris = PublicUris::of(server);
        match event {
            ResourceEvent::Updated(uri) => {
                if let Some(views) = self.views.upgrade() {
                    views.announce(server, of, &Change::Resource(uris.public(uri).into()));
                }
            }
            ResourceEvent::Unwatched(uri) => self.watches.must_poll(&uris.public(uri)),
        }
    }
}

impl UpstreamEvents for EventRouter {
    fn store_lists(&self, upstream: &Arc<Upstream>) -> BoxFuture<'static, ()> {
        Box::pin(self.cache.store(upstream))
    }

    fn on_lists_changed(&self, upstream: &Arc<Upstream>) {
        if let Some(servers) = self.servers.upgrade() {
            servers.on_lists_changed(upstream);
        }
    }

    fn on_connection_changed(&self, upstream: &Arc<Upstream>) {
        if upstream.has_watched() {
            self.watches.notify();
        }
    }

    fn on_connected(&self, connection: &ObservedConnection) {
        if let Some(observer) = &self.observer {
            observer.server_connected(connection);
        }
    }

    fn on_disconnected(&self, connection: &ObservedConnection, end: ConnectionEnd) {
        if let Some(observer) = &self.observer {
            observer.server_disconnected(connection, end);
        }
    }
}
