//! Collects the answers to a batch until the last one is there (2025-03-26 only).
//!
//! All [`Reply`](crate::Reply) values of a batch share one. The last answer, or the last request
//! that ends without one, sends the whole array.

use parking_lot::Mutex;

/// The answers so far, and the number of answers still to come.
#[derive(Debug)]
pub(crate) struct BatchReply(Mutex<Gathered>);

#[derive(Debug)]
struct Gathered {
    waiting: usize,
    array: String,
}

impl BatchReply {
    /// A collector for a batch with this many requests.
    pub(crate) fn new(requests: usize) -> Self {
        Self(Mutex::new(Gathered { waiting: requests, array: String::new() }))
    }

    /// Adds an answer; returns the whole array with the last one.
    pub(crate) fn answer(&self, text: String) -> Option<String> {
        self.settle(|array| {
            array.push(if array.is_empty() { '[' } else { ',' });
            array.push_str(&text);
        })
    }

    /// Counts a request that gets no answer. If no request gets one, the array is empty.
    pub(crate) fn skip(&self) -> Option<String> {
        self.settle(|_| ())
    }

    fn settle(&self, add: impl FnOnce(&mut String)) -> Option<String> {
        let mut gathered = self.0.lock();
        add(&mut gathered.array);
        gathered.waiting = gathered.waiting.saturating_sub(1);
        if gathered.waiting > 0 {
            return None;
        }
        let mut array = std::mem::take(&mut gathered.array);
        if !array.is_empty() {
            array.push(']');
        }
        Some(array)
    }
}
