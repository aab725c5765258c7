//! One running chat: asks the model and calls the tools it wants, until it gives its final answer.
//!
//! `chat` begins or resumes it. What must stay true: each step and the head that moves to it are
//! stored in one transaction before the next step begins, so a chat that ends early can be
//! continued after its last stored step.

use super::chat_settings::ChatSettings;
use super::paused_chat::{PausedCall, PausedChat, ask};
use super::service::PresentedChats;
use super::session_tools::{SessionTools, ToolEnd};
use crate::stream_result::StreamResult;
use futures_util::stream::{self, StreamExt as _};
use hobnob_agent::{
    AnswerError, AnswerLimits, AnswerPart, AnswerReceiver, ChatTotals, Conversation, ModelAnswer,
    ToolTurn, TurnEnd, TurnLimit, TurnLimits, TurnProgress, TurnStep, answer_node, masked,
    model_request, result_node, stop_word,
};
use hobnob_llm::{ModelBlock, ModelEvent, ModelRequest, ResolvedModel, ToolOutcome, ToolUse};
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::model_sessions::ModelSessionName;
use hobnob_store::trees::{NewNode, NodeId};
use std::pin::pin;
use std::sync::Arc;

/// How many calls of one answer run at the same time.
const PARALLEL_CALLS: usize = 8;

/// The parts that a chat needs.
pub(super) struct ChatParts<'a> {
    pub(super) context: &'a Context<PresentedChats>,
    pub(super) session: ModelSessionName,
    /// What was said, to the caller's prompt or to the last stored step of a paused chat.
    pub(super) conversation: Conversation,
    pub(super) model: ResolvedModel,
    pub(super) settings: ChatSettings,
    pub(super) tools: Arc<SessionTools>,
    /// How often the model may be asked in this chat.
    pub(super) max_turns: u32,
}

/// A chat and its progress.
pub(super) struct ChatRun<'a> {
    parts: ChatParts<'a>,
    /// The node of the caller's prompt.
    question: NodeId,
    progress: TurnProgress,
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

impl<'a> ChatRun<'a> {
    /// Begins a chat whose prompt was just stored.
    pub(super) fn begin(parts: ChatParts<'a>, question: NodeId) -> Self {
        Self::new(parts, question, 0, ChatTotals::new())
    }

    /// Resumes a chat that waited for answers; the conversation is at the session's head. The result
    /// repeats the events that the caller received before.
    pub(super) fn resume(parts: ChatParts<'a>, paused: &PausedChat) -> Self {
        let question = parts.conversation.path().iter().map(|node| &node.shape.id);
        let question = question.rev().find(|id| id.as_str() == paused.question);
        let question = question.unwrap_or(parts.conversation.last()).clone();
        let mut run = Self::new(parts, question, paused.turns, paused.totals);
        let events: Vec<StreamEvent> = run.events_so_far().collect();
        events.iter().for_each(|event| run.result.collect(event));
        run
    }

    fn new(parts: ChatParts<'a>, question: NodeId, turns: u32, totals: ChatTotals) -> Self {
        // A model may ask for the same call again and again, such as to wait for something.
        let limits =
            TurnLimits { requests: parts.max_turns, repeats: None, cost: None, tokens: None };
        let progress = TurnProgress::resume(limits, turns);
        Self { parts, question, progress, totals, result: StreamResult::default() }
    }

    /// Reports to the caller that its prompt is stored.
    pub(super) async fn announce(&mut self) {
        let start = StreamEvent::start()
            .with("session", self.parts.session.as_str())
            .with("model", &self.parts.model.full_name())
            .with("node_id", self.question.as_str());
        self.result.emit(self.parts.context, start).await;
    }

    /// Makes these calls of the answer in the node `turn`, and runs the chat to its end.
    pub(super) async fn finish(
        mut self,
        turn: String,
        calls: Vec<PausedCall>,
    ) -> Result<ToolReply, ToolError> {
        let last = match self.run(turn, calls).await {
            Ok(complete) => complete,
            Err(ChatStop::Failed(why)) => self.failure(&why),
            Err(ChatStop::Error(error)) => return Err(error),
        };
        self.result.emit(self.parts.context, last).await;
        Ok(self.result.into_reply())
    }

