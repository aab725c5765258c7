//! A legacy client's roots as it told them last, so that not every call has to ask for them. Only
//! a client that says when they change is taken at its word.

use hobnob_mcp_types::capabilities::ClientCapabilities;
use serde_json::value::RawValue;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a session knows of its client's roots.
#[derive(Debug, Default)]
pub(crate) struct KnownRoots(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    told: Option<Box<RawValue>>,
    /// How often the client said that they changed.
    changes: u64,
}

/// The moment in which roots were asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking(u64);

impl KnownRoots {
    /// The roots, if they are known.
    pub(crate) fn get(&self) -> Option<Box<RawValue>> {
        self.lock().told.clone()
    }

    /// They are being asked for.
    pub(crate) fn asking(&self) -> Asking {
        Asking(self.lock().changes)
    }

    /// The client answered. What changed while it did may be older than the change.
    pub(crate) fn told(&self, asking: Asking, answer: &RawValue, client: &ClientCapabilities) {
        let tells = client.roots.as_ref().is_some_and(|roots| roots.list_changed);
        let mut known = self.lock();
        if tells && known.changes == asking.0 {
            known.told = Some(answer.to_owned());
        }
    }

    /// The client says that they are others now.
    pub(crate) fn changed(&self) {
        let mut known = self.lock();
        known.changes += 1;
        known.told = None;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
