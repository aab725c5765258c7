//! Server-sent events, both ways: the encoder the server's streams use and the incremental
//! decoder the client's streams use. Pure bytes; no socket, no clock.
//! What must stay true: decoding does not depend on how the bytes were cut into chunks.

mod decode;
mod encode;
mod oversized;

#[cfg(test)]
mod tests;

pub use decode::{Decoder, Event, EventTooLarge};
pub use encode::{KEEP_ALIVE, OutgoingEvent, encode_event};
pub use oversized::OversizedPayload;
