//! Pages a server wants visited before it goes on (2025-11-25), and which of them have been.

use std::collections::VecDeque;
use tokio::sync::watch;

/// What tells the state of a call that waits for pages from a server's own state.
const PAGES: &str = "pages:";

/// Visits that are remembered; a call asks for them soon, or never.
const REMEMBERED: usize = 256;

/// Bytes of an id. A longer one is never over.
const ID_BYTES: usize = 1024;

/// The pages whose visit is over, the newest last.
#[derive(Debug)]
pub(crate) struct Pages(watch::Sender<VecDeque<Box<str>>>);

impl Default for Pages {
    fn default() -> Self {
        Self(watch::Sender::new(VecDeque::new()))
    }
}

impl Pages {
    /// A visit is over. It may be before anybody has asked.
    pub(crate) fn done(&self, id: &str) {
        if id.len() > ID_BYTES {
            return;
        }
        self.0.send_modify(|done| {
            if done.len() >= REMEMBERED {
                done.pop_front();
            }
            done.push_back(id.into());
        });
    }

    /// Waits until all these visits are over.
    pub(crate) async fn all_done(&self, ids: &[Box<str>]) {
        let mut done = self.0.subscribe();
        // The sender is ours, so it is still there.
        let _seen = done.wait_for(|done| ids.iter().all(|id| done.contains(id))).await;
    }
}

/// The state of a call that waits for these visits.
pub(crate) fn state(ids: &[Box<str>]) -> String {
    format!("{PAGES}{}", serde_json::to_string(ids).unwrap_or_default())
}

/// The visits a call waits for, if it waits for any.
pub(crate) fn awaited(state: Option<&str>) -> Option<Vec<Box<str>>> {
    let ids = state?.strip_prefix(PAGES)?;
    Some(serde_json::from_str(ids).unwrap_or_default())
}
