//! Assembles tool calls whose arguments arrive in pieces, and decides what happens to broken ones.
//!
//! All decoders use it. What must stay true: a call is emitted whole or not at all; a call that the
//! length limit cut off is dropped, and any other broken call is emitted with its problem, so that
//! the model learns what was wrong.

use super::surrogates::replace_unpaired;
use crate::event::{ModelEvent, StopReason};
use crate::tool::{ToolInput, ToolUse};

/// The most bytes of broken arguments that a problem quotes for the model.
const MAX_SHOWN_BYTES: usize = 500;

/// Replaces a missing name of a call: providers refuse a conversation with an empty name in it.
const UNNAMED: &str = "unnamed";

/// A call under construction.
#[derive(Debug, Default)]
pub(super) struct ToolCallParts {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    pub(super) arguments: String,
}

impl ToolCallParts {
    /// What is wrong with a broken call, for the model that made it.
    fn problem(&self) -> String {
        if self.name.is_empty() {
            return "the call names no tool".into();
        }
        let end = self.arguments.floor_char_boundary(MAX_SHOWN_BYTES);
        let rest = if end < self.arguments.len() { "…" } else { "" };
        format!("the arguments are not a JSON object: {}{rest}", &self.arguments[..end])
    }
}

/// Emits calls, and keeps broken ones until the stop reason explains them.
#[derive(Debug)]
pub(super) struct ToolCalls {
    /// Keeps generated ids unique within the conversation.
    seed: u64,
    emitted: u64,
    broken: Vec<ToolCallParts>,
}

impl ToolCalls {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, emitted: 0, broken: Vec::new() }
    }

    /// Whether the model has requested any call.
    pub(super) fn any(&self) -> bool {
        self.emitted != 0 || !self.broken.is_empty()
    }

    /// Takes a call whose arguments are complete: emits it, or keeps it if it is broken.
    pub(super) fn finish(&mut self, parts: ToolCallParts, events: &mut Vec<ModelEvent>) {
        match ToolInput::parse(&replace_unpaired(&parts.arguments)) {
            Some(input) if !parts.name.is_empty() => self.emit(parts.id, parts.name, input, events),
            _ => self.broken.push(parts),
        }
    }

    /// Emits a call, and generates an id if it has none.
    pub(super) fn emit(
        &mut self,
        id: Box<str>,
        name: Box<str>,
        input: ToolInput,
        events: &mut Vec<ModelEvent>,
    ) {
        self.emitted += 1;
        let id = if id.is_empty() {
            format!("call_{:08x}_{}", self.seed as u32, self.emitted).into()
        } else {
            id
        };
        events.push(ModelEvent::ToolUse(ToolUse { id, name, input }));
    }

    /// Called when the answer has ended for this reason. Emits the broken calls with their
    /// problems, unless the length limit cut them off.
    pub(super) fn settle(&mut self, stop: &StopReason, events: &mut Vec<ModelEvent>) {
        for parts in std::mem::take(&mut self.broken) {
            if *stop == StopReason::Length {
                continue;
            }
            let input = ToolInput::unusable(parts.problem());
            let name = if parts.name.is_empty() { UNNAMED.into() } else { parts.name };
            self.emit(parts.id, name, input, events);
        }
    }
}
