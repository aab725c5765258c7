//! The tools for sessions: create, show, list, delete, move the head; and the list of models.
//!
//! Every tool refers to a session by its name.

use super::chat_settings::{ChatSettings, Thinking};
use super::service::PresentedChats;
use super::tool_patterns::ToolPatterns;
use super::views::{DeletedSession, ShownChatSession, ShownRegistry};
use crate::shown_page::ShownPage;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::{ModelSession, ModelSessionError, NewModelSession};
use hobnob_store::trees::NodeRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Sessions on a page if the caller sets no limit.
const DEFAULT_SESSIONS: u32 = 50;
/// Longest model name or node id, in characters.
const MAX_ID: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    /// A name that none of your sessions has: letters, digits, underscores and hyphens
    name: String,
    /// The model to ask, as registry lists it; the default model if not given
    model_id: Option<String>,
    /// System prompt: instructions that the model gets before the conversation
    system_prompt: Option<String>,
    /// What you want to note about the session
    metadata: Option<Map<String, Value>>,
    /// The most tokens of one answer
    #[schemars(range(min = 1, max = 1_000_000))]
    max_tokens: Option<u32>,
    /// How random answers are; several newer models take none
    #[schemars(range(min = 0.0, max = 2.0))]
    temperature: Option<f32>,
    /// How hard the model thinks before it answers
    thinking: Option<Thinking>,
    /// The tools that the model may call for you, such as `memory_*`, `files_read` or `SERVER/TOOL`;
    /// none if not given
    tools: Option<Vec<String>>,
    /// How often the model may be asked in one chat, because it waits for tools; 20 if not given
    #[schemars(range(min = 1, max = 100))]
    max_turns: Option<u32>,
}

pub(super) async fn create(
    arguments: Create,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let name = chats.new_name(&arguments.name)?;
    if let Some(model) = &arguments.model_id {
        check_id(chats, "model_id", model)?;
        // A model that no provider offers is refused here, not only at the first chat.
        if !chats.service.parts().models.is_empty() {
            chats.resolve(Some(model))?;
        }
    }
    let settings = ChatSettings {
        max_tokens: arguments.max_tokens,
        temperature: arguments.temperature,
        thinking: arguments.thinking,
        tools: arguments.tools.unwrap_or_default(),
        max_turns: arguments.max_turns,
    };
    ToolPatterns::parse(&settings.tools).map_err(|why| chats.invalid(why))?;
    let system_prompt = arguments.system_prompt.filter(|text| !text.is_empty());
    let new = NewModelSession {
        name,
        model: arguments.model_id,
        system_prompt: system_prompt.map(|text| chats.system_prompt(text)).transpose()?,
        settings: settings.write(),
        metadata: arguments.metadata.map(|it| chats.metadata(it)).transpose()?,
    };
    let access = PresentedChats::access(&context);
    session_reply(chats, chats.sessions().create_model_session(access, new).await)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "One session.")]
pub(super) struct OneSession {
    /// Name of the session
    name: String,
}

pub(super) async fn get(
    arguments: OneSession,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let found = chats.find(&context, chats.name(&arguments.name)?).await?;
    chats.presentation.reply(&ShownChatSession::of(&found))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "A part of a list.")]
pub(super) struct ListSessions {
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn list(
    arguments: ListSessions,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let limit = arguments.limit.unwrap_or(DEFAULT_SESSIONS);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let page = PageRequest { after: arguments.cursor, limit };
    let found = chats.sessions().model_sessions(PresentedChats::access(&context), page).await;
    let found = found.map_err(|error| chats.refused(error))?;
    chats.presentation.reply(&ShownPage::of("sessions", &found, ShownChatSession::of))
}

pub(super) async fn delete(
    arguments: OneSession,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let name = chats.name(&arguments.name)?;
    let _active = chats.enter(&context, &name)?;
    let access = PresentedChats::access(&context);
    let deleted = chats.sessions().delete_model_session(access, name).await;
    let deleted = deleted.map_err(|error| chats.refused(error))?;
    chats.presentation.reply(&DeletedSession {
        name: deleted.name.as_str(),
        tree_id: deleted.tree.as_str(),
        deleted: true,
    })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetHead {
    /// Name of the session
    name: String,
    /// Id of the node that the next chat follows, or `root`
    node: String,
}

pub(super) async fn set_head(
    arguments: SetHead,
    context: Context<PresentedChats>,
) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let name = chats.name(&arguments.name)?;
    check_id(chats, "node", &arguments.node)?;
    let _active = chats.enter(&context, &name)?;
    let node = NodeRef::parse(&arguments.node);
    let access = PresentedChats::access(&context);
    session_reply(chats, chats.sessions().move_session_head(access, name, node).await)
}

pub(super) async fn registry(context: Context<PresentedChats>) -> Result<ToolReply, ToolError> {
    let chats = context.state();
    let parts = chats.service.parts();
    let registry = ShownRegistry::of(&parts.models, parts.default_model.as_deref());
    chats.presentation.reply(&registry)
}

fn check_id(chats: &PresentedChats, what: &str, id: &str) -> Result<(), ToolError> {
    match id.chars().count() {
        1..=MAX_ID if !id.chars().any(char::is_control) => Ok(()),
        _ => Err(chats.invalid(format!("{what}: it must have 1 to {MAX_ID} characters"))),
    }
}

fn session_reply(
    chats: &PresentedChats,
    session: Result<ModelSession, ModelSessionError>,
) -> Result<ToolReply, ToolError> {
    let session = session.map_err(|error| chats.refused(error))?;
    chats.presentation.reply(&ShownChatSession::of(&session))
}
