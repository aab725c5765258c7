//! One running chat: asks the model and calls the tools it wants, until it gives its final answer.
//!
//! `chat` begins or resumes it. What must stay true: each step and the head that moves to it are
//! stored in one transaction before the next step begins, so a chat that ends early can be
//! continued after its last stored step.

use super::answer::{receive, tool_use_event};
use super::chat_settings::ChatSettings;
use super::paused_chat::{PausedCall, PausedChat, ask};
use super::service::PresentedChats;
use super::session_tools::{SessionTools, ToolEnd};
use crate::stream_result::StreamResult;
use futures_util::stream::{self, StreamExt as _};
use hobnob_agent::{
    ChatTotals, ModelAnswer, ToolTurn, answer_node, model_request, result_node, stop_word,
};
use hobnob_llm::{ModelBlock, ModelRequest, ResolvedModel, ToolOutcome, ToolUse};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::model_sessions::{AnswerPlace, ModelSession, StoredAnswer};
use hobnob_store::trees::{NewNode, NodeId, TreeNode};
use std::pin::pin;
use std::sync::Arc;

/// How many calls of one answer run at the same time.
const PARALLEL_CALLS: usize = 8;

/// The parts that a chat needs.
pub(super) struct ChatParts<'a> {
    pub(super) context: &'a Context<PresentedChats>,
    pub(super) session: ModelSession,
    pub(super) model: ResolvedModel,
    pub(super) settings: ChatSettings,
    pub(super) tools: Arc<SessionTools>,
    /// How often the model may be asked in this chat.
    pub(super) max_turns: u32,
}

/// A chat and its progress.
pub(super) struct ChatRun<'a> {
    parts: ChatParts<'a>,
    model_id: String,
    /// All nodes from the root to the last stored one.
    path: Vec<TreeNode>,
    /// The node of the caller's prompt.
    question: NodeId,
    /// Where the next node belongs.
    place: AnswerPlace,
    turns: u32,
    totals: ChatTotals,
    result: StreamResult,
}

/// Why a chat stops.
enum ChatStop {
    /// The last event reports this reason; the caller keeps the events so far.
    Failed(String),
    /// The call ends with questions for the caller, or with a protocol error.
    Error(ToolError),
}

impl From<ToolError> for ChatStop {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Failed(why) => Self::Failed(why),
            other => Self::Error(other),
        }
    }
}

/// The outcome of one answer of the model.
enum ChatTurn {
    Complete(StreamEvent),
    Calls(Vec<PausedCall>),
}

impl<'a> ChatRun<'a> {
    /// Begins a chat whose prompt was just stored as the last node of the path.
    pub(super) fn begin(parts: ChatParts<'a>, path: Vec<TreeNode>, question: NodeId) -> Self {
        let (below, head) = (question.clone(), parts.session.head.clone());
        Self::new(parts, path, question, AnswerPlaceAt { head, below })
    }

    /// Resumes a chat that waited for answers; the path ends at the session's head. The result
    /// repeats the events that the caller received before.
    pub(super) fn resume(parts: ChatParts<'a>, path: Vec<TreeNode>, paused: &PausedChat) -> Self {
        let head = parts.session.head.clone();
        let at = AnswerPlaceAt { head: head.clone(), below: head };
        let question = path.iter().map(|node| &node.shape.id);
        let question = question.rev().find(|id| id.as_str() == paused.question);
        let question = question.unwrap_or(&parts.session.head).clone();
        let mut run = Self::new(parts, path, question, at);
        (run.turns, run.totals) = (paused.turns, paused.totals);
        let events: Vec<StreamEvent> = run.events_so_far().collect();
        events.iter().for_each(|event| run.result.collect(event));
        run
    }

    fn new(
        parts: ChatParts<'a>,
        path: Vec<TreeNode>,
        question: NodeId,
        AnswerPlaceAt { head, below }: AnswerPlaceAt,
    ) -> Self {
        let model_id = format!("{}/{}", parts.model.provider.name(), parts.model.model.id);
        let (session, tree) = (parts.session.name.clone(), parts.session.tree.clone());
        let place = AnswerPlace { session, tree, head, below };
        let (totals, result) = (ChatTotals::new(), StreamResult::default());
        Self { parts, model_id, path, question, place, turns: 0, totals, result }
    }

    /// Reports to the caller that its prompt is stored.
    pub(super) async fn announce(&mut self) {
        let start = StreamEvent::start()
            .with("session", self.parts.session.name.as_str())
            .with("model", &self.model_id)
            .with("node_id", self.question.as_str());
        self.result.emit(self.parts.context, start).await;
    }

    /// Makes these calls, asks the model, makes the calls it wants, and so on to the end.
    pub(super) async fn finish(
        mut self,
        turn: &str,
        calls: Vec<PausedCall>,
    ) -> Result<ToolReply, ToolError> {
        let (mut turn, mut calls) = (turn.to_owned(), calls);
        let last = loop {
            let step = async {
                self.make_calls(&turn, std::mem::take(&mut calls)).await?;
                self.next_turn().await
            };
            match step.await {
                Ok(ChatTurn::Calls(next)) => {
                    (turn, calls) = (self.place.below.as_str().to_owned(), next);
                }
                Ok(ChatTurn::Complete(event)) => break event,
                Err(ChatStop::Failed(why)) => break self.failure(&why),
                Err(ChatStop::Error(error)) => return Err(error),
            }
        };
        self.result.emit(self.parts.context, last).await;
        Ok(self.result.into_reply())
    }

