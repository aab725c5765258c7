//! A paused chat: tools have questions for the caller, and the call ends with them.
//!
//! The chat's state travels sealed with the questions and comes back with the answers; the
//! conversation is in the tree. Hobnob holds nothing meanwhile except what the tools keep open.

use hobnob_agent::ChatTotals;
use hobnob_llm::ToolUse;
use hobnob_mcp_engine::{Answers, Held, Questions, Refusable};
use hobnob_mcp_toolbox::ToolError;
use hobnob_mcp_types::input::InputRequests;
use serde::{Deserialize, Serialize};

/// The state with which a chat resumes once its caller has answered.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PausedChat {
    /// The node of the caller's prompt.
    pub(super) question: String,
    /// The last stored node, which must still be the session's head.
    pub(super) head: String,
    /// The node of the turn that made the calls, which prefixes the keys of their questions.
    pub(super) turn: String,
    /// How often the model has been asked.
    pub(super) turns: u32,
    pub(super) totals: ChatTotals,
    /// The waiting calls, as the model made them.
    pub(super) calls: Vec<PausedCall>,
}

/// A call of a tool, which may have been made before and have asked questions.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PausedCall {
    pub(super) call: ToolUse,
    /// The state that the tool wants back with the answers.
    pub(super) state: Option<String>,
}

impl PausedCall {
    /// A call that has not been made yet.
    pub(super) fn first(call: ToolUse) -> Self {
        Self { call, state: None }
    }

    /// The answers that belong to this call.
    pub(super) fn answers(&self, turn: &str, all: &Answers) -> Answers {
        match all.is_empty() {
            true => Answers::default(),
            false => all.below(&prefix(turn, &self.call), self.state.clone()),
        }
    }
}

/// The prefix of the keys of a call's questions.
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
            // If the caller declines a question, the model gets the refusal as its answer.
            refusable: Refusable::Yes,
            held: Held::together(held),
        })),
        Err(error) => error.into(),
    }
}
