//! Carries a turn out: asks the model, makes its calls, stores every step.
//!
//! The rules are in `turn`. What must stay true: whatever ends a turn early, what is in the history is
//! whole: every call has a result, and a question without any answer is not in it.

mod calls;
mod compaction;

use crate::agent_event::{AgentEvent, AgentView};
use crate::agent_tools::AgentTools;
use crate::answer::{
    AnswerError, AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer, about_tokens,
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

/// How an agent asks and calls.
#[derive(Debug, Clone)]
pub struct AskOptions {
    /// What a turn may take.
    pub limits: TurnLimits,
    /// Calls of one answer that run at the same time; at least one.
    pub parallel: usize,
    /// Bounds each answer, thinking included.
    pub max_tokens: Option<u32>,
    /// How much the model should think.
    pub thinking: ThinkingWish,
}

/// What an agent is made of.
pub struct AgentParts {
    /// What was said, and where it goes on.
    pub conversation: Conversation,
    /// Whom the questions go to.
    pub model: ResolvedModel,
    /// What the model can have called.
    pub tools: Arc<dyn AgentTools>,
    /// Who has a say around each call.
    pub hooks: Arc<dyn AgentHooks>,
    /// Masks credentials in what is stored.
    pub scanner: Option<Scanner>,
    /// How it asks and calls.
    pub options: AskOptions,
    /// Where it counts what it takes; its limits are about all that is counted there.
    pub spent: SharedTotals,
}

/// A model with tools in a conversation.
pub struct Agent {
    parts: AgentParts,
    /// The tokens of the next request: what the provider has counted of the last one and its answer, and
    /// an estimate of what came since.
    prompt_tokens: u64,
    /// Pictures that tools gave, for models that take them.
    images: KeptImages,
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnReport {
    /// How the turn ended.
    pub end: TurnEnd,
    /// What the model said last.
    pub text: String,
    /// How often the model was asked.
    pub requests: u32,
    /// Whether the turn is in the history; if not, the question may be asked again.
    pub kept: bool,
}

/// What came of one request.
enum Asked {
    Answered(ModelAnswer),
    /// The person had enough; this much had come.
    Interrupted(String),
    /// The provider says that the model does not take so much.
    TooLong(String),
    Failed(String),
}

/// The turn that is being taken.
struct OpenTurn {
    question: String,
    /// Whether the model has answered, so that the question is in the history.
    kept: bool,
}

impl Agent {
    /// An agent that goes on with a conversation.
    pub fn new(parts: AgentParts) -> Self {
        let prompt_tokens = path_tokens(&parts.conversation);
        Self { parts, prompt_tokens, images: KeptImages::default() }
    }

    /// What was said so far.
    pub fn conversation(&self) -> &Conversation {
        &self.parts.conversation
    }

    /// Goes on with another conversation.
    pub fn set_conversation(&mut self, conversation: Conversation) {
        self.prompt_tokens = path_tokens(&conversation);
        self.images = KeptImages::default();
        self.parts.conversation = conversation;
    }

    /// Goes on at another node of the conversation's tree.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        self.parts.conversation.move_to(node).await?;
        self.prompt_tokens = path_tokens(&self.parts.conversation);
        Ok(())
    }

    /// Whom the questions go to.
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

    /// What all turns took so far, also those of sub-agents.
    pub fn totals(&self) -> ChatTotals {
        self.parts.spent.get()
    }

    /// How full the model's context is: tokens, and how many it takes.
    pub fn context(&self) -> (u64, u64) {
        (self.prompt_tokens, context_tokens(&self.parts.model.model))
    }

    /// Keeps a picture for questions that have these words, of `picture_words`.
    pub fn keep_picture(&mut self, words: &str, picture: ModelImage) {
        self.images.keep(words, vec![picture]);
    }

    /// Takes a turn from the question to its end. Once `cancel` is, it ends early and whole.
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
                    Asked::Answered(answer) => {
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
                    Asked::Interrupted(said) => {
                        if !said.trim().is_empty() {
                            let node = interrupted_node(&self.masked(&said));
                            self.parts.conversation.add(node).await?;
                            (text, open.kept) = (said, true);
                        }
                        TurnStep::End(TurnEnd::Interrupted)
                    }
                    Asked::TooLong(why) | Asked::Failed(why) => TurnStep::End(TurnEnd::Failed(why)),
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

    /// Puts a question behind what was said.
    async fn put(&mut self, question: &str) -> Result<(), ConversationError> {
        self.parts.conversation.ask(question.to_owned()).await?;
        self.prompt_tokens = self.prompt_tokens.saturating_add(about_tokens(question.len()));
        Ok(())
    }

    /// Takes the question back that was put last.
    fn take_back(&mut self, question: &str) {
        self.parts.conversation.drop_question();
        self.prompt_tokens = self.prompt_tokens.saturating_sub(about_tokens(question.len()));
    }

    /// Asks the model once, after a summary if its context is nearly full, and once more after one if the
    /// provider says that it is full.
    async fn ask(
        &mut self,
        open: &OpenTurn,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Asked, ConversationError> {
        let (tokens, context) = self.context();
        if is_due(tokens, context) {
            self.compact(open, view, cancel).await?;
        }
        let asked = match self.request(view, cancel).await {
            Asked::TooLong(why) => match self.compact(open, view, cancel).await? {
                true => self.request(view, cancel).await,
                false => Asked::TooLong(why),
            },
            asked => asked,
        };
        Ok(match asked {
            Asked::Answered(answer) if !open.kept => match answer.not_empty() {
                Ok(answer) => Asked::Answered(answer),
                Err(why) => Asked::Failed(why.to_string()),
            },
            asked => asked,
        })
    }

    /// Asks the model with what was said and what it is offered.
    async fn request(&mut self, view: &Arc<dyn AgentView>, cancel: &CancellationToken) -> Asked {
        let offered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Asked::Interrupted(String::new()),
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
        if let Asked::Answered(ModelAnswer { completion, text, .. }) = &asked {
            let (usage, cost) = (completion.usage, completion.cost);
            let estimated = self.prompt_tokens.saturating_add(about_tokens(text.len()));
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
    ) -> Asked {
        let stream = self.parts.model.provider.chat(request);
        let mut receiver = AnswerReceiver::new(stream, AnswerLimits::default());
        loop {
            let part = tokio::select! {
                biased;
                () = cancel.cancelled() => return self.interrupted(&receiver),
                part = receiver.next() => part,
            };
            let event = match part {
                Err(AnswerError::TooLong(why)) => return Asked::TooLong(why),
                Err(AnswerError::Failed(why)) => return Asked::Failed(why),
                Ok(AnswerPart::Complete(answer)) => {
                    self.parts.spent.add(&answer.completion);
                    return Asked::Answered(answer);
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

    /// Counts what an answer has taken that the person ended: the provider wants it all the same.
    fn interrupted(&self, receiver: &AnswerReceiver) -> Asked {
        if let Some(usage) = receiver.taken(self.prompt_tokens) {
            let prices = self.parts.model.model.prices.as_ref();
            let cost = prices.and_then(|prices| prices.cost(&usage));
            let stop = StopReason::Other("interrupted".into());
            self.parts.spent.add(&ModelCompletion { stop, usage: Some(usage), cost });
        }
        Asked::Interrupted(receiver.text().to_owned())
    }

    /// Gives every call that is still open a result.
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

/// What a conversation takes of a context, until a provider has counted.
fn path_tokens(conversation: &Conversation) -> u64 {
    about_tokens(conversation.path().iter().map(size).sum())
}
