//! Opens the conversation of a session, and words what the store refuses for the caller.

use super::service::PresentedChats;
use hobnob_agent::{Conversation, ConversationError, PathError};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::model_sessions::ModelSession;
use std::sync::Arc;

impl PresentedChats {
    /// The conversation up to the session's head, as far as a model needs it.
    pub(super) async fn conversation(
        &self,
        context: &CallContext,
        session: ModelSession,
    ) -> Result<Conversation, ToolError> {
        let (store, owner) =
            (Arc::clone(&self.service.parts().sessions), Self::access(context).owner);
        let opened = Conversation::at_head(store, owner, session).await;
        opened.map_err(|error| self.conversation_refused(error))
    }

    pub(super) fn conversation_refused(&self, error: ConversationError) -> ToolError {
        match error {
            ConversationError::Session(error) => self.refused(error),
            ConversationError::Tree(error) | ConversationError::Path(PathError::Tree(error)) => {
                self.tree_refused(error)
            }
            ConversationError::Path(error @ PathError::TooLong) => {
                self.invalid(format!("{error}: go back with set_head, or create another session"))
            }
            ConversationError::NoNode => self.invalid("no node was added"),
        }
    }
}
