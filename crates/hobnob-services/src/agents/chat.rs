//! `chat`: one run of an agent's program in a session. Its output lines become events.
//!
//! The id to resume with is saved when the model first answers, so a chat that is cut off is not
//! lost. The last event is sent once every process of the run has ended.

use super::command_words::{ChatRequest, words};
use super::event::AgentEvent;
use super::interpreter::{Interpreter, cut};
use super::limits::{CPU, MAX_EVENT_TEXT, MAX_TURNS, QUERY_BYTES};
use super::line_receiver::{LineReceiver, ProgramLine};
use super::service::{PresentedAgents, owner};
use crate::commands::{ActiveCommand, CommandOutcome, ProgramInput, StopCause, drive, whole_input};
use crate::stream_result::StreamResult;
use hobnob_mcp_toolbox::{CallContext, Context, ToolError, ToolReply};
use hobnob_policy::AgentWish;
use hobnob_store::Time;
use hobnob_store::agents::{AgentHead, AgentSession};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// What `chat` takes, as callers write it. The schema is written by hand, as its first users know it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChatArguments {
    session_name: String,
    query: String,
    #[serde(default)]
    max_turns: Option<i64>,
}

pub(super) async fn chat(
    arguments: ChatArguments,
    context: Context<PresentedAgents>,
) -> Result<ToolReply, ToolError> {
    let agents = context.state();
    if let Some(via) = &context.caller().via {
        let message = format!("{via} cannot start a chat: a chat cannot start another one");
        return Err(agents.invalid(message));
    }
    let name = arguments.session_name;
    agents.session(&context, &name).await?;
    let (query, max_turns) =
        checked(arguments.query, arguments.max_turns).map_err(|problem| agents.invalid(problem))?;
    let _lock = agents.lock(&context, &name)?;
    // Read under the lock: the previous chat may just have moved the session's head.
    let session = agents.session(&context, &name).await?;
    let _place = agents.place(&context)?;
    let agent = agents.agent(&session.agent)?;
    let request = ChatRequest {
        head: &session.head,
        model: session.model.as_deref(),
        system_prompt: session.system_prompt.as_deref(),
        max_turns,
    };
    let arguments = words(&agent, request).map_err(|problem| agents.invalid(problem))?;
    let wish = AgentWish {
        agent: session.agent.clone(),
        arguments,
        folder: Some(session.folder.clone()),
        input: query.into_bytes(),
        timeout: agents.service.0.options.longest_chat,
    };
    let active = agents.permit_chat(&context, wish)?;
    let chat = RunningChat {
        agents,
        context: &context,
        session: &session,
        active: &active,
        interpreter: Interpreter::new(agent),
        result: StreamResult::default(),
        saved: SavedHead::NotYet,
    };
    chat.run().await
}

/// The query and the turn limit, or an error message for the caller.
fn checked(query: String, max_turns: Option<i64>) -> Result<(String, Option<u32>), String> {
    if query.trim().is_empty() {
        return Err("`query` is empty: write what the agent is to do".into());
    }
    if QUERY_BYTES < query.len() {
        return Err(format!("`query` has more than {QUERY_BYTES} bytes"));
    }
    let turns = max_turns.map(|turns| u32::try_from(turns).ok().filter(|it| *it <= MAX_TURNS));
    match turns {
        None => Ok((query, None)),
        Some(Some(turns)) if turns > 0 => Ok((query, Some(turns))),
        Some(_) => Err(format!("`max_turns` must be between 1 and {MAX_TURNS}")),
    }
}

/// A chat whose program is running.
struct RunningChat<'a> {
    agents: &'a PresentedAgents,
    context: &'a CallContext,
    session: &'a AgentSession,
    active: &'a ActiveCommand<AgentWish>,
    interpreter: Interpreter,
    result: StreamResult,
    saved: SavedHead,
}

/// Whether the store has the id with which the session resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SavedHead {
    /// The program has not reported an id, or the model has not answered yet.
    NotYet,
    At(String),
    /// The store failed with this message, which the caller gets.
    Failed(String),
}

