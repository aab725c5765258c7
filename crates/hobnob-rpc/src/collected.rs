//! The events of one call for a caller that does not read a stream: all in one response, up to a
//! size limit.

use hobnob_mcp_types::{RequestId, encode};
use parking_lot::Mutex;

/// The events in order, as JSON text.
#[derive(Debug)]
pub(crate) struct CollectedEvents {
    limit: usize,
    events: Mutex<Events>,
}

#[derive(Debug, Default)]
struct Events {
    text: String,
}

/// There is no room for another event.
#[derive(Debug)]
pub(crate) struct CollectionFull;

impl CollectedEvents {
    /// A collection of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, events: Mutex::default() }
    }

    /// Adds an event if it fits.
    pub(crate) fn add(&self, event: &str) -> Result<(), CollectionFull> {
        let events = self.events.lock();
        if self.limit < events.text.len() + event.len() {
            return Err(CollectionFull);
        }
        Self::append(events, event);
        Ok(())
    }

    /// Adds the last event, which always fits.
    pub(crate) fn add_last(&self, event: &str) {
        Self::append(self.events.lock(), event);
    }

    /// The response with all events.
    pub(crate) fn response(&self, id: &RequestId, subscription: u64) -> String {
        let events = self.events.lock();
        encode::result(id, |out| {
            out.push_str(&format!(r#"{{"subscription":{subscription},"events":["#));
            out.push_str(&events.text);
            out.push_str("]}");
        })
    }

    fn append(mut events: parking_lot::MutexGuard<'_, Events>, event: &str) {
        if !events.text.is_empty() {
            events.text.push(',');
        }
        events.text.push_str(event);
    }
}
