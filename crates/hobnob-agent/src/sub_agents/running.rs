//! Runs one sub-agent from its task to its answer, on a branch of its parent's tree: with those of the
//! parent's tools that its patterns allow, and with its events shown in the parent's view.

use crate::agent::{Agent, AgentParts};
use crate::agent_event::{AgentEvent, AgentView};
use crate::agent_tools::{AgentTools, CallScope, ToolReport};
use crate::conversation::{Conversation, ConversationError};
use crate::effective_call::EffectiveCall;
use crate::model_names::model_tool_name;
use crate::turn::TurnEnd;
use futures_util::future::BoxFuture;
use hobnob_llm::ModelTool;
use serde_json::json;
use std::sync::Arc;

const ROLE: &str = "You are a sub-agent: another assistant has handed you a task. Nobody answers \
                    questions. Do the task with the tools you have, and end with a complete report, \
                    which is all that the other assistant gets.";

/// A task, and everything that is needed to do it.
pub(super) struct SubAgent {
    pub(super) task: String,
    pub(super) name: String,
    pub(super) tools: Arc<dyn AgentTools>,
    pub(super) patterns: Vec<String>,
    /// A text for its instructions, about where it works.
    pub(super) surroundings: Arc<str>,
    pub(super) parts: AgentParts,
}

/// Runs the task to its end. Dropping the future cancels it and its calls.
pub(super) async fn run_to_end(agent: SubAgent, scope: CallScope) -> ToolReport {
    let name = agent.name.clone();
    let ran = run(agent, scope).await;
    ran.unwrap_or_else(|error| ToolReport::failed(format!("the sub-agent {name} failed: {error}")))
}

async fn run(agent: SubAgent, scope: CallScope) -> Result<ToolReport, ConversationError> {
    let SubAgent { task, name, tools, patterns, surroundings, parts } = agent;
    let system = format!("{ROLE}\n\n{surroundings}");
    let metadata = json!({ "agent": name }).to_string();
    let conversation = Conversation::branch(&scope.branch, system, metadata).await?;
    let tools = Arc::new(FilteredTools { tools, patterns });
    let mut agent = Agent::new(conversation, tools, parts);
    let view: Arc<dyn AgentView> =
        Arc::new(ParentView { name: name.clone(), scope: scope.clone() });
    let report = agent.turn(task, &view, &scope.cancel).await?;
    Ok(match report.end {
        TurnEnd::Complete => ToolReport::done(report.text),
        TurnEnd::Interrupted => ToolReport::failed("the sub-agent was interrupted by the person"),
        TurnEnd::Failed(why) => ToolReport::failed(format!("the sub-agent {name} failed: {why}")),
        TurnEnd::Limit(limit) => ToolReport::failed(format!(
            "the sub-agent {name} stopped: {limit}; what it said last: {}",
            report.text
        )),
    })
}

/// Those of the parent's tools that match the patterns.
struct FilteredTools {
    tools: Arc<dyn AgentTools>,
    patterns: Vec<String>,
}

impl FilteredTools {
    /// Whether a tool with this name in the hub's lists may be used. Patterns match its name for a model, but
    /// without a number behind it: whether another tool has that name, too, decides nothing.
    fn allow(&self, listed: &str) -> bool {
        let name = model_tool_name(listed, |_| false);
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *pattern,
        };
        self.patterns.is_empty() || self.patterns.iter().any(fits)
    }
}

impl AgentTools for FilteredTools {
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>> {
        Box::pin(async {
            let mut offered = self.tools.offered().await;
            offered.retain(|tool| self.allow(&self.tools.listed_name(tool.name())));
            offered
        })
    }

    fn listed_name(&self, name: &str) -> Box<str> {
        self.tools.listed_name(name)
    }

    fn call<'a>(&'a self, call: &'a EffectiveCall, scope: CallScope) -> BoxFuture<'a, ToolReport> {
        Box::pin(async move {
            match self.allow(call.tool()) {
                true => self.tools.call(call, scope).await,
                false => ToolReport::failed(format!(
                    "`{}` is not among the tools of this sub-agent",
                    call.tool()
                )),
            }
        })
    }
}

/// Passes the events of the sub-agent on to the parent's view.
struct ParentView {
    name: String,
    scope: CallScope,
}

impl AgentView for ParentView {
    fn show(&self, event: &AgentEvent) {
        let (agent, event) = (self.name.clone(), Box::new(event.clone()));
        self.scope.view.show(&AgentEvent::OfAgent { agent, event });
    }

    fn agent(&self) -> Option<&str> {
        Some(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tools whose names are the same once a model can use them.
    struct EqualNames;

    impl AgentTools for EqualNames {
        fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>> {
            let tool = |name| ModelTool::new(name, "", r#"{"type":"object"}"#).unwrap();
            Box::pin(async move { vec![tool("a_b"), tool("a_b_2")] })
        }

        fn listed_name(&self, name: &str) -> Box<str> {
            if name == "a_b_2" { "a.b".into() } else { name.into() }
        }

        fn call<'a>(&'a self, _: &'a EffectiveCall, _: CallScope) -> BoxFuture<'a, ToolReport> {
            Box::pin(async { ToolReport::done("done") })
        }
    }

    /// Otherwise a sub-agent would be offered a tool that it may not call.
    #[tokio::test]
    async fn patterns_choose_the_same_tools_for_the_list_and_for_calls() {
        for (pattern, offered) in [("a_b", 2), ("a_*", 2), ("a_b_2", 0)] {
            let patterns = vec![pattern.to_owned()];
            let tools = FilteredTools { tools: Arc::new(EqualNames), patterns };
            assert_eq!(tools.offered().await.len(), offered, "{pattern}");
            assert_eq!(tools.allow("a.b"), offered > 0, "{pattern}");
        }
    }
}
