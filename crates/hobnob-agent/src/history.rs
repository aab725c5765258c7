//! What was said in a session, from the root of its tree to a node: for the model, and as plain text.
//!
//! Nodes may come from elsewhere, so every role and kind has a place. What must stay true: two
//! turns of one side become one, and every call of a tool has a result, because providers refuse
//! anything else.

use crate::stored_turns::ToolTurn;
use hobnob_llm::{ModelBlock, ModelMessage, ModelRole, ToolOutcome, ToolResultBlock};
use hobnob_store::trees::{NodeContent, TreeNode};

/// The role of a node that stands for everything before it.
pub const SUMMARY_ROLE: &str = "summary";
/// What the model is told of a call whose result was never stored.
const INTERRUPTED: &str = "interrupted: the call has no result; it may or may not have been made";

/// A conversation as a model is asked about it.
#[derive(Debug, PartialEq, Eq)]
pub struct ChatHistory {
    /// Everything that was said as `system`.
    pub system: Option<String>,
    /// The turns, oldest first; no two of the same side follow each other.
    pub turns: Vec<ModelMessage>,
}

/// How calls of tools that were made before appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastCalls {
    /// As calls and results.
    Calls,
    /// As text: providers take no calls where no tools are offered, and prompts know none.
    Text,
}

/// Whose words a node has, as the sides of a chat go.
enum Side {
    System(String),
    /// What was said until here, in short: it stands for all of it.
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
            // Somebody else's words, which are not the model's own.
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

/// A summary in the place of what it stands for.
fn summary_for_model(summary: &str) -> String {
    format!("[What was said until here, in short]\n{summary}")
}

/// Turns in the making.
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

    /// Answers every call that has no result: something else was said since, or nothing. Results are
    /// stored as they come and told in the order of the calls: some providers know no other way to
    /// tell which is which.
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
            // A result without its call, such as one behind a head that was set.
            None => self.text(ModelRole::User, format!("tool: {}", result.text)),
        }
    }

    fn text(&mut self, role: ModelRole, text: String) {
        self.close();
        self.push(role, ModelBlock::Text(text));
    }
}

/// A path as a model is asked about it.
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
    /// A summary, in the place of what it stands for.
    Summary,
    /// The person, or a program in their place.
    Person,
    /// The model.
    Assistant,
    /// The model, which asks for calls of tools.
    Caller,
    /// The result of a call.
    Tool,
}

/// A path as what was said, in plain text, and by whom.
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

/// A path as what was said, for prompts: they know no system text, so that is the user's too.
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
