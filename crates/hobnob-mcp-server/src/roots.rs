//! Caches a legacy client's roots, so that not every call has to ask for them.
//!
//! `ask.rs` uses the cache, but only for clients that announce changes of their roots.

use hobnob_mcp_types::capabilities::ClientCapabilities;
use parking_lot::{Mutex, MutexGuard};
use serde_json::value::RawValue;

/// The cached roots of one session's client.
#[derive(Debug, Default)]
pub(crate) struct KnownRoots(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    listed: Option<Box<RawValue>>,
    /// How often the client has announced a change.
    changes: u64,
}

/// The number of changes announced when the client was asked for its roots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RootsRequest(u64);

impl KnownRoots {
    /// The roots, if they are cached.
    pub(crate) fn get(&self) -> Option<Box<RawValue>> {
        self.lock().listed.clone()
    }

    /// Records that the client is about to be asked.
    pub(crate) fn requested(&self) -> RootsRequest {
        RootsRequest(self.lock().changes)
    }

    /// Caches the answer, unless a change was announced meanwhile: the answer might predate it.
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

    /// Drops the cached roots: the client has announced a change.
    pub(crate) fn changed(&self) {
        let mut known = self.lock();
        known.changes += 1;
        known.listed = None;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock()
    }
}
