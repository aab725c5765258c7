//! Assembles the events of an answer into a message, which the next request carries as history.
//!
//! Agents and services use it. What must stay true: texts, thinking and tool calls keep the order
//! in which they arrived, because providers refuse any other.

use crate::event::ModelEvent;
use crate::request::{ModelBlock, ModelMessage, ModelRole};

#[cfg(test)]
mod tests;

/// Collects one answer; every answer needs a new collector.
#[derive(Debug, Default)]
pub struct ReplyCollector {
    blocks: Vec<ModelBlock>,
}

impl ReplyCollector {
    /// Adds the next event.
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
            // `ThinkingEnded` repeats all pieces of the thinking.
            ModelEvent::Thinking(_)
            | ModelEvent::Retrying { .. }
            | ModelEvent::Started { .. }
            | ModelEvent::Usage(_)
            | ModelEvent::Finished(_) => {}
        }
    }

    /// Returns everything collected so far as a message from the model.
    pub fn into_message(self) -> ModelMessage {
        ModelMessage { role: ModelRole::Assistant, blocks: self.blocks }
    }
}
