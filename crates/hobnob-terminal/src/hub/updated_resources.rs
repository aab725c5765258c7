//! The resources that have changed since the last look: deduplicated and bounded.
//!
//! The connection to the hub adds resources, the chat takes them.

use parking_lot::Mutex;
use std::sync::Arc;

/// Most resources that are remembered.
const MAX_UPDATED: usize = 256;

/// Changed resources, in the order of their changes. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct UpdatedResources(Arc<Mutex<Vec<Box<str>>>>);

impl UpdatedResources {
    /// Notes that a resource has changed.
    pub(super) fn add(&self, uri: &str) {
        let mut updated = self.0.lock();
        if updated.len() < MAX_UPDATED && !updated.iter().any(|known| **known == *uri) {
            updated.push(uri.into());
        }
    }

    /// Takes the resources that have changed since the last call.
    pub fn take(&self) -> Vec<Box<str>> {
        std::mem::take(&mut *self.0.lock())
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
