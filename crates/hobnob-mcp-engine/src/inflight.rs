//! Requests being answered on one connection. The table is the judge of who answers:
//! whoever takes an id out may send its one answer, so a cancelled call can never answer too.

use mcp_types::RequestId;

/// Calls in flight, each with what is needed to stop it.
///
/// A plain list: few are open at once and the number is capped, so that walking it is cheaper
/// than hashing ids of the client's choice, and it keeps its room from call to call.
#[derive(Debug)]
pub struct InFlight<T> {
    open: Vec<(RequestId, T)>,
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
        Self { open: Vec::new(), most }
    }

    /// Enters a request.
    pub fn begin(&mut self, id: RequestId, stop: T) -> Result<(), Refused> {
        if self.place(&id).is_some() {
            return Err(Refused::Duplicate);
        }
        if self.open.len() >= self.most {
            return Err(Refused::Full);
        }
        self.open.push((id, stop));
        Ok(())
    }

    /// Takes a request out; only the one who gets it may answer or stop it.
    pub fn end(&mut self, id: &RequestId) -> Option<T> {
        let place = self.place(id)?;
        Some(self.open.swap_remove(place).1)
    }

    /// Takes all out; nothing can be begun afterwards.
    pub fn end_all(&mut self) -> Vec<T> {
        self.most = 0;
        self.open.drain(..).map(|(_, stop)| stop).collect()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn place(&self, id: &RequestId) -> Option<usize> {
        self.open.iter().position(|(open, _)| open == id)
    }
}
