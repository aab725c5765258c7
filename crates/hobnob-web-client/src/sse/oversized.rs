//! What a decoder learns of a payload that is too large to store.
//!
//! A protocol that can answer such an event implements the trait; `()` forgets the payload.

/// Reads the payload of an event that outgrew the limit, piece by piece, without storing it.
pub trait OversizedPayload: Default {
    /// What is known of the payload once its event is complete.
    type Summary;

    /// Takes the next bytes of the payload.
    fn push(&mut self, bytes: &[u8]);

    /// Summarises the payload from the bytes pushed so far.
    fn summary(&self) -> Self::Summary;
}

/// Records only that there was an oversized payload.
impl OversizedPayload for () {
    type Summary = ();

    fn push(&mut self, _bytes: &[u8]) {}

    fn summary(&self) {}
}
