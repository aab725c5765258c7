//! Pages that a server wants visited before it goes on (2025-11-25), as far as their visit is over.
//!
//! The inbox adds a page when the server says so, which may be before anybody waits for it; a call
//! that is made again waits here.

use std::collections::VecDeque;
use tokio::sync::watch;

/// Visits that are remembered; a call asks for them soon, or never.
const MAX_REMEMBERED: usize = 256;

/// Bytes of an id. The visit of a page with a longer one never ends.
const MAX_ID_BYTES: usize = 1024;

/// The elicitation ids of pages whose visit is over, the newest last.
#[derive(Debug)]
pub(crate) struct VisitedPages(watch::Sender<VecDeque<Box<str>>>);

impl Default for VisitedPages {
    fn default() -> Self {
        Self(watch::Sender::new(VecDeque::new()))
    }
}

impl VisitedPages {
    /// The visit of the page with this elicitation id is over.
    pub(crate) fn add(&self, id: &str) {
        if id.len() > MAX_ID_BYTES {
            return;
        }
        self.0.send_modify(|visited| {
            if visited.len() >= MAX_REMEMBERED {
                visited.pop_front();
            }
            visited.push_back(id.into());
        });
    }

    /// Waits until the visits of all these pages are over.
    pub(crate) async fn wait_for_all(&self, ids: &[Box<str>]) {
        let mut visited = self.0.subscribe();
        // The sender is ours, so it is still there.
        let _seen = visited.wait_for(|visited| ids.iter().all(|id| visited.contains(id))).await;
    }
}
