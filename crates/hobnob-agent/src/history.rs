//! Converts the path to a node of a tree into a history for the model or into plain text.
//!
//! Other programs may have stored the nodes, so every role and kind has a place. What must stay
//! true: consecutive turns of one side become one turn, and every tool call has a result, because
//! providers refuse anything else.

use crate::stored_turns::ToolTurn;
use hobnob_llm::{ModelBlock, ModelMessage, ModelRole, ToolOutcome, ToolResultBlock};
use hobnob_store::trees::{NodeContent, TreeNode};

/// The role of a node that replaces everything before it.
pub const SUMMARY_ROLE: &str = "summary";
/// The result that the model sees for a call whose own result was never stored.
const INTERRUPTED: &str = "interrupted: the call has no result; it may or may not have been made";

/// A conversation as a request to a model contains it.
#[derive(Debug, PartialEq, Eq)]
pub struct ChatHistory {
    /// The texts of all nodes with the role `system`.
    pub system: Option<String>,
    /// The turns, oldest first; no two of the same side follow each other.
    pub turns: Vec<ModelMessage>,
}

/// How earlier tool calls appear in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastCalls {
    /// As calls and results.
    Calls,
    /// As text: providers refuse calls without tools, and prompts cannot contain calls.
    Text,
}

/// The content of a node, and the side of the chat that it belongs to.
enum Side {
    System(String),
    /// A summary, which replaces everything before it.
    Summary(String),
    Text(ModelRole, String),
    /// The model's turn with calls of tools.
    Calls(Vec<ModelBlock>),
    Result(ToolResultBlock),
    Silent,
}

fn side(node: &TreeNode, past: PastCalls) -> Side {
    match (past, ToolTurn::of(node)) {
        (PastCalls::Calls, Some(ToolTurn::Calls(blocks))) => return Side::Calls(blocks),
        (PastCalls::Calls, Some(ToolTurn::Result { block, .. })) => return Side::Result(block),
        (PastCalls::Text, Some(ToolTurn::Calls(blocks))) => {
            return Side::Text(ModelRole::Assistant, calls_as_text(&blocks));
        }
        (PastCalls::Text, Some(ToolTurn::Result { tool, block })) => {
            return Side::Text(ModelRole::User, format!("[Result of {tool}] {}", block.text));
        }
        (_, None) => {}
    }
    match &node.content {
        NodeContent::Text { text, .. } if text.is_empty() => Side::Silent,
        NodeContent::Text { role, text } => match role.as_str() {
            "system" => Side::System(text.clone()),
            SUMMARY_ROLE => Side::Summary(text.clone()),
            "assistant" => Side::Text(ModelRole::Assistant, text.clone()),
            "user" => Side::Text(ModelRole::User, text.clone()),
            // Any other role is not the model, so its words belong to the user's side.
            other => Side::Text(ModelRole::User, format!("{other}: {text}")),
        },
        NodeContent::External(handle) => {
            let text = format!("[{}: {}]", handle.source, handle.identifier);
            Side::Text(ModelRole::User, text)
        }
    }
}

