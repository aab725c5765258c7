//! A call while its arguments arrive in pieces, and what becomes of one that is never completed.
//!
//! The decoders whose providers stream arguments use it. What must stay true: a call is told whole or
//! not at all; one that was cut off by the length of the answer is left out, any other broken one is
//! told with its problem, so that the model hears of it.

use super::surrogates::mend;
use crate::event::{ModelEvent, StopReason};
use crate::tool::{ToolInput, ToolUse};

/// The most bytes of broken arguments that the model is shown again.
const MAX_SHOWN: usize = 500;

/// The name of a call without one: providers refuse a conversation with an empty name in it.
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
        let end = self.arguments.floor_char_boundary(MAX_SHOWN);
        let rest = if end < self.arguments.len() { "…" } else { "" };
        format!("the arguments are not a JSON object: {}{rest}", &self.arguments[..end])
    }
}

/// Tells calls, and keeps broken ones until it is known why they are.
#[derive(Debug)]
pub(super) struct ToolCalls {
    /// Makes ids that are not used elsewhere in the conversation.
    seed: u64,
    told: u64,
    broken: Vec<ToolCallParts>,
}

impl ToolCalls {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, told: 0, broken: Vec::new() }
    }

    /// Whether the model has asked for a call.
    pub(super) fn any(&self) -> bool {
        self.told != 0 || !self.broken.is_empty()
    }

    /// The arguments of a call are complete.
    pub(super) fn finish(&mut self, parts: ToolCallParts, events: &mut Vec<ModelEvent>) {
        match ToolInput::parse(&mend(&parts.arguments)) {
            Some(input) if !parts.name.is_empty() => self.tell(parts.id, parts.name, input, events),
            _ => self.broken.push(parts),
        }
    }

    /// A call that came whole.
    pub(super) fn tell(
        &mut self,
        id: Box<str>,
        name: Box<str>,
        input: ToolInput,
        events: &mut Vec<ModelEvent>,
    ) {
        self.told += 1;
        let id = if id.is_empty() {
            format!("call_{:08x}_{}", self.seed as u32, self.told).into()
        } else {
            id
        };
        events.push(ModelEvent::ToolUse(ToolUse { id, name, input }));
    }

    /// The answer has ended for this reason. Broken calls are told, unless its length cut them off.
    pub(super) fn settle(&mut self, stop: &StopReason, events: &mut Vec<ModelEvent>) {
        for parts in std::mem::take(&mut self.broken) {
            if *stop == StopReason::Length {
                continue;
            }
            let input = ToolInput::unusable(parts.problem());
            let name = if parts.name.is_empty() { UNNAMED.into() } else { parts.name };
            self.tell(parts.id, name, input, events);
        }
    }
}
