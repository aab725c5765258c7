//! The interface between an agent and its tools: what its model is offered, and how a call is made.
//!
//! `hobnob-chat` implements it over a hub, sub-agents over the tools of their parent. The
//! implementation checks permissions: a refused call returns a result like any other.

use crate::agent_event::AgentView;
use crate::conversation::BranchPoint;
use crate::effective_call::EffectiveCall;
use futures_util::future::BoxFuture;
use hobnob_llm::{ModelImage, ModelTool, ToolOutcome};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReport {
    /// The text for the model.
    pub text: String,
    /// Whether the call succeeded.
    pub outcome: ToolOutcome,
    /// Pictures in the result, for models that accept them.
    pub images: Vec<ModelImage>,
    /// How much of the call's time a person took to answer questions.
    pub asked: Duration,
}

impl ToolReport {
    /// A successful result with this text.
    pub fn done(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            outcome: ToolOutcome::Done,
            images: Vec::new(),
            asked: Duration::ZERO,
        }
    }

    /// A failure, for the reason in this text.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { outcome: ToolOutcome::Failed, ..Self::done(text) }
    }
}

/// The context of a call.
#[derive(Clone)]
pub struct CallScope {
    /// Where the turns of a sub-agent are stored.
    pub branch: BranchPoint,
    /// The view that shows the turn.
    pub view: Arc<dyn AgentView>,
    /// Cancelled together with the turn.
    pub cancel: CancellationToken,
}

/// The tools that a model can call.
pub trait AgentTools: Send + Sync {
    /// The tools that the model is offered now; the agent asks before each request.
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>>;

    /// The hub's name for a tool. It differs from the model's name if providers do not accept it.
    fn listed_name(&self, name: &str) -> Box<str> {
        name.into()
    }

    /// Makes a call. Dropping the future cancels it.
    fn call<'a>(&'a self, call: &'a EffectiveCall, scope: CallScope) -> BoxFuture<'a, ToolReport>;
}
