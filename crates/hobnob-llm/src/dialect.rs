//! The wire formats of the providers: encodes requests as JSON, and decodes bytes into events.
//! Pure: no socket, no clock, no key.
//!
//! The shared parts come first, then one folder for each format, then the choice between them and
//! the decoder of a whole stream.

mod fault;
mod frame;
mod surrogates;
mod tool_call;
mod written;

mod anthropic;
mod ollama;
mod openai_chat;
mod openai_responses;

mod kind;
mod stream_decoder;

#[cfg(test)]
mod tests;

pub(crate) use fault::{ProviderFault, StreamFault};
pub(crate) use frame::DecoderOptions;
pub use kind::ProviderDialect;
pub(crate) use kind::{Framing, KeyHeader};
pub(crate) use stream_decoder::StreamDecoder;
pub(crate) use written::{OutputLimitName, RequestContext};
