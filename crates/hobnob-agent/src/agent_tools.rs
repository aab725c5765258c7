//! The tools of an agent: what its model is offered, and who carries out the calls.
//!
//! The terminal implements it over a hub, sub-agents over the tools of their parent. Permissions are
//! decided behind it: what is refused comes back as a result like any other.

use crate::agent_event::AgentView;
use crate::conversation::BranchPoint;
use crate::effective_call::EffectiveCall;
use futures_util::future::BoxFuture;
use hobnob_llm::{ModelImage, ModelTool, ToolOutcome};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolReport {
    /// What the model is told.
    pub text: String,
    /// Whether the call did what it should.
    pub outcome: ToolOutcome,
    /// Pictures among the result, for models that take them.
    pub images: Vec<ModelImage>,
    /// How much of the call's time a person took to answer questions.
    pub asked: Duration,
}

impl ToolReport {
    /// The text is the result.
    pub fn done(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            outcome: ToolOutcome::Done,
            images: Vec::new(),
            asked: Duration::ZERO,
        }
    }

    /// The text says why there is no result.
    pub fn failed(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            outcome: ToolOutcome::Failed,
            images: Vec::new(),
            asked: Duration::ZERO,
        }
    }
}

/// In what a call is made.
#[derive(Clone)]
pub struct CallScope {
    /// Where a sub-agent's turns belong.
    pub branch: BranchPoint,
    /// Who watches the turn.
    pub view: Arc<dyn AgentView>,
    /// Cancelled when the turn is.
    pub cancel: CancellationToken,
}

/// What a model can have called.
pub trait AgentTools: Send + Sync {
    /// What the model is offered now; asked for before each request.
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>>;

    /// The hub's name for a tool that the model names; the same unless a model could not take it.
    fn listed_name(&self, name: &str) -> Box<str> {
        name.into()
    }

    /// Makes a call. Dropping the future cancels it.
    fn call<'a>(&'a self, call: &'a EffectiveCall, scope: CallScope) -> BoxFuture<'a, ToolReport>;
}
