//! A call while its arguments arrive in pieces, and what becomes of one that is never completed.
//!
//! The decoders whose providers stream arguments use it. What must stay true: a call is told whole or
//! not at all; one that was cut off by the length of the answer is left out, any other broken one is
//! an error.

use super::fault::StreamFault;
use super::surrogates::mend;
use crate::event::{ModelEvent, StopReason};
use crate::tool::{ToolInput, ToolUse};

/// A call under construction.
#[derive(Debug, Default)]
pub(super) struct ToolCallParts {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    pub(super) arguments: String,
}

/// Tells calls, and remembers the one that was broken until it is known why.
#[derive(Debug)]
pub(super) struct ToolCalls {
    /// Makes ids that are not used elsewhere in the conversation.
    seed: u64,
    told: u64,
    broken: Option<Box<str>>,
}

impl ToolCalls {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, told: 0, broken: None }
    }

    /// Whether the model has asked for a call.
    pub(super) fn any(&self) -> bool {
        self.told != 0
    }

    /// The arguments of a call are complete.
    pub(super) fn finish(&mut self, parts: ToolCallParts, events: &mut Vec<ModelEvent>) {
        let ToolCallParts { id, name, arguments } = parts;
        match ToolInput::parse(&mend(&arguments)) {
            Some(input) if !name.is_empty() => self.tell(id, name, input, events),
            _ => self.broken = Some(name),
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

    /// The answer has ended for this reason: a broken call is excused by no other than its length.
    pub(super) fn settle(&self, stop: &StopReason) -> Result<(), StreamFault> {
        match &self.broken {
            Some(name) if *stop != StopReason::Length => Err(StreamFault::garbled(format!(
                "the arguments of a call of `{name}` are not a JSON object"
            ))),
            _ => Ok(()),
        }
    }
}
