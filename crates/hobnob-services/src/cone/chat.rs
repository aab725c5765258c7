//! `chat`: one question to a session's model, and its answer as a stream.
//!
//! The question is in the tree, on disk, before the model is asked. If a tool has a question for
//! the caller, the chat ends with it, and resumes here with the caller's answer.

use super::chat_run::{ChatParts, ChatRun};
use super::chat_settings::{ChatSettings, DEFAULT_TURNS};
use super::paused_chat::PausedChat;
use super::service::{ConeService, PresentedChats};
use super::session_tools::SessionTools;
use super::tool_patterns::ToolPatterns;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::trees::NodeId;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Chat {
    /// Name of the session
    name: String,
    /// What to say to the model
    prompt: String,
    /// How often the model may be asked in this chat, because it waits for tools
    #[schemars(range(min = 1, max = 100))]
    max_turns: Option<u32>,
}

pub(super) async fn chat(
    arguments: Chat,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    if let Some(via) = &context.caller().via {
        let message = format!("{via} cannot start a chat: a chat cannot start another one");
        return Err(chats.invalid(message));
    }
    let prompt = chats.prompt(arguments.prompt)?;
    let name = chats.name(&arguments.name)?;
    let _active = chats.enter(&context, &name)?;
    let session = chats.find(&context, name).await?;
    let model = chats.resolve(session.model.as_deref())?;
    let settings = ChatSettings::read(session.settings.as_deref());
    let patterns = ToolPatterns::parse(&settings.tools).map_err(|why| chats.invalid(why))?;
    let via = format!("{}/{}", ConeService::NAME, session.name);
    let view = chats.presentation.tools.get();
    let tools = SessionTools::open(view, patterns, (*context).clone(), &via).await;
    let max_turns = arguments.max_turns.or(settings.max_turns).unwrap_or(DEFAULT_TURNS);
    let name = session.name.clone();
    let mut conversation = chats.conversation(&context, session).await?;
    let parts = |conversation| ChatParts {
        context: &context,
        session: name,
        conversation,
        model,
        settings,
        tools: Arc::new(tools),
        max_turns,
    };
    match paused(&context, conversation.last())? {
        None => {
            let question = conversation.ask(prompt).await;
            let question = question.map_err(|error| chats.conversation_refused(error))?;
            let mut run = ChatRun::begin(parts(conversation), question);
            run.announce().await;
            run.finish(String::new(), Vec::new()).await
        }
        Some(mut paused) => {
            let calls = std::mem::take(&mut paused.calls);
            let run = ChatRun::resume(parts(conversation), &paused);
            run.finish(paused.turn, calls).await
        }
    }
}

/// The paused chat that this call resumes at the session's head, if it brings answers.
fn paused(
    context: &Context<PresentedChats>,
    head: &NodeId,
) -> Result<Option<PausedChat>, ToolError> {
    let Some(state) = context.request_state() else { return Ok(None) };
    let paused: PausedChat = serde_json::from_str(state)?;
    if head.as_str() != paused.head {
        let message = "the session has gone on elsewhere since its tools asked: say it again";
        return Err(context.state().invalid(message));
    }
    Ok(Some(paused))
}
