//! Carries out a turn: asks the model, makes its calls, stores every step.
//!
//! The rules are in `turn`. What must stay true: the history stays consistent even if a turn ends
//! early: every call has a result, and a question without any answer is not in the history.

mod calls;
mod compaction;

use crate::agent_event::{AgentEvent, AgentView};
use crate::agent_tools::AgentTools;
use crate::answer::{
    AnswerError, AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer, estimated_tokens,
};
use crate::chat_totals::{ChatTotals, SharedTotals};
use crate::conversation::{Conversation, ConversationError};
use crate::conversation_path::size;
use crate::hooks::AgentHooks;
use crate::model_request::model_request;
use crate::stored_turns::{answer_node, interrupted_node, result_node};
use crate::summary::{context_tokens, is_due};
use crate::tool_images::KeptImages;
use crate::turn::{TurnEnd, TurnLimits, TurnProgress, TurnStep};
use hobnob_llm::{
    ModelCapability, ModelCompletion, ModelEvent, ModelImage, ModelRequest, ResolvedModel,
    StopReason, ThinkingWish, ToolOutcome,
};
use hobnob_secrets::Scanner;
use hobnob_store::trees::NodeId;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// The options of an agent's requests and calls.
#[derive(Debug, Clone)]
pub struct AskOptions {
    /// The limits of a turn.
    pub limits: TurnLimits,
    /// How many calls of one answer run at the same time; at least one.
    pub parallel: usize,
    /// Limits each answer in tokens, thinking included.
    pub max_tokens: Option<u32>,
    /// How much the model should think.
    pub thinking: ThinkingWish,
}

/// The parts of an agent.
pub struct AgentParts {
    /// The conversation that the agent continues.
    pub conversation: Conversation,
    /// The model that answers.
    pub model: ResolvedModel,
    /// The tools that the model can call.
    pub tools: Arc<dyn AgentTools>,
    /// The hooks around each call.
    pub hooks: Arc<dyn AgentHooks>,
    /// Masks credentials in what is stored.
    pub scanner: Option<Scanner>,
    /// The options of its requests and calls.
    pub options: AskOptions,
    /// The totals that the agent adds to. Its limits apply to all that is counted there.
    pub spent: SharedTotals,
}

/// A model with tools in a conversation.
pub struct Agent {
    parts: AgentParts,
    /// The expected tokens of the next request: the provider's count of the last request and its
    /// answer, plus an estimate of what was added since.
    prompt_tokens: u64,
    /// Pictures of tools and questions, for models that accept them.
    images: KeptImages,
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

/// The outcome of one request.
enum AskOutcome {
    Answered(ModelAnswer),
    /// The person interrupted the answer. This text had arrived.
    Interrupted(String),
    /// The provider says that the request exceeds the model's context.
    TooLong(String),
    Failed(String),
}

/// The turn that is running.
struct OpenTurn {
    question: String,
    /// Whether the model has answered, so that the question is in the history.
    kept: bool,
}

impl Agent {
    /// An agent that continues a conversation.
    pub fn new(parts: AgentParts) -> Self {
        let prompt_tokens = path_tokens(&parts.conversation);
        Self { parts, prompt_tokens, images: KeptImages::default() }
    }

    /// The conversation so far.
    pub fn conversation(&self) -> &Conversation {
        &self.parts.conversation
    }

    /// Continues with another conversation.
    pub fn set_conversation(&mut self, conversation: Conversation) {
        self.prompt_tokens = path_tokens(&conversation);
        self.images = KeptImages::default();
        self.parts.conversation = conversation;
    }

    /// Continues at another node of the conversation's tree.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        self.parts.conversation.move_to(node).await?;
        self.prompt_tokens = path_tokens(&self.parts.conversation);
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

    /// Lets the next turns use these tools.
    pub fn set_tools(&mut self, tools: Arc<dyn AgentTools>) {
        self.parts.tools = tools;
    }

    /// The totals of all turns so far, including those of sub-agents.
    pub fn totals(&self) -> ChatTotals {
        self.parts.spent.get()
    }

