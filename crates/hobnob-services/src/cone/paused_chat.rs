//! A chat that waits for a person: tools have asked something, and the call ends with their questions.
//!
//! What is known of the chat travels with the questions, sealed, and comes back with the answers; what
//! was said is in the tree. Nothing is held meanwhile but what the tools themselves keep open.

use hobnob_agent::ChatTotals;
use hobnob_llm::ToolUse;
use hobnob_mcp_engine::{Answers, Held, Questions, Refusable};
use hobnob_mcp_toolbox::ToolError;
use hobnob_mcp_types::input::InputRequests;
use serde::{Deserialize, Serialize};

/// Where a chat goes on once its caller has answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PausedChat {
    /// The node of the caller's prompt.
    pub(super) question: String,
    /// The last node that was stored, which must still be the session's head.
    pub(super) head: String,
    /// The node of the turn that has the calls; answers are told apart by it.
    pub(super) turn: String,
    /// How often the model was asked.
    pub(super) turns: u32,
    pub(super) totals: ChatTotals,
    /// The calls that wait, as the model made them.
    pub(super) calls: Vec<PausedCall>,
}

/// A call that may have been made before, and has asked something then.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PausedCall {
    pub(super) call: ToolUse,
    /// What it wants back with the answers.
    pub(super) state: Option<String>,
}

impl PausedCall {
    /// A call that was not made yet.
    pub(super) fn first(call: ToolUse) -> Self {
        Self { call, state: None }
    }

    /// Those of the answers that are for this call.
    pub(super) fn answers(&self, turn: &str, all: &Answers) -> Answers {
        match all.is_empty() {
            true => Answers::default(),
            false => all.below(&prefix(turn, &self.call), self.state.clone()),
        }
    }
}

/// What the keys of a call's questions begin with.
fn prefix(turn: &str, call: &ToolUse) -> String {
    format!("{turn}/{}/", call.id)
}

/// Ends the run of a chat with the questions of its calls.
pub(super) fn ask(mut paused: PausedChat, asked: Vec<(ToolUse, Questions)>) -> ToolError {
    let (mut requests, mut held) = (InputRequests::new(), Vec::new());
    for (call, questions) in asked {
        let prefix = prefix(&paused.turn, &call);
        for (key, request) in questions.requests.0 {
            requests.0.insert(format!("{prefix}{key}"), request);
        }
        held.extend(questions.held);
        paused.calls.push(PausedCall { call, state: questions.state });
    }
    match serde_json::to_string(&paused) {
        Ok(state) => ToolError::Questions(Box::new(Questions {
            requests,
            state: Some(state),
            // A question that stays without an answer is an answer to the model.
            refusable: Refusable::Yes,
            held: Held::together(held),
        })),
        Err(error) => error.into(),
    }
}
