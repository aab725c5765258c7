//! Requests being answered on one connection. The table is the judge of who answers:
//! whoever takes an id out may send its one answer, so a cancelled call can never answer too.

use mcp_types::RequestId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Calls in flight, each with what is needed to stop it. Ordered: a handful of ids is found
/// faster by comparing than by hashing, and ids are the client's choice.
#[derive(Debug)]
pub struct InFlight<T> {
    open: BTreeMap<RequestId, T>,
    most: usize,
}

/// Why a request is not begun.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another request with this id is still being answered.
    Duplicate,
    /// As many as allowed are being answered.
    Full,
}

impl<T> InFlight<T> {
    /// An empty table for at most that many.
    pub fn new(most: usize) -> Self {
        Self { open: BTreeMap::new(), most }
    }

    /// Enters a request.
    pub fn begin(&mut self, id: RequestId, stop: T) -> Result<(), Refused> {
        let full = self.open.len() >= self.most;
        match self.open.entry(id) {
            Entry::Occupied(_) => Err(Refused::Duplicate),
            Entry::Vacant(_) if full => Err(Refused::Full),
            Entry::Vacant(place) => {
                place.insert(stop);
                Ok(())
            }
        }
    }

    /// Takes a request out; only the one who gets it may answer or stop it.
    pub fn end(&mut self, id: &RequestId) -> Option<T> {
        self.open.remove(id)
    }

    /// Takes all out.
    pub fn end_all(&mut self) -> Vec<T> {
        std::mem::take(&mut self.open).into_values().collect()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}
