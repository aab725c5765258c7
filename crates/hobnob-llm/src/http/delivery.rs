//! Hands the events of an answer to its reader, and counts what they take from a budget.
//!
//! The exchange has one for each request. What must stay true: it knows whether anything was
//! delivered, because after that no try may follow.

use crate::budget::BudgetShare;
use crate::event::{ModelCompletion, ModelEvent};
use crate::stream::{ModelEventSender, ReaderGone};
use crate::usage::TokenUsage;
use std::time::Duration;

/// About how many bytes a token has, where the provider has not counted.
const TOKEN_BYTES: u64 = 4;

/// The way of one answer's events to their reader.
pub(super) struct Delivery {
    events: ModelEventSender,
    share: Option<BudgetShare>,
    /// Tokens of the request, as near as its size tells.
    prompt_estimate: u64,
    usage: Option<TokenUsage>,
    written_bytes: u64,
    begun: bool,
}

impl Delivery {
    pub(super) fn new(
        events: ModelEventSender,
        share: Option<BudgetShare>,
        request_bytes: usize,
    ) -> Self {
        let prompt_estimate = request_bytes as u64 / TOKEN_BYTES;
        Self { events, share, prompt_estimate, usage: None, written_bytes: 0, begun: false }
    }

    /// Tells the reader of another try; it is no part of the answer.
    pub(super) async fn tell_retry(&self, why: String, wait: Duration) {
        self.events.send(ModelEvent::Retrying { why, wait }).await;
    }

    /// Whether the reader has got anything of the answer.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Waits while the reader has no room, then hands the event over.
    pub(super) async fn send(&mut self, event: ModelEvent) -> Result<(), ReaderGone> {
        self.begun = true;
        self.count(&event);
        self.events.deliver(Ok(event)).await
    }

    /// Until the provider has counted, an answer counts by its bytes: a stream that is dropped has
    /// still been paid for.
    fn count(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Text(text) | ModelEvent::Thinking(text) => {
                self.written_bytes += text.len() as u64;
            }
            ModelEvent::ToolUse(call) => self.written_bytes += call.input.as_str().len() as u64,
            ModelEvent::Usage(usage) => self.usage = Some(*usage),
            ModelEvent::Finished(ModelCompletion { usage, .. }) => self.usage = *usage,
            ModelEvent::Retrying { .. }
            | ModelEvent::Started { .. }
            | ModelEvent::ThinkingEnded(_) => {}
        }
        let Some(share) = &mut self.share else { return };
        let written = self.written_bytes.div_ceil(TOKEN_BYTES);
        share.record(match (event, self.usage) {
            (ModelEvent::Finished(_), Some(usage)) => usage.total(),
            (_, Some(usage)) => usage.prompt().saturating_add(usage.output.max(written)),
            (_, None) => self.prompt_estimate.saturating_add(written),
        });
    }
}
