//! The agent descriptions that are built into Hobnob.
//!
//! The service and `hobnob grant claudecode` look agents up here. A description alone lets nothing run:
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

/// An agent description that is not valid JSON of the expected shape.
#[derive(Debug, thiserror::Error)]
#[error("the description of an agent cannot be read")]
pub struct BadAgentDescription(#[from] serde_json::Error);

impl AgentCatalog {
    /// The agents that are built into Hobnob.
    pub fn built_in() -> Result<Self, BadAgentDescription> {
        let read = |text: &&str| Ok(Arc::new(serde_json::from_str(text)?));
        let all: Result<Arc<[_]>, serde_json::Error> = DESCRIPTIONS.iter().map(read).collect();
        Ok(Self(all?))
    }

    /// The agent with this name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Arc<AgentDescription>> {
        self.0.iter().find(|agent| agent.name() == name)
    }

    /// The names of all agents, in the order in which they are listed.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|agent| agent.name())
    }
}