    /// The expected tokens of the next request, and the size of the model's context.
    pub fn context(&self) -> (u64, u64) {
        (self.prompt_tokens, context_tokens(&self.parts.model.model))
    }

    /// Keeps a picture for questions that contain its words, which `picture_words` made.
    pub fn keep_picture(&mut self, words: &str, picture: ModelImage) {
        self.images.keep(words, vec![picture]);
    }

    /// Runs a turn to its end. When `cancel` is cancelled, the turn ends with a consistent history.
    pub async fn turn(
        &mut self,
        question: String,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<TurnReport, ConversationError> {
        let mut open = OpenTurn { question, kept: false };
        self.put(&open.question).await?;
        let (mut turn, mut step) = TurnProgress::begin(self.parts.options.limits, &self.totals());
        let mut text = String::new();
        let end = loop {
            step = match step {
                TurnStep::Ask => match self.ask(&open, view, cancel).await? {
                    AskOutcome::Answered(answer) => {
                        if !answer.is_empty() {
                            let node = answer_node(&self.model_id(), &answer, self.parts.scanner);
                            self.parts.conversation.add(node).await?;
                            open.kept = true;
                        }
                        let stop = &answer.completion.stop;
                        let step = turn.answered(answer.calls(), stop, &self.totals());
                        if !answer.text.trim().is_empty() {
                            text = answer.text;
                        }
                        step
                    }
                    AskOutcome::Interrupted(said) => {
                        if !said.trim().is_empty() {
                            let node = interrupted_node(&self.masked(&said));
                            self.parts.conversation.add(node).await?;
                            (text, open.kept) = (said, true);
                        }
                        TurnStep::End(TurnEnd::Interrupted)
                    }
                    AskOutcome::TooLong(why) | AskOutcome::Failed(why) => {
                        TurnStep::End(TurnEnd::Failed(why))
                    }
                },
                TurnStep::Call(calls) => self.make_calls(&mut turn, calls, view, cancel).await?,
                TurnStep::End(end) => break end,
            };
        };
        self.close(&turn, &end).await?;
        if !open.kept {
            self.take_back(&open.question);
        }
        view.show(&AgentEvent::TurnEnded(end.clone()));
        Ok(TurnReport { end, text, requests: turn.requests(), kept: open.kept })
    }

    /// Appends a question to the conversation.
    async fn put(&mut self, question: &str) -> Result<(), ConversationError> {
        self.parts.conversation.ask(question.to_owned()).await?;
        self.prompt_tokens = self.prompt_tokens.saturating_add(estimated_tokens(question.len()));
        Ok(())
    }

    /// Takes back the last question.
    fn take_back(&mut self, question: &str) {
        self.parts.conversation.drop_question();
        self.prompt_tokens = self.prompt_tokens.saturating_sub(estimated_tokens(question.len()));
    }

    /// Asks the model. If its context is nearly full, a summary replaces old turns first; if the
    /// provider says that the request is too long, the model is asked once more after a summary.
    async fn ask(
        &mut self,
        open: &OpenTurn,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<AskOutcome, ConversationError> {
        let (tokens, context) = self.context();
        if is_due(tokens, context) {
            self.compact(open, view, cancel).await?;
        }
        let asked = match self.request(view, cancel).await {
            AskOutcome::TooLong(why) => match self.compact(open, view, cancel).await? {
                true => self.request(view, cancel).await,
                false => AskOutcome::TooLong(why),
            },
            asked => asked,
        };
        Ok(match asked {
            AskOutcome::Answered(answer) if !open.kept => match answer.not_empty() {
                Ok(answer) => AskOutcome::Answered(answer),
                Err(why) => AskOutcome::Failed(why.to_string()),
            },
            asked => asked,
        })
    }

    /// Sends one request with the conversation and the offered tools.
    async fn request(
        &mut self,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> AskOutcome {
        let offered = tokio::select! {
            biased;
            () = cancel.cancelled() => return AskOutcome::Interrupted(String::new()),
            offered = self.parts.tools.offered() => offered,
        };
        let AgentParts { conversation, model, options, .. } = &self.parts;
        let (path, tree) = (conversation.path(), conversation.tree());
        let mut request = model_request(&model.model.id, path, offered, tree);
        (request.max_tokens, request.thinking) = (options.max_tokens, options.thinking);
        if model.model.capabilities.contains(&ModelCapability::Images) {
            self.images.attach(&mut request.messages);
        }
        view.show(&AgentEvent::Asked);
        let asked = self.receive(request, Some(view), cancel).await;
        if let AskOutcome::Answered(ModelAnswer { completion, text, .. }) = &asked {
            let (usage, cost) = (completion.usage, completion.cost);
            let estimated = self.prompt_tokens.saturating_add(estimated_tokens(text.len()));
            self.prompt_tokens = usage.map_or(estimated, |usage| usage.total());
            view.show(&AgentEvent::Answered { usage, cost });
        }
        asked
    }

    async fn receive(
        &mut self,
        request: ModelRequest,
        view: Option<&Arc<dyn AgentView>>,
        cancel: &CancellationToken,
    ) -> AskOutcome {
        let stream = self.parts.model.provider.chat(request);
        let mut receiver = AnswerReceiver::new(stream, AnswerLimits::default());
        loop {
            let part = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.count_partial(&receiver);
                    return AskOutcome::Interrupted(receiver.text().to_owned());
                }
                part = receiver.next() => part,
            };
            let event = match part {
                Err(error) => {
                    self.count_partial(&receiver);
                    return match error {
                        AnswerError::TooLong(why) => AskOutcome::TooLong(why),
                        AnswerError::Failed(why) => AskOutcome::Failed(why),
                    };
                }
                Ok(AnswerPart::Complete(answer)) => {
                    self.parts.spent.add(&answer.completion);
                    return AskOutcome::Answered(answer);
                }
                Ok(AnswerPart::Event(ModelEvent::Text(piece))) => AgentEvent::Text(piece),
                Ok(AnswerPart::Event(ModelEvent::Thinking(piece))) => AgentEvent::Thinking(piece),
                Ok(AnswerPart::Event(ModelEvent::Retrying { why, wait })) => {
                    AgentEvent::Retrying { why, wait }
                }
                Ok(AnswerPart::Event(_)) => continue,
            };
            if let Some(view) = view {
                view.show(&event);
            }
        }
    }

    /// Adds the usage of an answer that ended early to the totals, because the provider charges for it.
    fn count_partial(&self, receiver: &AnswerReceiver) {
        if let Some(usage) = receiver.taken(self.prompt_tokens) {
            let prices = self.parts.model.model.prices.as_ref();
            let cost = prices.and_then(|prices| prices.cost(&usage));
            let stop = StopReason::Other("interrupted".into());
            self.parts.spent.add(&ModelCompletion { stop, usage: Some(usage), cost });
        }
    }

    /// Stores a result for every call that is still open.
    async fn close(&mut self, turn: &TurnProgress, end: &TurnEnd) -> Result<(), ConversationError> {
        let why = match end {
            TurnEnd::Complete | TurnEnd::Failed(_) => return Ok(()),
            TurnEnd::Interrupted => {
                "interrupted by the person before it ended; it may or may not have had an effect"
                    .to_owned()
            }
            TurnEnd::Limit(limit) => format!("the call was not made: {limit}"),
        };
        for call in turn.open_calls() {
            let node = result_node(&call.name, call, why.clone(), ToolOutcome::Failed);
            self.parts.conversation.add(node).await?;
        }
        Ok(())
    }

    fn model_id(&self) -> String {
        let ResolvedModel { provider, model } = &self.parts.model;
        format!("{}/{}", provider.name(), model.id)
    }

    fn masked(&self, text: &str) -> String {
        self.parts.scanner.map_or_else(|| text.to_owned(), |it| it.redact(text).0)
    }
}

/// Estimates the tokens of a conversation, until a provider has counted them.
fn path_tokens(conversation: &Conversation) -> u64 {
    estimated_tokens(conversation.path().iter().map(size).sum())
}