impl RunningChat<'_> {
    /// Runs the program to its end. Dropping the future kills it and every process it started.
    async fn run(mut self) -> Result<ToolReply, ToolError> {
        let parts = &self.agents.service.0;
        let who = self.context.caller().principal.as_str();
        let command = self.active.permit.request();
        let input = whole_input(command);
        let launched = parts.launcher.launch(&self.active.permit, CPU, who, input).await;
        let launched = launched.map_err(|error| self.agents.not_started(&error))?;
        let (mut receiver, lines) = LineReceiver::new();
        let input = ProgramInput::Whole(command.input().to_vec());
        let (limit, stop) = (command.timeout(), &self.active.stop);
        let driving = async {
            let (tree, pipes) = (launched.tree, launched.pipes);
            let outcome = drive(tree, pipes, input, limit, stop, &mut receiver).await;
            (outcome, receiver.finish().await)
        };
        let ((outcome, stderr), end) = tokio::join!(driving, self.follow(lines));
        if let Some(scratch) = launched.scratch {
            scratch.give_back();
        }
        let end = end.unwrap_or_else(|| self.ended_without_result(&outcome, &stderr));
        let end = self.close(end).await;
        self.result.emit(self.context, end.into_stream()).await;
        Ok(self.result.into_reply())
    }

    /// Forwards events until the program has ended, and returns the final event.
    async fn follow(&mut self, mut lines: mpsc::Receiver<ProgramLine>) -> Option<AgentEvent> {
        let mut end = None;
        while let Some(line) = lines.recv().await {
            for event in self.understand(&line) {
                match event {
                    AgentEvent::Complete(_) | AgentEvent::Failed { .. } => end = Some(event),
                    event => self.result.emit(self.context, event.into_stream()).await,
                }
            }
            self.save_head().await;
            if end.is_some() {
                break;
            }
        }
        let drained = async { while lines.recv().await.is_some() {} };
        if timeout(self.agents.service.0.options.linger, drained).await.is_err() {
            self.active.stop.stop(StopCause::Asked);
            while lines.recv().await.is_some() {}
        }
        end
    }

    fn understand(&mut self, line: &ProgramLine) -> Vec<AgentEvent> {
        match line {
            ProgramLine::Text(line) => self.interpreter.line(line),
            ProgramLine::TooLong => {
                self.interpreter.skip("it is too long");
                Vec::new()
            }
        }
    }

    /// Stores the id with which the session resumes, once it is known and whenever it changes.
    async fn save_head(&mut self) {
        let Some(id) = self.interpreter.resumable() else { return };
        if let SavedHead::At(saved) = &self.saved
            && saved == id
        {
            return;
        }
        let (owner, name) = (owner(self.context), self.session.name.clone());
        let head = AgentHead::Resume(id.to_owned());
        let is_new = self.session.head != head;
        let id = id.to_owned();
        let saved = match is_new {
            true => self.agents.sessions().set_head(owner, name, head, Time::now()).await,
            false => Ok(true),
        };
        self.saved = match saved {
            Ok(_) => SavedHead::At(id),
            Err(error) => {
                tracing::warn!(%error, "the id that resumes an agent session could not be stored");
                SavedHead::Failed(error.to_string())
            }
        };
    }

    /// The final event, after the end of the chat has been stored.
    async fn close(&mut self, end: AgentEvent) -> AgentEvent {
        let AgentEvent::Complete(members) = end else { return end };
        let (owner, name) = (owner(self.context), self.session.name.clone());
        let counted = self.agents.sessions().count_chat(owner, name, Time::now()).await;
        let failure = match (&self.saved, counted) {
            (SavedHead::Failed(error), _) => Some(error.clone()),
            (_, Err(error)) => Some(error.to_string()),
            (SavedHead::NotYet | SavedHead::At(_), Ok(_)) => None,
        };
        match failure {
            None => AgentEvent::Complete(members),
            Some(error) => AgentEvent::Failed {
                message: format!("the agent has answered, but the session is not saved: {error}"),
                members,
            },
        }
    }

    /// The final event for a program that ended without reporting a result.
    fn ended_without_result(&self, outcome: &CommandOutcome, stderr: &str) -> AgentEvent {
        let message = match outcome.stopped {
            Some(StopCause::Timeout) => {
                let seconds = self.active.permit.request().timeout().as_secs();
                format!(
                    "the agent was ended after {seconds} seconds, since a chat may take no longer"
                )
            }
            Some(StopCause::Revoked) => {
                "the agent was ended, because a person took back what granted it".into()
            }
            Some(
                StopCause::Asked
                | StopCause::ClientGone
                | StopCause::Forgotten
                | StopCause::Closing,
            ) => "the agent was ended".into(),
            None => {
                let why = self.interpreter.warning().unwrap_or(stderr.trim());
                let why = if why.is_empty() { "it wrote nothing about it" } else { why };
                let why = cut(why, MAX_EVENT_TEXT);
                format!("the agent ended without a result ({}): {why}", outcome.end)
            }
        };
        AgentEvent::Failed { message, members: Map::new() }
    }
}
