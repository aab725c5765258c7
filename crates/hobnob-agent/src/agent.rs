//! An agent: a model with tools in a conversation.
//!
//! `open_turn` and `calls` carry out its turns by the rules in `turn`; `compaction` summarises long
//! conversations. Chats hold one, and each sub-agent is one.

mod calls;
mod compaction;
mod model_context;
mod open_turn;
mod parts;

use crate::agent_tools::AgentTools;
use crate::chat_totals::ChatTotals;
use crate::conversation::{Conversation, ConversationError};
use crate::summary::context_tokens;
use crate::turn::TurnEnd;
use hobnob_llm::{ModelImage, ResolvedModel};
use hobnob_store::trees::NodeId;
use model_context::ModelContext;
use std::sync::Arc;

pub use parts::{AgentParts, AskOptions};

#[cfg(test)]
mod tests;

/// A model with tools in a conversation.
pub struct Agent {
    context: ModelContext,
    tools: Arc<dyn AgentTools>,
    parts: AgentParts,
}

/// The outcome of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnReport {
    /// How the turn ended.
    pub end: TurnEnd,
    /// The last text of the model.
    pub text: String,
    /// How often the model was asked.
    pub requests: u32,
    /// Whether the turn is in the history; if not, the question may be asked again.
    pub kept: bool,
}

impl Agent {
    /// An agent that continues a conversation.
    pub fn new(conversation: Conversation, tools: Arc<dyn AgentTools>, parts: AgentParts) -> Self {
        Self { context: ModelContext::new(conversation), tools, parts }
    }

    /// The conversation so far.
    pub fn conversation(&self) -> &Conversation {
        &self.context.conversation
    }

    /// Continues with another conversation.
    pub fn set_conversation(&mut self, conversation: Conversation) {
        self.context = ModelContext::new(conversation);
    }

    /// Continues at another node of the conversation's tree.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        self.context.conversation.move_to(node).await?;
        self.context.estimate();
        Ok(())
    }

    /// The model that answers.
    pub fn model(&self) -> &ResolvedModel {
        &self.parts.model
    }

    /// Lets another model answer from now on.
    pub fn set_model(&mut self, model: ResolvedModel) {
        self.parts.model = model;
    }

    /// The totals of all turns so far, including those of sub-agents.
    pub fn totals(&self) -> ChatTotals {
        self.parts.spent.get()
    }

    /// The expected tokens of the next request, and the size of the model's context.
    pub fn context(&self) -> (u64, u64) {
        (self.context.tokens, context_tokens(&self.parts.model.model))
    }

    /// Keeps a picture for questions that contain its words, which `picture_words` made.
    pub fn keep_picture(&mut self, words: &str, picture: ModelImage) {
        self.context.images.keep(words, vec![picture]);
    }
}
