//! What is known of the lists of one upstream, whether or not it runs.
//!
//! `life` brings new readings; the catalogue, the status and whoever decides about starts read it.

use crate::upstream::lists::{Lists, ListsReading};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// The newest lists, and what could not be read of them.
#[derive(Clone, Default)]
pub(crate) struct Known {
    /// `None` if it has never run.
    pub(crate) lists: Option<Arc<Lists>>,
    pub(crate) problems: Vec<String>,
    /// Whether its tools could not be listed.
    tools_failed: bool,
}

/// The same behind its lock.
pub(super) struct KnownLists(RwLock<Known>);

impl KnownLists {
    /// With what was stored the last time.
    pub(super) fn new(lists: Option<Lists>) -> Self {
        Self(RwLock::new(Known { lists: lists.map(Arc::new), ..Known::default() }))
    }

    pub(super) fn get(&self) -> Known {
        self.read().clone()
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.read().lists.is_none()
    }

    /// Whether it is not known which tools it has: it never ran, or could not list them.
    pub(super) fn lacks_tools(&self) -> bool {
        let known = self.read();
        let none = |lists: &Arc<Lists>| known.tools_failed && lists.tools.is_empty();
        known.lists.as_ref().is_none_or(none)
    }

    /// Takes a new reading; returns whether it differs from what was known, or is complete for the
    /// first time.
    pub(super) fn update(&self, reading: ListsReading) -> bool {
        let ListsReading { lists, problems, tools_failed, .. } = reading;
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mended = problems.is_empty() && !known.problems.is_empty();
        known.problems = problems;
        known.tools_failed = tools_failed;
        let differs = mended || known.lists.as_deref() != Some(&lists);
        if differs {
            known.lists = Some(Arc::new(lists));
        }
        differs
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}
