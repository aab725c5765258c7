//! The tools that control sub-agents: their definitions, and their arguments from the model.

use hobnob_llm::ModelTool;
use serde::Deserialize;
use serde_json::{Value, json};

/// The tool that starts a sub-agent.
pub(super) const START: &str = "agent";
/// The tool that lists the sub-agents in the background.
pub(super) const LIST: &str = "agent_list";
/// The tool that reads the state or the answer of one of them.
pub(super) const READ: &str = "agent_read";
/// The tool that stops one of them.
pub(super) const STOP: &str = "agent_stop";

/// The most characters of a sub-agent's name.
const MAX_NAME_CHARS: usize = 40;

/// The arguments of the tool `agent`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartArguments {
    pub(super) task: String,
    #[serde(default)]
    pub(super) name: String,
    /// Which of the parent's tools the sub-agent has, by name or by prefix with `*` at the end. An
    /// empty list means all of them.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    #[serde(default)]
    pub(super) background: bool,
}

impl StartArguments {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut read: Self = parse(text)?;
        if read.task.trim().is_empty() {
            return Err("task: it is empty".into());
        }
        read.name = read.name.chars().filter(|it| !it.is_control()).take(MAX_NAME_CHARS).collect();
        if read.name.trim().is_empty() {
            read.name = "agent".into();
        }
        Ok(read)
    }
}

/// The arguments of the tools `agent_read` and `agent_stop`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WhichAgent {
    pub(super) id: String,
}

impl WhichAgent {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        parse(text)
    }
}

fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("arguments: {error}"))
}

/// The definitions that a model is offered.
pub(super) fn definitions() -> impl Iterator<Item = ModelTool> {
    let one = json!({
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The id that `agent` gave"}},
        "required": ["id"],
        "additionalProperties": false,
    });
    let tools = [
        (
            START,
            "Hand a task to a sub-agent with a fresh context. It sees nothing of this conversation, so \
             say everything it needs. Its final answer is the result. Several can run at once",
            start_schema(),
        ),
        (LIST, "List the sub-agents in the background", json!({"type": "object"})),
        (READ, "Read how far a sub-agent in the background is, and its answer", one.clone()),
        (STOP, "Stop a sub-agent in the background", one),
    ];
    tools.into_iter().filter_map(|(name, description, schema)| {
        ModelTool::new(name, description, &schema.to_string()).ok()
    })
}

fn start_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "task": {"type": "string", "description": "What to do, and what to report"},
            "name": {"type": "string", "description": "A short name for it"},
            "tools": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Which of your tools it has, by name, or by a beginning and `*`; \
                                all of them if left out",
            },
            "background": {
                "type": "boolean",
                "description": "Return at once with an id, and read the answer later",
            },
        },
        "required": ["task"],
        "additionalProperties": false,
    })
}
