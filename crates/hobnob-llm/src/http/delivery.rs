//! Delivers the events of an answer to its reader, and charges them to the token budget.
//!
//! The exchange has one for each request. What must stay true: it knows whether any event was
//! delivered, because no retry may follow after that.

use crate::budget::BudgetShare;
use crate::event::{ModelCompletion, ModelEvent};
use crate::stream::{ModelEventSender, ReaderGone};
use crate::usage::TokenUsage;
use std::time::Duration;

/// The estimated bytes of a token, for tokens that the provider has not counted.
const BYTES_PER_TOKEN: u64 = 4;

/// Delivers the events of one answer.
pub(super) struct Delivery {
    events: ModelEventSender,
    share: Option<BudgetShare>,
    /// The tokens of the request, estimated from its size.
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
        let prompt_estimate = request_bytes as u64 / BYTES_PER_TOKEN;
        Self { events, share, prompt_estimate, usage: None, written_bytes: 0, begun: false }
    }

    /// Announces a retry to the reader. This does not count as a part of the answer.
    pub(super) async fn report_retry(&self, why: String, wait: Duration) {
        self.events.send(ModelEvent::Retrying { why, wait }).await;
    }

    /// Whether any part of the answer was delivered.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Delivers an event, and waits while the reader's queue is full.
    pub(super) async fn send(&mut self, event: ModelEvent) -> Result<(), ReaderGone> {
        self.begun = true;
        self.count(&event);
        self.events.deliver(Ok(event)).await
    }

    /// Charges an event to the budget. Bytes that the provider has not counted yet are charged by
    /// an estimate, because the user pays for a dropped stream too.
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
        let written = self.written_bytes.div_ceil(BYTES_PER_TOKEN);
        share.record(match (event, self.usage) {
            (ModelEvent::Finished(_), Some(usage)) => usage.total(),
            (_, Some(usage)) => usage.prompt().saturating_add(usage.output.max(written)),
            (_, None) => self.prompt_estimate.saturating_add(written),
        });
    }
}
