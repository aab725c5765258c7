//! Requests being answered on one connection. The table is the judge of who answers:
//! whoever takes a request out may send its one answer, so a cancelled call can never answer too,
//! and a late one can never answer for a newer request that uses its id again.

use hobnob_mcp_types::RequestId;

/// Calls in flight, each with what is needed to stop it.
///
/// A plain list: few are open at once and the number is capped, so that walking it is cheaper
/// than hashing ids of the client's choice, and it keeps its memory from call to call.
#[derive(Debug)]
pub struct InFlight<T> {
    open: Vec<Open<T>>,
    next: u64,
    max_open: usize,
}

#[derive(Debug)]
struct Open<T> {
    id: RequestId,
    ticket: Ticket,
    stop: T,
}

/// One entry of the table, distinct from any other that ever had the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket(u64);

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
    pub fn new(max_open: usize) -> Self {
        Self { open: Vec::new(), next: 0, max_open }
    }

    /// Enters a request; `stop` is handed back when it is taken out.
    pub fn begin(&mut self, id: RequestId, stop: T) -> Result<Ticket, Refused> {
        if self.open.iter().any(|open| open.id == id) {
            return Err(Refused::Duplicate);
        }
        if self.open.len() >= self.max_open {
            return Err(Refused::Full);
        }
        let ticket = Ticket(self.next);
        self.next += 1;
        self.open.push(Open { id, ticket, stop });
        Ok(ticket)
    }

    /// Takes out the request of this ticket, which is done: only now may it be answered.
    pub fn finish(&mut self, ticket: Ticket) -> Option<T> {
        self.take(|open| open.ticket == ticket)
    }

    /// Takes out the request with this id, to stop it.
    pub fn cancel(&mut self, id: &RequestId) -> Option<T> {
        self.take(|open| open.id == *id)
    }

    /// Takes all out; nothing can be begun afterwards.
    pub fn end_all(&mut self) -> Vec<T> {
        self.max_open = 0;
        self.open.drain(..).map(|open| open.stop).collect()
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn take(&mut self, fits: impl Fn(&Open<T>) -> bool) -> Option<T> {
        let place = self.open.iter().position(fits)?;
        Some(self.open.swap_remove(place).stop)
    }
}