    /// Makes these calls, asks the model, makes the calls it wants, and so on to its final answer.
    async fn run(
        &mut self,
        mut turn: String,
        mut calls: Vec<PausedCall>,
    ) -> Result<StreamEvent, ChatStop> {
        loop {
            self.make_calls(&turn, calls).await?;
            let answer = self.next_answer().await?;
            let (wanted, stop) = (answer.calls(), &answer.completion.stop);
            let step = self.progress.answered(wanted, stop, &self.totals);
            let scanner = self.parts.context.state().service.parts().scanner;
            let node = answer_node(&self.parts.model.full_name(), &answer, scanner);
            let head = self.store(node).await?;
            turn = self.parts.conversation.last().as_str().to_owned();
            calls = match step {
                TurnStep::Call(next) => next.into_iter().map(PausedCall::first).collect(),
                TurnStep::Ask => Vec::new(),
                TurnStep::End(TurnEnd::Limit(TurnLimit::Requests(turns))) => {
                    return Err(ChatStop::Failed(format!(
                        "the model still asks for tools after {turns} turns, which is the limit \
                         (`max_turns`); its last calls were not made"
                    )));
                }
                // The event says why the model stopped, also if its answer was cut off.
                TurnStep::End(_) => return Ok(self.completion(&head, &answer)),
            };
        }
    }

    /// Asks the model once, and forwards its answer as it arrives. Dropping the future closes the
    /// connection to the provider.
    async fn next_answer(&mut self) -> Result<ModelAnswer, ChatStop> {
        let stream = self.parts.model.provider.chat(self.request());
        let mut receiver = AnswerReceiver::new(stream, AnswerLimits::default());
        let failed = |error: AnswerError| ChatStop::Failed(error.to_string());
        loop {
            let event = match receiver.next().await.map_err(failed)? {
                AnswerPart::Complete(answer) => {
                    let answer = answer.not_empty().map_err(failed)?;
                    self.totals.add(&answer.completion);
                    return Ok(answer);
                }
                AnswerPart::Event(ModelEvent::Text(piece)) => StreamEvent::content(piece),
                AnswerPart::Event(ModelEvent::Thinking(piece)) => StreamEvent::thinking(piece),
                AnswerPart::Event(ModelEvent::ToolUse(call)) => self.tool_use_event(&call),
                AnswerPart::Event(_) => continue,
            };
            self.result.emit(self.parts.context, event).await;
        }
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
            head: self.parts.conversation.last().as_str().to_owned(),
            turn: turn.to_owned(),
            turns: self.progress.requests(),
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
        let text = masked(text, scanner);
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

    /// Appends a node and moves the session's head to it, in one transaction. Returns the head.
    async fn store(&mut self, node: NewNode) -> Result<NodeId, ChatStop> {
        let stored = self.parts.conversation.add(node).await;
        let chats = self.parts.context.state();
        stored.map_err(|error| chats.conversation_refused(error).into())
    }

    fn request(&self) -> ModelRequest {
        let ChatParts { model, conversation, settings, tools, .. } = &self.parts;
        let (path, tree) = (conversation.path(), conversation.tree());
        let mut request = model_request(&model.model.id, path, tools.offered().to_vec(), tree);
        settings.apply(&mut request);
        request
    }

    /// The events that the caller received after its prompt, rebuilt from the stored nodes.
    fn events_so_far(&self) -> impl Iterator<Item = StreamEvent> {
        let path = self.parts.conversation.path().iter();
        let behind = path.skip_while(|node| node.shape.id != self.question).skip(1);
        let blocks = behind.filter_map(|node| match ToolTurn::of(node)? {
            ToolTurn::Calls(blocks) => Some(blocks),
            ToolTurn::Result { .. } => None,
        });
        blocks.flatten().filter_map(|block| match block {
            ModelBlock::Text(text) => Some(StreamEvent::content(text)),
            ModelBlock::ToolUse(call) => Some(self.tool_use_event(&call)),
            ModelBlock::Image(_) | ModelBlock::ToolResult(_) | ModelBlock::Thinking(_) => None,
        })
    }

    /// The event for a call that the model wants, with the tool's name in the view.
    fn tool_use_event(&self, call: &ToolUse) -> StreamEvent {
        let name = self.parts.tools.listed_name(&call.name);
        StreamEvent::tool_use(name, &call.input).with("tool_use_id", &call.id)
    }

    fn completion(&self, head: &NodeId, answer: &ModelAnswer) -> StreamEvent {
        let event = StreamEvent::complete()
            .with("session", self.parts.session.as_str())
            .with("head", head.as_str())
            .with("node_id", self.parts.conversation.last().as_str())
            .with("model", &self.parts.model.full_name())
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
        let goes_on = match self.progress.requests() {
            0 => "from its head as before",
            _ => "behind what was done so far",
        };
        StreamEvent::error(&format!(
            "{why}; your prompt is node {question}, and the session goes on {goes_on}"
        ))
    }
}
