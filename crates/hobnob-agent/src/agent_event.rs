//! What happens in a turn, as whoever watches is told it.
//!
//! Terminals draw it, one-shot commands print it as JSON, a sub-agent's goes to the view of its parent.

use crate::turn::TurnEnd;
use hobnob_llm::{ModelCost, TokenUsage, ToolOutcome, ToolUse};
use std::time::Duration;

/// Something that happened in a turn.
#[derive(Debug, Clone)]
pub enum AgentEvent {
    /// The model is asked.
    Asked,
    /// The provider could not answer for now, and is asked again.
    Retrying {
        /// Why it could not.
        why: String,
        /// How long it takes until it is asked.
        wait: Duration,
    },
    /// The next piece of what the model says.
    Text(String),
    /// The next piece of what may be shown of its thinking.
    Thinking(String),
    /// An answer is complete.
    Answered {
        /// What it took, as far as the provider counts.
        usage: Option<TokenUsage>,
        /// What it costs, if the prices are known.
        cost: Option<ModelCost>,
    },
    /// A call begins; a person may still be asked about it. It is of the tool that runs, also where the
    /// model goes through `call_tool`.
    CallStarted(ToolUse),
    /// A call has a result.
    CallEnded {
        /// The call, as it began.
        call: ToolUse,
        /// What the model is told.
        text: String,
        /// Whether it did what it should.
        outcome: ToolOutcome,
        /// How long it took.
        took: Duration,
    },
    /// A call says how far it is.
    CallProgress {
        /// The id of the call.
        id: Box<str>,
        /// The amount done so far.
        progress: f64,
        /// What `progress` will be at the end, if that is known.
        total: Option<f64>,
        /// A text of the server.
        message: Option<String>,
    },
    /// A server logged something while calls ran.
    Logged {
        /// How severe it is, as a word.
        level: Box<str>,
        /// The part of the server that speaks.
        logger: Option<String>,
        /// What the server says, not made safe.
        text: String,
    },
    /// A server has used the model during a call.
    Sampled {
        /// Who has, in words.
        by: String,
        /// What it took, as far as the provider counts.
        usage: Option<TokenUsage>,
        /// What it costs, if the prices are known.
        cost: Option<ModelCost>,
    },
    /// The model is told this with the question: what changed, what is remembered.
    ContextAdded(String),
    /// Old turns were replaced by this summary.
    Summarised(String),
    /// Old turns were to be replaced by a summary, and were not, for this reason.
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

/// Somebody who watches. It must not block for long: the turn waits for it.
pub trait AgentView: Send + Sync {
    /// Takes note of an event, in the order in which they happen.
    fn show(&self, event: &AgentEvent);

    /// The name of the sub-agent that is watched; none for the conversation itself.
    fn agent(&self) -> Option<&str> {
        None
    }
}
