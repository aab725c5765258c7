//! Sub-agents as tools: an agent hands a task to another one, which has its own context and the
//! same tools, or fewer.
//!
//! [`SubAgents`] wraps the tools of the parent. What must stay true: a sub-agent has no tool that
//! its parent lacks, starts no other sub-agents, adds its usage to its parent's totals, and ends
//! with the parent's turn. A sub-agent in the background ends with [`SubAgents`] instead.

mod arguments;
mod background;
mod running;

use crate::agent::AgentParts;
use crate::agent_tools::{AgentTools, CallScope, ToolReport};
use crate::effective_call::EffectiveCall;
use arguments::{LIST, READ, START, STOP, StartArguments, WhichAgent};
use background::BackgroundAgents;
use futures_util::future::BoxFuture;
use hobnob_llm::{ModelTool, ResolvedModel};
use parking_lot::Mutex;
use running::{SubAgent, run_to_end};
use std::sync::Arc;

/// The tools of a parent, and the tools that start and control sub-agents.
pub struct SubAgents {
    tools: Arc<dyn AgentTools>,
    surroundings: Arc<str>,
    parts: Mutex<AgentParts>,
    background: BackgroundAgents,
}

impl SubAgents {
    /// Wraps the tools of the parent, which sub-agents may use too. Their instructions contain the
    /// text about their surroundings.
    pub fn new(tools: Arc<dyn AgentTools>, parts: AgentParts, surroundings: &str) -> Self {
        let (surroundings, parts) = (surroundings.into(), Mutex::new(parts));
        Self { tools, surroundings, parts, background: BackgroundAgents::default() }
    }

    /// Lets another model answer in sub-agents that start from now on.
    pub fn set_model(&self, model: ResolvedModel) {
        self.parts.lock().model = model;
    }

    /// How many sub-agents run in the background.
    pub fn running(&self) -> usize {
        self.background.running()
    }

    /// Cancels the sub-agents in the background, and waits until they have ended.
    pub async fn shut_down(&self) {
        self.background.shut_down().await;
    }

    async fn start(&self, call: &EffectiveCall, scope: CallScope) -> ToolReport {
        let arguments = match StartArguments::read(call.arguments()) {
            Ok(arguments) => arguments,
            Err(why) => return ToolReport::failed(why),
        };
        let in_background = arguments.background;
        let agent = SubAgent {
            task: arguments.task,
            name: arguments.name,
            tools: Arc::clone(&self.tools),
            patterns: arguments.tools,
            surroundings: Arc::clone(&self.surroundings),
            parts: self.parts.lock().clone(),
        };
        match in_background {
            false => run_to_end(agent, scope).await,
            true => self.background.start(agent, scope),
        }
    }

    fn with_one(
        &self,
        call: &EffectiveCall,
        with: impl FnOnce(&BackgroundAgents, &str) -> ToolReport,
    ) -> ToolReport {
        match WhichAgent::read(call.arguments()) {
            Ok(WhichAgent { id }) => with(&self.background, &id),
            Err(why) => ToolReport::failed(why),
        }
    }
}

impl AgentTools for SubAgents {
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>> {
        Box::pin(async {
            let mut offered = self.tools.offered().await;
            offered.extend(arguments::definitions());
            offered
        })
    }

    fn listed_name(&self, name: &str) -> Box<str> {
        self.tools.listed_name(name)
    }

    fn call<'a>(&'a self, call: &'a EffectiveCall, scope: CallScope) -> BoxFuture<'a, ToolReport> {
        Box::pin(async move {
            match call.tool() {
                START => self.start(call, scope).await,
                LIST => ToolReport::done(self.background.list()),
                READ => self.with_one(call, BackgroundAgents::read),
                STOP => self.with_one(call, BackgroundAgents::stop),
                _ => self.tools.call(call, scope).await,
            }
        })
    }
}