    /// Asks the model once, and stores its answer.
    async fn next_turn(&mut self) -> Result<ChatTurn, ChatStop> {
        let stream = self.parts.model.provider.chat(self.request());
        let (tools, context) = (&self.parts.tools, self.parts.context);
        let answer = receive(stream, tools, context, &mut self.result).await;
        let answer = answer.map_err(ChatStop::Failed)?;
        self.turns += 1;
        self.totals.add(&answer.completion);
        let scanner = context.state().service.parts().scanner;
        let stored = self.store(answer_node(&self.model_id, &answer, scanner)).await?;
        let calls = answer.calls();
        if calls.is_empty() {
            return Ok(ChatTurn::Complete(self.completion(&stored, &answer)));
        }
        if self.parts.max_turns <= self.turns {
            return Err(ChatStop::Failed(format!(
                "the model still asks for tools after {} turns, which is the limit (`max_turns`); \
                 its last calls were not made",
                self.turns
            )));
        }
        Ok(ChatTurn::Calls(calls.into_iter().map(PausedCall::first).collect()))
    }

    /// Makes calls concurrently, and stores each result as it arrives. If some calls have
    /// questions, the run ends after all others are done. Dropping the future cancels the calls.
    async fn make_calls(&mut self, turn: &str, calls: Vec<PausedCall>) -> Result<(), ChatStop> {
        let (tools, answers) =
            (Arc::clone(&self.parts.tools), self.parts.context.answers().clone());
        let running = stream::iter(calls).map(|paused| {
            let answers = paused.answers(turn, &answers);
            let tools = &tools;
            async move {
                let end = tools.call(&paused.call, answers).await;
                (paused.call, end)
            }
        });
        let mut running = pin!(running.buffer_unordered(PARALLEL_CALLS));
        let mut asked = Vec::new();
        while let Some((call, end)) = running.next().await {
            match end {
                ToolEnd::Finished { text, outcome } => self.record(&call, &text, outcome).await?,
                ToolEnd::Asks(questions) => asked.push((call, *questions)),
            }
        }
        if asked.is_empty() {
            return Ok(());
        }
        let paused = PausedChat {
            question: self.question.as_str().to_owned(),
            head: self.place.below.as_str().to_owned(),
            turn: turn.to_owned(),
            turns: self.turns,
            totals: self.totals,
            calls: Vec::new(),
        };
        Err(ChatStop::Error(ask(paused, asked)))
    }

    /// Stores a tool's result with credentials masked: the model sees only this text.
    async fn record(
        &mut self,
        call: &ToolUse,
        text: &str,
        outcome: ToolOutcome,
    ) -> Result<(), ChatStop> {
        let scanner = self.parts.context.state().service.parts().scanner;
        let text = scanner.map_or_else(|| text.to_owned(), |it| it.redact(text).0);
        let name = self.parts.tools.listed_name(&call.name).to_owned();
        let event = StreamEvent::new(StreamEvent::TOOL_RESULT)
            .with("tool_use_id", &call.id)
            .with("tool_name", &name)
            .with("output", &text)
            .with("is_error", &(outcome == ToolOutcome::Failed));
        self.store(result_node(&name, call, text, outcome)).await?;
        self.result.emit(self.parts.context, event).await;
        Ok(())
    }

    /// Appends a node and moves the session's head to it, in one transaction.
    async fn store(&mut self, node: NewNode) -> Result<StoredAnswer, ChatStop> {
        let chats = self.parts.context.state();
        let access = PresentedChats::access(self.parts.context);
        let stored = chats.sessions().add_answer(access, self.place.clone(), node).await;
        let stored = stored.map_err(|error| chats.refused(error))?;
        let id = stored.node.shape.id.clone();
        self.path.push(stored.node.clone());
        (self.place.head, self.place.below) = (id.clone(), id);
        Ok(stored)
    }

    fn request(&self) -> ModelRequest {
        let ChatParts { model, session, settings, tools, .. } = &self.parts;
        let offered = tools.offered().to_vec();
        let mut request = model_request(&model.model.id, &self.path, offered, &session.tree);
        settings.apply(&mut request);
        request
    }

    /// The events that the caller received after its prompt, rebuilt from the stored nodes.
    fn events_so_far(&self) -> impl Iterator<Item = StreamEvent> {
        let behind = self.path.iter().skip_while(|node| node.shape.id != self.question).skip(1);
        let blocks = behind.filter_map(|node| match ToolTurn::of(node)? {
            ToolTurn::Calls(blocks) => Some(blocks),
            ToolTurn::Result { .. } => None,
        });
        blocks.flatten().filter_map(|block| match block {
            ModelBlock::Text(text) => Some(StreamEvent::content(text)),
            ModelBlock::ToolUse(call) => {
                Some(tool_use_event(self.parts.tools.listed_name(&call.name), &call))
            }
            ModelBlock::Image(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_) => None,
        })
    }

    fn completion(&self, stored: &StoredAnswer, answer: &ModelAnswer) -> StreamEvent {
        let event = StreamEvent::complete()
            .with("session", self.parts.session.name.as_str())
            .with("head", stored.head.as_str())
            .with("node_id", stored.node.shape.id.as_str())
            .with("model", &self.model_id)
            .with("stop_reason", stop_word(&answer.completion.stop));
        let event = match &self.totals.usage {
            Some(usage) => event.with("usage", usage),
            None => event,
        };
        match self.totals.cost() {
            Some(cost) => event.with("cost_usd", &cost),
            None => event,
        }
    }

    fn failure(&self, why: &str) -> StreamEvent {
        let question = &self.question;
        let goes_on = match self.turns {
            0 => "from its head as before",
            _ => "behind what was done so far",
        };
        StreamEvent::error(&format!(
            "{why}; your prompt is node {question}, and the session goes on {goes_on}"
        ))
    }
}

/// The session's head, and the node that the next one follows.
struct AnswerPlaceAt {
    head: NodeId,
    below: NodeId,
}
