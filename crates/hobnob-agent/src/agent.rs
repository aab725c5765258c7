//! Carries a turn out: asks the model, makes its calls, stores every step.
//!
//! The rules are in `turn`. What must stay true: whatever ends a turn early, what is in the history is
//! whole: every call has a result, and a question without any answer is not in it.

mod calls;

use crate::agent_event::{AgentEvent, AgentView};
use crate::agent_tools::AgentTools;
use crate::answer::{AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer};
use crate::chat_totals::{ChatTotals, SharedTotals};
use crate::conversation::{Conversation, ConversationError};
use crate::conversation_path::size;
use crate::hooks::AgentHooks;
use crate::model_request::model_request;
use crate::stored_turns::{answer_node, interrupted_node, result_node};
use crate::summary::{context_tokens, is_due, summary_node, summary_request};
use crate::tool_images::KeptImages;
use crate::turn::{TurnEnd, TurnLimits, TurnProgress, TurnStep};
use hobnob_llm::{
    ModelCapability, ModelEvent, ModelRequest, ResolvedModel, ThinkingWish, ToolOutcome,
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
    /// The tokens of the last request and its answer: what the next one begins with.
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
    Failed(String),
}

impl Agent {
    /// An agent that goes on with a conversation.
    pub fn new(parts: AgentParts) -> Self {
        let prompt_tokens = about_tokens(&parts.conversation);
        Self { parts, prompt_tokens, images: KeptImages::default() }
    }

    /// What was said so far.
    pub fn conversation(&self) -> &Conversation {
        &self.parts.conversation
    }

    /// Goes on with another conversation.
    pub fn set_conversation(&mut self, conversation: Conversation) {
        self.prompt_tokens = about_tokens(&conversation);
        self.images = KeptImages::default();
        self.parts.conversation = conversation;
    }

    /// Goes on at another node of the conversation's tree.
    pub async fn move_to(&mut self, node: NodeId) -> Result<(), ConversationError> {
        self.parts.conversation.move_to(node).await?;
        self.prompt_tokens = about_tokens(&self.parts.conversation);
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

    /// Takes a turn from the question to its end. Once `cancel` is, it ends early and whole.
    pub async fn turn(
        &mut self,
        question: String,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<TurnReport, ConversationError> {
        self.parts.conversation.ask(question).await?;
        let (mut turn, mut step) = TurnProgress::begin(self.parts.options.limits, &self.totals());
        let (mut text, mut kept) = (String::new(), false);
        let end = loop {
            step = match step {
                TurnStep::Ask => match self.ask(view, cancel).await? {
                    Asked::Answered(answer) => {
                        let node = answer_node(&self.model_id(), &answer, self.parts.scanner);
                        self.parts.conversation.add(node).await?;
                        kept = true;
                        let step = turn.answered(answer.calls(), &self.totals());
                        text = answer.text;
                        step
                    }
                    Asked::Interrupted(said) => {
                        if !said.trim().is_empty() {
                            let node = interrupted_node(&self.masked(&said));
                            self.parts.conversation.add(node).await?;
                            (text, kept) = (said, true);
                        }
                        TurnStep::End(TurnEnd::Interrupted)
                    }
                    Asked::Failed(why) => TurnStep::End(TurnEnd::Failed(why)),
                },
                TurnStep::Call(calls) => self.make_calls(&mut turn, calls, view, cancel).await?,
                TurnStep::End(end) => break end,
            };
        };
        self.close(&turn, &end).await?;
        if !kept {
            self.parts.conversation.drop_question();
        }
        view.show(&AgentEvent::TurnEnded(end.clone()));
        Ok(TurnReport { end, text, requests: turn.requests(), kept })
    }

    /// Puts a summary in the place of what was said. Its text; nothing if there is nothing to sum up.
    pub async fn summarise(
        &mut self,
        focus: Option<&str>,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Result<String, String>, ConversationError> {
        let (_, context) = self.context();
        let model = &self.parts.model.model;
        let request = summary_request(&model.id, self.parts.conversation.path(), context, focus);
        let answer = match self.receive(request, None, cancel).await {
            Asked::Answered(answer) => answer,
            Asked::Interrupted(_) => return Ok(Err("interrupted".into())),
            Asked::Failed(why) => return Ok(Err(why)),
        };
        let text = self.masked(&answer.text);
        self.parts.conversation.add(summary_node(text.clone())).await?;
        self.prompt_tokens = u64::try_from(text.len() / 4).unwrap_or(u64::MAX);
        view.show(&AgentEvent::Summarised(text.clone()));
        Ok(Ok(text))
    }

    /// Asks the model once, after a summary if its context is nearly full.
    async fn ask(
        &mut self,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Asked, ConversationError> {
        let (tokens, context) = self.context();
        if is_due(tokens, context)
            && let Err(why) = self.summarise(None, view, cancel).await?
        {
            if cancel.is_cancelled() {
                return Ok(Asked::Interrupted(String::new()));
            }
            tracing::warn!("no summary was made: {why}");
        }
        let offered = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(Asked::Interrupted(String::new())),
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
        if let Asked::Answered(ModelAnswer { completion, .. }) = &asked {
            let (usage, cost) = (completion.usage, completion.cost);
            self.prompt_tokens = usage.map_or(self.prompt_tokens, |usage| usage.total());
            view.show(&AgentEvent::Answered { usage, cost });
        }
        Ok(asked)
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
                () = cancel.cancelled() => return Asked::Interrupted(receiver.text().to_owned()),
                part = receiver.next() => part,
            };
            let event = match part {
                Err(why) => return Asked::Failed(why),
                Ok(AnswerPart::Complete(answer)) => {
                    self.parts.spent.add(&answer.completion);
                    return Asked::Answered(answer);
                }
                Ok(AnswerPart::Event(ModelEvent::Text(piece))) => AgentEvent::Text(piece),
                Ok(AnswerPart::Event(ModelEvent::Thinking(piece))) => AgentEvent::Thinking(piece),
                Ok(AnswerPart::Event(_)) => continue,
            };
            if let Some(view) = view {
                view.show(&event);
            }
        }
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

/// What a conversation takes of a context, until a provider has counted: four bytes are about a token.
fn about_tokens(conversation: &Conversation) -> u64 {
    let bytes: usize = conversation.path().iter().map(size).sum();
    u64::try_from(bytes / 4).unwrap_or(u64::MAX)
}
