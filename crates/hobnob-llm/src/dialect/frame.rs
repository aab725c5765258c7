//! The trait of the decoders of the wire formats: each takes whole payloads and emits events.
//!
//! `stream_decoder` splits the bytes into payloads and feeds them to a decoder. What must stay
//! true: a decoder keeps the state of unfinished parts, and emits `Finished` once.

use serde::Deserialize;

use super::fault::StreamFault;
use crate::event::{ModelCompletion, ModelEvent, StopReason};
use crate::price::ModelPrices;
use crate::usage::TokenUsage;

/// What a decoder knows about the request whose answer it reads.
#[derive(Debug, Clone)]
pub(crate) struct DecoderOptions {
    /// The model that was asked.
    pub(crate) model: Box<str>,
    /// The seed of generated ids, for tool calls to which the provider gives none.
    pub(crate) call_seed: u64,
    /// The model's prices; absent if they are not known.
    pub(crate) prices: Option<ModelPrices>,
    /// The longest payload, in bytes.
    pub(crate) frame_bytes: usize,
}

impl DecoderOptions {
    /// The last event of an answer.
    pub(super) fn finished(&self, stop: StopReason, usage: Option<TokenUsage>) -> ModelEvent {
        let cost = usage.and_then(|usage| self.prices?.cost(&usage));
        ModelEvent::Finished(ModelCompletion { stop, usage, cost })
    }
}

/// Decodes the payloads of one wire format into events.
pub(crate) trait FrameDecoder: Send {
    /// Decodes the next payload, and appends the events that it completes.
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault>;

    /// Called at the end of the bytes if `Finished` was not emitted yet. Emits it if the answer is
    /// complete nevertheless, and fails otherwise.
    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault>;
}

/// The `type` of a payload, which decides how the rest is decoded.
#[derive(Deserialize)]
pub(super) struct Tagged {
    #[serde(rename = "type")]
    pub(super) tag: Box<str>,
}

/// Decodes a payload as a `T`, the type that belongs to its tag.
pub(super) fn read<'a, T: Deserialize<'a>>(payload: &'a str) -> Result<T, StreamFault> {
    serde_json::from_str(payload)
        .map_err(|error| StreamFault::garbled(format!("an event is not as documented: {error}")))
}

/// The fault of an answer that ended early.
pub(super) fn cut() -> StreamFault {
    StreamFault::Cut("the connection ended before the answer did".into())
}
