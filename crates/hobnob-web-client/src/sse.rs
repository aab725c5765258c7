//! Server-sent events, both ways: the encoder for servers and the incremental decoder for clients.
//! Both work on bytes, without a socket or a clock. What must stay true: the result of decoding
//! does not depend on how the bytes are cut into chunks.

mod decode;
mod encode;
mod oversized;

#[cfg(test)]
mod tests;

pub use decode::{Decoder, Event, EventTooLarge};
pub use encode::{KEEP_ALIVE, OutgoingEvent, encode_event};
pub use oversized::OversizedPayload;
