//! Reads the envelope of a message that is too large to store.
//!
//! The client's streams decode with it, so that a request whose answer is too large fails instead
//! of waiting for ever.

use hobnob_mcp_types::{EnvelopeParts, EnvelopeScanner};

use hobnob_web_client::sse::OversizedPayload;

#[cfg(test)]
mod tests;

/// Finds out which request a message answers, from the payload of an event that is not stored.
#[derive(Debug, Default)]
pub struct OversizedMessage(EnvelopeScanner);

impl OversizedPayload for OversizedMessage {
    type Summary = EnvelopeParts;

    fn push(&mut self, bytes: &[u8]) {
        self.0.push(bytes);
    }

    fn summary(&self) -> EnvelopeParts {
        self.0.parts()
    }
}
