//! What a decoder of one wire form does: it takes payload after payload, whole, and tells the events.
//!
//! `stream_decoder` cuts the bytes into payloads and feeds them. What must stay true: a decoder
//! keeps what it has seen of unfinished parts, and tells `Finished` once.

use serde::Deserialize;

use super::fault::StreamFault;
use crate::event::{ModelCompletion, ModelEvent, StopReason};
use crate::price::ModelPrices;
use crate::usage::TokenUsage;

/// What a decoder knows of the request that it reads the answer of.
#[derive(Debug, Clone)]
pub(crate) struct DecoderOptions {
    /// The model that was asked.
    pub(crate) model: Box<str>,
    /// Makes up ids of calls where the provider gives none.
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

/// Payloads to events, for one wire form.
pub(crate) trait FrameDecoder: Send {
    /// Takes the next payload and appends the events that it completes.
    fn frame(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault>;

    /// The bytes are over, and `Finished` was not told yet. It may be told here, if the answer is
    /// complete all the same.
    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), StreamFault>;
}

/// The `type` of a payload, by which the rest is read.
#[derive(Deserialize)]
pub(super) struct Tagged {
    #[serde(rename = "type")]
    pub(super) tag: Box<str>,
}

/// Reads a payload as what its tag says it is.
pub(super) fn read<'a, T: Deserialize<'a>>(payload: &'a str) -> Result<T, StreamFault> {
    serde_json::from_str(payload)
        .map_err(|error| StreamFault::garbled(format!("an event is not as documented: {error}")))
}

/// The answer has ended early.
pub(super) fn cut() -> StreamFault {
    StreamFault::Cut("the connection ended before the answer did".into())
}
