//! All views there are, in the order they were opened.
//!
//! `servers` opens views and publishes to them; whoever watches, polls or reports reads them here.
//! The set only grows, and a view's number is its place.

use crate::view::{View, ViewId};
use hobnob_mcp_engine::{Change, Principal};
use std::sync::{Arc, PoisonError, RwLock};

/// All views there are.
#[derive(Default)]
pub(crate) struct OpenViews(RwLock<Arc<[Arc<View>]>>);

impl OpenViews {
    pub(crate) fn all(&self) -> Arc<[Arc<View>]> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn get(&self, id: ViewId) -> Option<Arc<View>> {
        self.all().get(id.0).cloned()
    }

    /// The number that the next view gets.
    pub(crate) fn next_id(&self) -> ViewId {
        ViewId(self.all().len())
    }

    pub(crate) fn push(&self, view: &Arc<View>) {
        let mut views = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *views = views.iter().chain([view]).cloned().collect();
    }

    /// Whether any view could show this server.
    pub(crate) fn include_server(&self, server: &str) -> bool {
        self.all().iter().any(|view| view.includes_server(server))
    }

    /// Announces a change of a server's resource, which a principal's own connection showed, in every
    /// view that shows the server. What is personal to the principal is announced to nobody else.
    pub(crate) fn announce(&self, server: &str, of: &Principal, change: &Change) {
        for view in self.all().iter().filter(|view| view.shows_server(server)) {
            let snapshot = view.snapshot();
            let upstream = snapshot.upstreams.get(server);
            let shared = upstream.is_some_and(|upstream| !upstream.is_personal(of));
            view.announce_to(change, |principal| shared || principal == of);
        }
    }
}
