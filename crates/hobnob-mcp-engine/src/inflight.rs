//! The table of requests in flight on one connection. It decides who answers: only the code that
//! takes a request out may send its one answer. So a cancelled call can never answer too, and a
//! late answer can never go to a newer request with the same id.

use hobnob_mcp_types::RequestId;

/// Requests in flight, each with a value that stops it.
///
/// A plain `Vec`: `max_open` keeps it short, so scanning it is cheaper than hashing ids that the
/// client chooses, and it reuses its memory from call to call.
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

/// One entry of the table, distinct from every other entry that ever had the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket(u64);

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another request with this id is still being answered.
    Duplicate,
    /// The table is full.
    Full,
}

impl<T> InFlight<T> {
    /// An empty table for at most `max_open` requests.
    pub fn new(max_open: usize) -> Self {
        Self { open: Vec::new(), next: 0, max_open }
    }

    /// Enters a request; `stop` is returned when the request is taken out.
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

    /// Takes out the finished request of this ticket. Answer it only if this returns `Some`.
    pub fn finish(&mut self, ticket: Ticket) -> Option<T> {
        self.take(|open| open.ticket == ticket)
    }

    /// Takes out the request with this id, to stop it.
    pub fn cancel(&mut self, id: &RequestId) -> Option<T> {
        self.take(|open| open.id == *id)
    }

    /// Takes all requests out and closes the table: `begin` fails from now on.
    pub fn end_all(&mut self) -> Vec<T> {
        self.max_open = 0;
        self.open.drain(..).map(|open| open.stop).collect()
    }

    /// The number of requests in flight.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no request is in flight.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn take(&mut self, fits: impl Fn(&Open<T>) -> bool) -> Option<T> {
        let place = self.open.iter().position(fits)?;
        Some(self.open.swap_remove(place).stop)
    }
}
