//! The sets of labels that a family of series has, with a bound on how many there are.
//!
//! `bounded_series` and `session_series` ask it before they count. What must stay true: labels that
//! others choose are replaced by fewer ones before they are too many.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::hash::Hash;

/// How many more sets there may be, and what then leaves one label out.
pub(crate) type Step<L> = (usize, fn(L) -> L);

/// The sets of labels seen so far.
#[derive(Debug)]
pub(crate) struct KnownLabels<L>(Mutex<HashSet<L>>);

impl<L: Clone + Eq + Hash> KnownLabels<L> {
    pub(crate) fn new() -> Self {
        Self(Mutex::default())
    }

    /// These labels if they are known or there is room for them; else those of the first step with
    /// room, or what the last step makes of them.
    pub(crate) fn admit(&self, exact: L, steps: &[Step<L>]) -> L {
        let mut known = self.0.lock();
        let (mut labels, mut room) = (exact, 0);
        for (more, fewer) in steps {
            room += more;
            if known.contains(&labels) {
                return labels;
            }
            if known.len() < room {
                known.insert(labels.clone());
                return labels;
            }
            labels = fewer(labels);
        }
        labels
    }
}
