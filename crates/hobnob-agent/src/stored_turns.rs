//! Converts tool calls and their results into nodes of a tree, and back.
//!
//! A model's turn with calls is a node with the role `assistant`, whose metadata has the turn's
//! blocks; a result is a node with the role `tool`, whose metadata names the call. What must stay
//! true: fields may be added but never change their meaning, and no stored call is ever made again.

use crate::answer::{ModelAnswer, stop_word};
use hobnob_llm::{ModelBlock, ToolInput, ToolOutcome, ToolResultBlock, ToolUse};
use hobnob_secrets::Scanner;
use hobnob_store::trees::{NewNode, NodeContent, TreeNode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The role of a node with the result of a tool.
pub const TOOL_ROLE: &str = "tool";

/// A node of a turn with tool calls.
#[derive(Debug, PartialEq, Eq)]
pub enum ToolTurn {
    /// The model's turn: text, thinking and at least one call.
    Calls(Vec<ModelBlock>),
    /// The result of one call.
    Result {
        /// The tool's name, as the writer of the node gave it.
        tool: String,
        /// The result for the model.
        block: ToolResultBlock,
    },
}

#[derive(Deserialize)]
struct CallsMetadata {
    blocks: Vec<ModelBlock>,
}

#[derive(Serialize, Deserialize)]
struct ResultMetadata {
    tool: String,
    tool_use_id: Box<str>,
    outcome: ToolOutcome,
}

impl ToolTurn {
    /// Reads a node; `None` if it has no calls and is not a result.
    pub fn of(node: &TreeNode) -> Option<Self> {
        let (NodeContent::Text { role, text }, Some(metadata)) = (&node.content, &node.metadata)
        else {
            return None;
        };
        match role.as_str() {
            "assistant" => {
                let CallsMetadata { blocks } = serde_json::from_str(metadata).ok()?;
                let calls = blocks.iter().any(|block| matches!(block, ModelBlock::ToolUse(_)));
                calls.then_some(Self::Calls(blocks))
            }
            TOOL_ROLE => {
                let ResultMetadata { tool, tool_use_id, outcome } =
                    serde_json::from_str(metadata).ok()?;
                let (id, text, images) = (tool_use_id, text.clone(), Vec::new());
                Some(Self::Result { tool, block: ToolResultBlock { id, text, images, outcome } })
            }
            _ => None,
        }
    }
}

/// A text as it is stored, with credentials masked.
pub fn masked(text: &str, scanner: Option<Scanner>) -> String {
    scanner.map_or_else(|| text.to_owned(), |it| it.redact(text).0)
}

/// The node that stores a result.
pub fn result_node(tool: &str, call: &ToolUse, text: String, outcome: ToolOutcome) -> NewNode {
    let metadata =
        json!(ResultMetadata { tool: tool.to_owned(), tool_use_id: call.id.clone(), outcome });
    let content = NodeContent::Text { role: TOOL_ROLE.into(), text };
    NewNode { content, metadata: Some(metadata.to_string()) }
}

/// The node that stores a complete answer, with credentials masked.
pub fn answer_node(model: &str, answer: &ModelAnswer, scanner: Option<Scanner>) -> NewNode {
    let text = masked(&answer.text, scanner);
    let mut metadata = json!({
        "model": model,
        "stop_reason": stop_word(&answer.completion.stop),
        "usage": answer.completion.usage,
        "cost_usd": answer.completion.cost,
    });
    if !answer.calls().is_empty() {
        metadata["blocks"] = stored_blocks(&answer.blocks, scanner);
    }
    let content = NodeContent::Text { role: "assistant".into(), text };
    NewNode { content, metadata: Some(metadata.to_string()) }
}

/// The node that stores an answer which a person interrupted.
pub fn interrupted_node(text: &str) -> NewNode {
    let text = format!("{text}\n\n[interrupted by the person]");
    let content = NodeContent::Text { role: "assistant".into(), text };
    NewNode { content, metadata: Some(json!({"interrupted": true}).to_string()) }
}

/// The blocks of a turn as metadata, with credentials masked. Thinking stays unchanged, because its
/// provider refuses a changed block.
pub fn stored_blocks(blocks: &[ModelBlock], scanner: Option<Scanner>) -> Value {
    let stored = blocks.iter().map(|block| match block {
        ModelBlock::Text(text) => ModelBlock::Text(masked(text, scanner)),
        ModelBlock::ToolUse(call) => {
            let input = ToolInput::parse(&masked(call.input.as_str(), scanner));
            let input = input.or_else(|| ToolInput::parse("{}"));
            ModelBlock::ToolUse(ToolUse {
                input: input.unwrap_or_else(|| call.input.clone()),
                ..call.clone()
            })
        }
        other @ (ModelBlock::Image(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_)) => {
            other.clone()
        }
    });
    json!(stored.collect::<Vec<_>>())
}
