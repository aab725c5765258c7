//! The events of a turn, and the trait of the views that receive them.
//!
//! Terminals draw them, one-shot commands print JSON, a sub-agent's go to its parent's view.

use crate::turn::TurnEnd;
use hobnob_llm::{ModelCost, TokenUsage, ToolOutcome, ToolUse};
use std::time::Duration;

/// One event of a turn.
#[derive(Debug, Clone)]
pub enum AgentEvent {
    /// The agent sends a request to the model.
    Asked,
    /// The provider could not answer for now, and the request will be repeated.
    Retrying {
        /// Why the provider could not answer.
        why: String,
        /// The delay before the next attempt.
        wait: Duration,
    },
    /// The next piece of what the model says.
    Text(String),
    /// The next piece of the model's thinking, as far as it may be shown.
    Thinking(String),
    /// An answer is complete.
    Answered {
        /// The tokens used, as far as the provider counts them.
        usage: Option<TokenUsage>,
        /// What it costs, if the prices are known.
        cost: Option<ModelCost>,
    },
    /// A call begins; a person may still be asked about it. It names the tool that runs, even if
    /// the model goes through `call_tool`.
    CallStarted(ToolUse),
    /// A call has a result.
    CallEnded {
        /// The call, as in `CallStarted`.
        call: ToolUse,
        /// The result for the model.
        text: String,
        /// Whether the call succeeded.
        outcome: ToolOutcome,
        /// How long it took.
        took: Duration,
    },
    /// A call reports its progress.
    CallProgress {
        /// The id of the call.
        id: Box<str>,
        /// The amount done so far.
        progress: f64,
        /// What `progress` will be at the end, if that is known.
        total: Option<f64>,
        /// A message from the server.
        message: Option<String>,
    },
    /// A server logged something while calls ran.
    Logged {
        /// The severity, as a word.
        level: Box<str>,
        /// The part of the server that logged the message.
        logger: Option<String>,
        /// The message from the server. It is not sanitised.
        text: String,
    },
    /// A server has used the model during a call.
    Sampled {
        /// Which server used the model, in words.
        by: String,
        /// The tokens used, as far as the provider counts them.
        usage: Option<TokenUsage>,
        /// What it costs, if the prices are known.
        cost: Option<ModelCost>,
    },
    /// The model gets this text with the question: what changed, or what is remembered.
    ContextAdded(String),
    /// This summary has replaced old turns.
    Summarised(String),
    /// No summary could replace old turns, for this reason.
    NotSummarised(String),
    /// The turn is over.
    TurnEnded(TurnEnd),
    /// Something happened in a sub-agent.
    OfAgent {
        /// The name of the sub-agent.
        agent: String,
        /// What happened in it.
        event: Box<Self>,
    },
}

/// A view of a turn, which receives its events. It must not block for long: the turn waits for it.
pub trait AgentView: Send + Sync {
    /// Shows an event. The events arrive in the order in which they happen.
    fn show(&self, event: &AgentEvent);

    /// The name of the sub-agent that the view shows; `None` for the conversation itself.
    fn agent(&self) -> Option<&str> {
        None
    }
}
