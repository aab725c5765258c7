//! All open views, in the order they were opened.
//!
//! `servers` opens views and publishes to them; watches, polls and the status read them here. The
//! set only grows, and a view's number is its index.

use crate::view::{View, ViewId};
use hobnob_mcp_engine::{Change, Principal};
use parking_lot::RwLock;
use std::sync::Arc;

/// All open views; they are never closed.
#[derive(Default)]
pub(crate) struct OpenViews(RwLock<Arc<[Arc<View>]>>);

impl OpenViews {
    pub(crate) fn all(&self) -> Arc<[Arc<View>]> {
        Arc::clone(&self.0.read())
    }

    pub(crate) fn get(&self, id: ViewId) -> Option<Arc<View>> {
        self.all().get(id.0).cloned()
    }

    /// The number that the next view gets.
    pub(crate) fn next_id(&self) -> ViewId {
        ViewId(self.all().len())
    }

    pub(crate) fn push(&self, view: &Arc<View>) {
        let mut views = self.0.write();
        *views = views.iter().chain([view]).cloned().collect();
    }

    /// Whether any view could show this server.
    pub(crate) fn include_server(&self, server: &str) -> bool {
        self.all().iter().any(|view| view.includes_server(server))
    }

    /// Announces a change of a server's resource, seen on a connection of `of`, in every view that
    /// shows the server. If the connection is personal, only that principal is notified.
    pub(crate) fn announce(&self, server: &str, of: &Principal, change: &Change) {
        for view in self.all().iter().filter(|view| view.shows_server(server)) {
            let snapshot = view.snapshot();
            let upstream = snapshot.upstreams.get(server);
            let shared = upstream.is_some_and(|upstream| !upstream.logins.is_personal(of));
            view.announce_to(change, |principal| shared || principal == of);
        }
    }
}
