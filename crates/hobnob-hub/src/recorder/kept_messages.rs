//! The messages of one recording: the newest ones, bounded in number and in bytes.

use hobnob_ui::RecordedMessage;
use std::collections::VecDeque;
use std::sync::Arc;

/// The most messages of one recording.
pub(super) const MAX_MESSAGES: usize = 500;

/// The most bytes that the texts of one recording take.
pub(super) const MAX_BYTES: usize = 8 << 20;

/// The messages of one recording.
#[derive(Debug, Default)]
pub(super) struct KeptMessages {
    messages: VecDeque<Arc<RecordedMessage>>,
    bytes: usize,
    total: u64,
}

impl KeptMessages {
    /// Adds the newest message, and drops the oldest ones beyond the limits.
    pub(super) fn push(&mut self, message: Arc<RecordedMessage>) {
        self.bytes += message.text.len();
        self.total += 1;
        self.messages.push_back(message);
        while MAX_MESSAGES < self.messages.len() || MAX_BYTES < self.bytes {
            let Some(oldest) = self.messages.pop_front() else { return };
            self.bytes -= oldest.text.len();
        }
    }

    /// Sets the call of a request that is one of the last messages.
    pub(super) fn set_call(&mut self, exchange: u64, call: u64) {
        let found = self.messages.iter_mut().rev().find(|it| it.exchange == Some(exchange));
        if let Some(message) = found {
            Arc::make_mut(message).call = Some(call);
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<RecordedMessage>> {
        self.messages.iter().cloned().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many messages there were.
    pub(super) fn total(&self) -> u64 {
        self.total
    }
}
