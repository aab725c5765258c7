//! A batch's answers, gathered until the last one is there (2025-03-26 only).

use std::sync::{Mutex, PoisonError};

/// The answers so far, and how many are still to come.
#[derive(Debug)]
pub(crate) struct BatchReply(Mutex<Gathered>);

#[derive(Debug)]
struct Gathered {
    waiting: usize,
    array: Vec<u8>,
}

impl BatchReply {
    /// For a batch with this many requests.
    pub(crate) fn new(requests: usize) -> Self {
        Self(Mutex::new(Gathered { waiting: requests, array: Vec::new() }))
    }

    /// Adds an answer; the whole array with the last one.
    pub(crate) fn answer(&self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        self.settle(|array| {
            array.push(if array.is_empty() { b'[' } else { b',' });
            array.extend_from_slice(&bytes);
        })
    }

    /// One answer less to wait for. If no request is answered at all, the array is empty.
    pub(crate) fn skip(&self) -> Option<Vec<u8>> {
        self.settle(|_| ())
    }

    fn settle(&self, add: impl FnOnce(&mut Vec<u8>)) -> Option<Vec<u8>> {
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut gathered.array);
        gathered.waiting = gathered.waiting.saturating_sub(1);
        if gathered.waiting > 0 {
            return None;
        }
        let mut array = std::mem::take(&mut gathered.array);
        if !array.is_empty() {
            array.push(b']');
        }
        Some(array)
    }
}
