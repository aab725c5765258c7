//! Pages that a server wants the user to visit before it goes on (2025-11-25), once visited.
//!
//! The inbox adds a page when the server reports its visit, possibly before any call waits for it;
//! a call that is made again waits here.

use std::collections::VecDeque;
use tokio::sync::watch;

/// How many visits are remembered; a call asks for them soon, or never.
const MAX_REMEMBERED: usize = 256;

/// The maximum length of an id in bytes. Longer ids are never recorded as visited.
const MAX_ID_BYTES: usize = 1024;

/// The elicitation ids of visited pages, the newest last.
#[derive(Debug)]
pub(crate) struct VisitedPages(watch::Sender<VecDeque<Box<str>>>);

impl Default for VisitedPages {
    fn default() -> Self {
        Self(watch::Sender::new(VecDeque::new()))
    }
}

impl VisitedPages {
    /// Records the visit of the page with this elicitation id.
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

    /// Waits until all these pages have been visited.
    pub(crate) async fn wait_for_all(&self, ids: &[Box<str>]) {
        let mut visited = self.0.subscribe();
        // We hold the sender, so the channel is open.
        let _seen = visited.wait_for(|visited| ids.iter().all(|id| visited.contains(id))).await;
    }
}
