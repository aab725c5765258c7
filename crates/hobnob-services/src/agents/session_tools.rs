//! The tools that create, show, list, fork and delete sessions.
//!
//! A session is a name for a conversation. The agent's program keeps the conversation itself.

use super::command_words::{ChatRequest, words};
use super::limits::{DEFAULT_PAGE_SIZE, PROMPT_BYTES};
use super::names::{MAX_NAME, is_model_name, is_session_name, shown_name};
use super::service::{PresentedAgents, bare_wish, owner};
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::{RunCommand, WorkingFolder};
use hobnob_store::Time;
use hobnob_store::agents::{AgentHead, AgentSession};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArguments {
    /// Name of the new session: letters, digits, `_`, `.` and `-`
    name: String,
    /// Folder the agent works in, inside a folder that was granted with it; without it, the first of those
    working_dir: Option<String>,
    /// Model to ask for, as the agent names it; without it, the agent's own choice
    model: Option<String>,
    /// System prompt, in place of the agent's own
    system_prompt: Option<String>,
    /// Which agent: `claude` (the usual one), `codex` or `gemini`
    agent: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneSession {
    /// Name of the session
    name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForkArguments {
    /// Name of the session to branch off from
    name: String,
    /// Name of the new session: letters, digits, `_`, `.` and `-`
    new_name: String,
}

/// A session as callers see it.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownSession {
    /// Name of the session
    name: String,
    /// Which agent it is with
    agent: String,
    /// Folder the agent works in
    working_dir: String,
    /// Model to ask for, where one was chosen
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// System prompt, where one was given
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<String>,
    /// The id that the program gave the conversation in which the next chat goes on
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// How many chats have ended with an answer
    chats: u32,
    /// When it was made
    created_at: String,
    /// When it last changed
    updated_at: String,
}

/// Sessions by name, and where the next ones are.
#[derive(Serialize, JsonSchema)]
pub(super) struct SessionPage {
    /// The sessions, without their system prompts
    sessions: Vec<ShownSession>,
    /// Pass it as `cursor` for the next ones; absent at the end
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A session that is no more.
#[derive(Serialize, JsonSchema)]
pub(super) struct DeletedSession {
    /// Name of the session
    name: String,
    /// True, since a session that is not there is an error
    deleted: bool,
}

impl From<AgentSession> for ShownSession {
    fn from(session: AgentSession) -> Self {
        Self {
            name: session.name,
            agent: session.agent,
            working_dir: session.folder,
            model: session.model,
            system_prompt: session.system_prompt,
            session_id: match session.head {
                AgentHead::Fresh => None,
                AgentHead::Resume(id) | AgentHead::Fork(id) => Some(id),
            },
            chats: session.chats,
            created_at: time_text(session.created),
            updated_at: time_text(session.updated),
        }
    }
}

pub(super) async fn create(
    arguments: CreateArguments,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    check_name(agents, &arguments.name)?;
    check_texts(&arguments).map_err(|problem| agents.invalid(problem))?;
    let agent = agents.agent(arguments.agent.as_deref().unwrap_or("claude"))?;
    let request = ChatRequest {
        head: &AgentHead::Fresh,
        model: arguments.model.as_deref(),
        system_prompt: arguments.system_prompt.as_deref(),
        max_turns: None,
    };
    words(&agent, request).map_err(|problem| agents.invalid(problem))?;
    let permit = agents.permit(&context, bare_wish(agent.name(), arguments.working_dir))?;
    let folder = folder_of(permit.request());
    let now = Time::now();
    let session = AgentSession {
        owner: owner(&context),
        name: arguments.name,
        agent: agent.name().to_owned(),
        folder: folder.ok_or_else(|| agents.invalid("the folder's path is not valid UTF-8"))?,
        model: arguments.model,
        system_prompt: arguments.system_prompt,
        head: AgentHead::Fresh,
        chats: 0,
        created: now,
        updated: now,
    };
    let added = agents.sessions().add_session(session.clone()).await;
    added.map_err(|error| agents.refused(error, &session.name, &session.name))?;
    agents.presentation.reply(&ShownSession::from(session))
}

pub(super) async fn get(
    arguments: OneSession,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    let session = agents.session(&context, &arguments.name).await?;
    agents.presentation.reply(&ShownSession::from(session))
}

pub(super) async fn list(
    arguments: ListArguments,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    let limit = arguments.limit.unwrap_or(DEFAULT_PAGE_SIZE) as usize;
    let found = agents.sessions().list_sessions(owner(&context), arguments.cursor, limit + 1).await;
    let mut found = found.map_err(|error| agents.store_error(&error))?;
    let is_more = limit < found.len();
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| is_more).map(|session| session.name.clone());
    let brief = |session| AgentSession { system_prompt: None, ..session };
    let sessions = found.into_iter().map(brief).map(ShownSession::from).collect();
    agents.presentation.reply(&SessionPage { sessions, next_cursor })
}

pub(super) async fn fork(
    arguments: ForkArguments,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    let ForkArguments { name, new_name } = arguments;
    let session = agents.session(&context, &name).await?;
    check_name(agents, &new_name)?;
    let agent = agents.agent(&session.agent)?;
    if session.head != AgentHead::Fresh && !agent.can_fork() {
        let problem = format!("{} cannot go on in a copy of a conversation", agent.title());
        return Err(agents.invalid(problem));
    }
    let _lock = agents.lock(&context, &name)?;
    let (from, to) = (name.clone(), new_name.clone());
    let forked = agents.sessions().fork_session(owner(&context), from, to, Time::now()).await;
    let forked = forked.map_err(|error| agents.refused(error, &name, &new_name))?;
    agents.presentation.reply(&ShownSession::from(forked))
}

pub(super) async fn delete(
    arguments: OneSession,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    agents.session(&context, &arguments.name).await?;
    let _lock = agents.lock(&context, &arguments.name)?;
    let name = arguments.name;
    let removed = agents.sessions().remove_session(owner(&context), name.clone()).await;
    match removed.map_err(|error| agents.store_error(&error))? {
        true => agents.presentation.reply(&DeletedSession { name, deleted: true }),
        false => Err(agents.not_found(&name)),
    }
}

fn check_name(agents: &PresentedAgents, name: &str) -> Result<(), ToolError> {
    match is_session_name(name) {
        true => Ok(()),
        false => Err(agents.invalid(format!(
            "`{}` is no name for a session: use letters, digits, `_`, `.` and `-`, {MAX_NAME} \
             at most, and begin with a letter or a digit",
            shown_name(name)
        ))),
    }
}

fn check_texts(arguments: &CreateArguments) -> Result<(), String> {
    if arguments.model.as_deref().is_some_and(|model| !is_model_name(model)) {
        return Err(
            "`model` is no name of a model: it may have letters, digits and `_.-:/@[]`".into()
        );
    }
    let prompt = arguments.system_prompt.as_deref().unwrap_or_default();
    match PROMPT_BYTES < prompt.len() || prompt.contains('\0') {
        true => Err(format!("`system_prompt` has a NUL or more than {PROMPT_BYTES} bytes")),
        false => Ok(()),
    }
}

/// The absolute path of the folder that a permit names.
fn folder_of(command: &RunCommand) -> Option<String> {
    match command.working_folder() {
        WorkingFolder::Granted(place) => place.to_path().to_str().map(str::to_owned),
        WorkingFolder::Scratch => None,
    }
}

/// The time to the second, which is enough for people.
fn time_text(time: Time) -> String {
    match jiff::Timestamp::from_millisecond(time.millis()) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(_) => time.millis().to_string(),
    }
}
