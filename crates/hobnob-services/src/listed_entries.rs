//! A snapshot of the stored entries that a service's kits list.
//!
//! Services whose kits list stored entries keep one, and read it anew in `refresh`.

use crate::built_in::KitChange;
use crate::presentation::{ListedOwner, Presentation};
use parking_lot::Mutex;
use std::sync::Arc;

/// The entries that kits list now.
#[derive(Debug)]
pub(crate) struct ListedEntries<T>(Mutex<Arc<[T]>>);

impl<T: PartialEq> ListedEntries<T> {
    pub(crate) fn get(&self) -> Arc<[T]> {
        Arc::clone(&self.0.lock())
    }

    /// The entries that a view lists.
    pub(crate) fn shown_in(&self, presentation: &Presentation) -> Arc<[T]> {
        match presentation.listed {
            ListedOwner::Person => self.get(),
            ListedOwner::Nobody => Arc::default(),
        }
    }

    /// Replaces the entries, and reports whether they differ from the ones before.
    pub(crate) fn replace(&self, now: Arc<[T]>) -> KitChange {
        let mut listed = self.0.lock();
        let change = if *listed == now { KitChange::Same } else { KitChange::Changed };
        *listed = now;
        change
    }
}

impl<T> Default for ListedEntries<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
