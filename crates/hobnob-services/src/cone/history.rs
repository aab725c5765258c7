//! What was said in a session, from the root of its tree to a node: for the model, and as a prompt.
//!
//! Nodes may come from elsewhere, so every role and kind has a place. What must stay true: two
//! turns of one side become one, because providers refuse another order.

use super::service::PresentedChats;
use hobnob_llm::{ModelBlock, ModelMessage, ModelRole};
use hobnob_mcp_server::toolbox::ToolError;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::PromptMessage;
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::ModelSession;
use hobnob_store::trees::{NodeContent, NodeId, NodeRef, TreeAccess, TreeNode, TreeRef};

/// Nodes that are read at once.
const PAGE: usize = 500;
/// Nodes and bytes of a conversation that a model is asked about.
const MAX_NODES: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;

/// A conversation as a model is asked about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChatHistory {
    /// Everything that was said as `system`.
    pub(super) system: Option<String>,
    /// The turns, oldest first; no two of the same side follow each other.
    pub(super) turns: Vec<ModelMessage>,
}

impl PresentedChats {
    /// The nodes from the root of a session's tree to this one.
    pub(super) async fn path(
        &self,
        access: &TreeAccess,
        session: &ModelSession,
        to: &NodeId,
    ) -> Result<Vec<TreeNode>, ToolError> {
        let (tree, to) = (TreeRef::Id(session.tree.clone()), NodeRef::Id(to.clone()));
        let (mut nodes, mut bytes, mut after) = (Vec::new(), 0, None);
        loop {
            let page = PageRequest { after, limit: PAGE };
            let page = self.trees().path(access.clone(), tree.clone(), to.clone(), page).await;
            let page = page.map_err(|error| self.tree_refused(error))?;
            bytes += page.items.iter().map(|node| size(&node.content)).sum::<usize>();
            nodes.extend(page.items);
            if MAX_NODES < nodes.len() || MAX_BYTES < bytes {
                let message = format!(
                    "the conversation has more than {MAX_NODES} nodes or {MAX_BYTES} bytes: go \
                     back with set_head, or create another session"
                );
                return Err(self.invalid(message));
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(nodes),
            }
        }
    }
}

fn size(content: &NodeContent) -> usize {
    match content {
        NodeContent::Text { text, .. } => text.len(),
        NodeContent::External(handle) => handle.identifier.len(),
    }
}

/// Whose words a node has, as the sides of a chat go.
enum Side<'a> {
    System(&'a str),
    Turn(ModelRole, String),
    Silent,
}

fn side(content: &NodeContent) -> Side<'_> {
    match content {
        NodeContent::Text { text, .. } if text.is_empty() => Side::Silent,
        NodeContent::Text { role, text } => match role.as_str() {
            "system" => Side::System(text),
            "assistant" => Side::Turn(ModelRole::Assistant, text.clone()),
            "user" => Side::Turn(ModelRole::User, text.clone()),
            // Somebody else's words, which are not the model's own.
            other => Side::Turn(ModelRole::User, format!("{other}: {text}")),
        },
        NodeContent::External(handle) => {
            let text = format!("[{}: {}]", handle.source, handle.identifier);
            Side::Turn(ModelRole::User, text)
        }
    }
}

/// A path as a model is asked about it.
pub(super) fn for_model(path: &[TreeNode]) -> ChatHistory {
    let mut system: Vec<&str> = Vec::new();
    let mut turns: Vec<ModelMessage> = Vec::new();
    for node in path {
        match side(&node.content) {
            Side::Silent => {}
            Side::System(text) => system.push(text),
            Side::Turn(role, text) => match turns.last_mut() {
                Some(last) if last.role == role => last.blocks.push(ModelBlock::Text(text)),
                _ => turns.push(ModelMessage { role, blocks: vec![ModelBlock::Text(text)] }),
            },
        }
    }
    let system = Some(system.join("\n\n")).filter(|text| !text.is_empty());
    ChatHistory { system, turns }
}

/// A path as messages of a prompt, which knows no system text: that is the user's too.
pub(super) fn for_prompt(path: &[TreeNode]) -> Vec<PromptMessage> {
    let message = |node: &TreeNode| match side(&node.content) {
        Side::Silent => None,
        Side::System(text) => Some(PromptMessage::user(Content::text(text))),
        Side::Turn(ModelRole::User, text) => Some(PromptMessage::user(Content::text(text))),
        Side::Turn(ModelRole::Assistant, text) => {
            Some(PromptMessage::assistant(Content::text(text)))
        }
    };
    path.iter().filter_map(message).collect()
}

#[cfg(test)]
mod tests;
