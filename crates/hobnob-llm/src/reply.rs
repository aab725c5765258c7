//! Puts the events of an answer together into the message that the next request has as history.
//!
//! Whoever stores conversations uses it. What must stay true: texts, thinking and calls stay in the
//! order in which they came, because providers refuse another one.

use crate::event::ModelEvent;
use crate::request::{ModelBlock, ModelMessage, ModelRole};

#[cfg(test)]
mod tests;

/// Collects one answer; each needs a new one.
#[derive(Debug, Default)]
pub struct ReplyCollector {
    blocks: Vec<ModelBlock>,
}

impl ReplyCollector {
    /// Takes the next event.
    pub fn push(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Text(text) => match self.blocks.last_mut() {
                Some(ModelBlock::Text(before)) => before.push_str(text),
                _ => self.blocks.push(ModelBlock::Text(text.clone())),
            },
            ModelEvent::ThinkingEnded(block) => {
                self.blocks.push(ModelBlock::Thinking(block.clone()));
            }
            ModelEvent::ToolUse(call) => self.blocks.push(ModelBlock::ToolUse(call.clone())),
            // The pieces of thinking come again with its end.
            ModelEvent::Thinking(_)
            | ModelEvent::Retrying { .. }
            | ModelEvent::Started { .. }
            | ModelEvent::Usage(_)
            | ModelEvent::Finished(_) => {}
        }
    }

    /// What has come so far, as the model's turn.
    pub fn into_message(self) -> ModelMessage {
        ModelMessage { role: ModelRole::Assistant, blocks: self.blocks }
    }
}
