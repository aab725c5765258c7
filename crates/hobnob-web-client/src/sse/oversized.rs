//! What a decoder learns of a payload that is too large to store.
//!
//! A protocol that can answer for such an event implements the trait; `()` forgets the payload.

/// Reads the payload of an event that outgrew the cap, piece by piece, without storing it.
pub trait OversizedPayload: Default {
    /// What is known of the payload once its event is complete.
    type Summary;

    /// Takes the next bytes of the payload.
    fn push(&mut self, bytes: &[u8]);

    /// What the payload was, as far as its bytes showed it.
    fn summary(&self) -> Self::Summary;
}

/// Only that there was such a payload.
impl OversizedPayload for () {
    type Summary = ();

    fn push(&mut self, _bytes: &[u8]) {}

    fn summary(&self) {}
}
