//! The agents that Hobnob knows: the descriptions that are part of it.
//!
//! The service looks agents up here, and `hobnob grant agents` does. A description lets nothing run:
//! the program still needs a grant.

use super::description::AgentDescription;
use std::sync::Arc;

/// Every description, in the order in which agents are listed.
const DESCRIPTIONS: [&str; 3] = [
    include_str!("descriptions/claude.json"),
    include_str!("descriptions/codex.json"),
    include_str!("descriptions/gemini.json"),
];

/// The agents by name. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AgentCatalog(Arc<[Arc<AgentDescription>]>);

/// A description that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("the description of an agent cannot be read")]
pub struct BadAgentDescription(#[from] serde_json::Error);

impl AgentCatalog {
    /// The agents that Hobnob brings along.
    pub fn built_in() -> Result<Self, BadAgentDescription> {
        let read = |text: &&str| Ok(Arc::new(serde_json::from_str(text)?));
        let all: Result<Arc<[_]>, serde_json::Error> = DESCRIPTIONS.iter().map(read).collect();
        Ok(Self(all?))
    }

    /// The agent with this name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Arc<AgentDescription>> {
        self.0.iter().find(|agent| agent.name() == name)
    }

    /// The names of all of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|agent| agent.name())
    }
}
