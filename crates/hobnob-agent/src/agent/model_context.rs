//! What an agent's model sees: the conversation, an estimate of its tokens, and pictures. Questions and
//! results that are added here are stored too.
//!
//! The agent and its turns add to it. What must stay true: the estimate follows the conversation,
//! so that a summary is made before a request becomes too long.

use crate::answer::{ModelAnswer, estimated_tokens};
use crate::conversation::{Conversation, ConversationError};
use crate::conversation_path::size;
use crate::model_request::model_request;
use crate::tool_images::KeptImages;
use hobnob_llm::{ModelCapability, ModelImage, ModelInfo, ModelRequest, ModelTool};
use hobnob_store::trees::NewNode;

/// A conversation as the next request contains it.
pub(super) struct ModelContext {
    pub(super) conversation: Conversation,
    /// The expected tokens of the next request: the provider's count of the last request and its
    /// answer, plus an estimate of what was added since.
    pub(super) tokens: u64,
    /// Pictures of tools and questions, for models that accept them.
    pub(super) images: KeptImages,
}

impl ModelContext {
    pub(super) fn new(conversation: Conversation) -> Self {
        let mut context = Self { conversation, tokens: 0, images: KeptImages::default() };
        context.estimate();
        context
    }

    /// Estimates the tokens of the whole conversation, until a provider has counted them.
    pub(super) fn estimate(&mut self) {
        self.tokens = estimated_tokens(self.conversation.path().iter().map(size).sum());
    }

    /// Appends a question. The model is asked later, with the request that `request` builds.
    pub(super) async fn ask(&mut self, question: &str) -> Result<(), ConversationError> {
        self.conversation.ask(question.to_owned()).await?;
        self.tokens = self.tokens.saturating_add(estimated_tokens(question.len()));
        Ok(())
    }

    /// Takes back the last question.
    pub(super) fn take_back(&mut self, question: &str) {
        self.conversation.drop_question();
        self.tokens = self.tokens.saturating_sub(estimated_tokens(question.len()));
    }

    /// The request with everything so far.
    pub(super) fn request(&self, model: &ModelInfo, offered: Vec<ModelTool>) -> ModelRequest {
        let (path, tree) = (self.conversation.path(), self.conversation.tree());
        let mut request = model_request(&model.id, path, offered, tree);
        if model.capabilities.contains(&ModelCapability::Images) {
            self.images.attach(&mut request.messages);
        }
        request
    }

    /// Counts the answer to that request; its node follows, unless it is empty.
    pub(super) fn answered(&mut self, ModelAnswer { text, completion, .. }: &ModelAnswer) {
        let estimated = self.tokens.saturating_add(estimated_tokens(text.len()));
        self.tokens = completion.usage.map_or(estimated, |usage| usage.total());
    }

    /// Appends the result of a call, whose text has this many bytes.
    pub(super) async fn add_result(
        &mut self,
        (id, bytes): (&str, usize),
        node: NewNode,
        images: Vec<ModelImage>,
    ) -> Result<(), ConversationError> {
        self.conversation.add(node).await?;
        self.tokens = self.tokens.saturating_add(estimated_tokens(bytes));
        self.images.keep(id, images);
        Ok(())
    }
}