fn calls_as_text(blocks: &[ModelBlock]) -> String {
    let lines = blocks.iter().filter_map(|block| match block {
        ModelBlock::Text(text) => Some(text.clone()),
        ModelBlock::ToolUse(call) => Some(format!("[Tool: {}] {}", call.name, call.input.as_str())),
        ModelBlock::Image(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_) => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text that shows a summary to the model.
fn summary_for_model(summary: &str) -> String {
    format!("[What was said until here, in short]\n{summary}")
}

/// Assembles the turns of a history.
#[derive(Default)]
struct Turns {
    done: Vec<ModelMessage>,
    /// Calls of the last turn that have no result yet.
    open: Vec<Box<str>>,
    /// All calls of the last turn, as the model made them.
    order: Vec<Box<str>>,
}

impl Turns {
    fn push(&mut self, role: ModelRole, block: ModelBlock) {
        match self.done.last_mut() {
            Some(last) if last.role == role => last.blocks.push(block),
            _ => self.done.push(ModelMessage { role, blocks: vec![block] }),
        }
    }

    /// Ends the results of the last turn. Adds a result to every call that has none, and sorts the
    /// results by their calls: they are stored in the order of their arrival, but some providers
    /// match them with the calls by position.
    fn close(&mut self) {
        for id in std::mem::take(&mut self.open) {
            let (text, images) = (INTERRUPTED.to_owned(), Vec::new());
            let result = ToolResultBlock { id, text, images, outcome: ToolOutcome::Failed };
            self.push(ModelRole::User, ModelBlock::ToolResult(result));
        }
        let order = std::mem::take(&mut self.order);
        if let Some(last) = self.done.last_mut().filter(|_| !order.is_empty()) {
            last.blocks.sort_by_key(|block| match block {
                ModelBlock::ToolResult(result) => order.iter().position(|id| *id == result.id),
                _ => None,
            });
        }
    }

    fn calls(&mut self, blocks: Vec<ModelBlock>) {
        self.close();
        for block in blocks {
            if let ModelBlock::ToolUse(call) = &block {
                self.open.push(call.id.clone());
                self.order.push(call.id.clone());
            }
            self.push(ModelRole::Assistant, block);
        }
    }

    fn result(&mut self, result: ToolResultBlock) {
        match self.open.iter().position(|id| *id == result.id) {
            Some(at) => {
                self.open.remove(at);
                self.push(ModelRole::User, ModelBlock::ToolResult(result));
            }
            // A result without its call, such as one after a head that was moved.
            None => self.text(ModelRole::User, format!("tool: {}", result.text)),
        }
    }

    fn text(&mut self, role: ModelRole, text: String) {
        self.close();
        self.push(role, ModelBlock::Text(text));
    }
}

/// Converts a path into the history of a request.
pub fn for_model(path: &[TreeNode], past: PastCalls) -> ChatHistory {
    let mut system: Vec<String> = Vec::new();
    let mut turns = Turns::default();
    for node in path {
        match side(node, past) {
            Side::Silent => {}
            Side::System(text) => system.push(text),
            Side::Summary(text) => {
                turns = Turns::default();
                turns.text(ModelRole::User, summary_for_model(&text));
            }
            Side::Text(role, text) => turns.text(role, text),
            Side::Calls(blocks) => turns.calls(blocks),
            Side::Result(result) => turns.result(result),
        }
    }
    turns.close();
    let system = Some(system.join("\n\n")).filter(|text| !text.is_empty());
    ChatHistory { system, turns: turns.done }
}

/// Who said something in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The instructions of the chat.
    System,
    /// A summary, which replaces what was said before it.
    Summary,
    /// The person, or a program in their place.
    Person,
    /// The model, in words.
    Assistant,
    /// The model, in a turn that requests tool calls.
    Caller,
    /// The result of a call.
    Tool,
}

/// Converts a path into plain texts, each with its speaker.
pub fn said_by(path: &[TreeNode]) -> Vec<(Speaker, String)> {
    let said = |node: &TreeNode| match side(node, PastCalls::Text) {
        Side::Silent | Side::Calls(_) | Side::Result(_) => None,
        Side::System(text) => Some((Speaker::System, text)),
        Side::Summary(text) => Some((Speaker::Summary, text)),
        Side::Text(ModelRole::Assistant, text) => Some(match ToolTurn::of(node) {
            Some(ToolTurn::Calls(_)) => (Speaker::Caller, text),
            _ => (Speaker::Assistant, text),
        }),
        Side::Text(ModelRole::User, text) => Some(match ToolTurn::of(node) {
            Some(ToolTurn::Result { .. }) => (Speaker::Tool, text),
            _ => (Speaker::Person, text),
        }),
    };
    path.iter().filter_map(said).collect()
}

/// Converts a path into texts for prompts, where system texts belong to the user's side.
pub fn as_texts(path: &[TreeNode]) -> Vec<(ModelRole, String)> {
    let said = said_by(path).into_iter().map(|(speaker, text)| match speaker {
        Speaker::Assistant | Speaker::Caller => (ModelRole::Assistant, text),
        Speaker::Summary => (ModelRole::User, summary_for_model(&text)),
        Speaker::System | Speaker::Person | Speaker::Tool => (ModelRole::User, text),
    });
    said.collect()
}

#[cfg(test)]
mod tests;
