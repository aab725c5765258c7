//! Sessions as prompts: the conversation up to the head, as messages for a client's own model.
//!
//! Kits list the sessions without a named owner; a caller gets its own session of that name.

use super::service::PresentedChats;
use crate::presentation::bad_argument;
use hobnob_agent::as_texts;
use hobnob_llm::ModelRole;
use hobnob_mcp_toolbox::{Context, KitBuilder, PromptSpec, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptMessage};
use hobnob_store::model_sessions::ModelSessionName;

/// Adds a prompt for each of these sessions to the kit.
pub(super) fn with_prompts(
    kit: KitBuilder<PresentedChats>,
    sessions: &[ModelSessionName],
) -> KitBuilder<PresentedChats> {
    sessions.iter().fold(kit, |kit, session| {
        let spec = PromptSpec::new(format!("The conversation of session {session} so far"));
        let session = session.clone();
        kit.prompt(prompt_name(&session), spec, move |context: Context<PresentedChats>| {
            conversation(session.clone(), context)
        })
    })
}

/// The listed name of a session's prompt.
fn prompt_name(session: &ModelSessionName) -> String {
    format!("cone_{session}")
}

async fn conversation(
    session: ModelSessionName,
    context: Context<PresentedChats>,
) -> Result<GetPromptResult, ToolError> {
    let chats = context.state();
    let found = chats.find(&context, session.clone()).await.map_err(bad_argument)?;
    let conversation = chats.conversation(&context, found).await.map_err(bad_argument)?;
    let messages = as_texts(conversation.path()).into_iter().map(|(role, text)| match role {
        ModelRole::User => PromptMessage::user(Content::text(text)),
        ModelRole::Assistant => PromptMessage::assistant(Content::text(text)),
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = Some(format!("The conversation of session {session} so far"));
    Ok(result)
}
