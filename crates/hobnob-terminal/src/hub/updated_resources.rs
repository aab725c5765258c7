//! Resources that have changed since somebody looked, each once, within a bound.
//!
//! The connection to the hub adds to it, the chat takes from it.

use std::sync::{Arc, Mutex, PoisonError};

/// Resources that are remembered.
const MAX_UPDATED: usize = 256;

/// What has changed, in its order. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct UpdatedResources(Arc<Mutex<Vec<Box<str>>>>);

impl UpdatedResources {
    /// Notes that a resource has changed.
    pub(super) fn add(&self, uri: &str) {
        let mut updated = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if updated.len() < MAX_UPDATED && !updated.iter().any(|known| **known == *uri) {
            updated.push(uri.into());
        }
    }

    /// What has changed since this was asked before.
    pub fn take(&self) -> Vec<Box<str>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_UPDATED, UpdatedResources};

    #[test]
    fn each_change_is_told_once_and_their_number_is_bounded() {
        let updated = UpdatedResources::default();
        for uri in ["x:2", "x:1", "x:2", "x:2"] {
            updated.add(uri);
        }
        assert_eq!(updated.take(), ["x:2".into(), "x:1".into()]);
        assert!(updated.take().is_empty());
        (0..MAX_UPDATED * 2).for_each(|at| updated.add(&format!("x:{at}")));
        assert_eq!(updated.take().len(), MAX_UPDATED);
    }
}
