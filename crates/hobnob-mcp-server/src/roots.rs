//! A legacy client's roots as it listed them last, so that not every call has to ask for them.
//!
//! `ask.rs` fills and reads it. Only the list of a client that announces changes is remembered.

use hobnob_mcp_types::capabilities::ClientCapabilities;
use serde_json::value::RawValue;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a session knows of its client's roots.
#[derive(Debug, Default)]
pub(crate) struct KnownRoots(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    listed: Option<Box<RawValue>>,
    /// How often the client said that they changed.
    changes: u64,
}

/// A request for the roots, with the number of changes when it was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RootsRequest(u64);

impl KnownRoots {
    /// The roots, if they are known.
    pub(crate) fn get(&self) -> Option<Box<RawValue>> {
        self.lock().listed.clone()
    }

    /// A request for them is about to be sent.
    pub(crate) fn requested(&self) -> RootsRequest {
        RootsRequest(self.lock().changes)
    }

    /// The client answered. If the roots changed meanwhile, the answer may be older than the change.
    pub(crate) fn answered(
        &self,
        request: RootsRequest,
        answer: &RawValue,
        client: &ClientCapabilities,
    ) {
        let announces_changes = client.roots.as_ref().is_some_and(|roots| roots.list_changed);
        let mut known = self.lock();
        if announces_changes && known.changes == request.0 {
            known.listed = Some(answer.to_owned());
        }
    }

    /// The client says that they are others now.
    pub(crate) fn changed(&self) {
        let mut known = self.lock();
        known.changes += 1;
        known.listed = None;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
