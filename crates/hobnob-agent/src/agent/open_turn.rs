//! A running turn: asks the model, makes its calls, stores every step, as the rules in `turn` say.
//!
//! What must stay true: the history stays consistent even if a turn ends early: every call has a
//! result, and a question without any answer is not in the history.

use super::parts::AskOutcome;
use super::{Agent, TurnReport};
use crate::agent_event::{AgentEvent, AgentView};
use crate::answer::AnswerError;
use crate::conversation::ConversationError;
use crate::stored_turns::{answer_node, interrupted_node, masked, result_node};
use crate::summary::is_due;
use crate::turn::{TurnEnd, TurnProgress, TurnStep};
use hobnob_llm::ToolOutcome;
use hobnob_store::trees::NewNode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The turn that is running.
pub(super) struct OpenTurn<'a> {
    pub(super) agent: &'a mut Agent,
    pub(super) view: &'a Arc<dyn AgentView>,
    pub(super) cancel: &'a CancellationToken,
    pub(super) question: &'a str,
    pub(super) progress: TurnProgress,
    /// Whether the model has answered, so that the question is in the history.
    pub(super) kept: bool,
    /// The last text of the model.
    text: String,
}

impl Agent {
    /// Runs a turn to its end. When `cancel` is cancelled, the turn ends with a consistent history.
    pub async fn turn(
        &mut self,
        question: String,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<TurnReport, ConversationError> {
        self.context.ask(&question).await?;
        let (progress, first) = TurnProgress::begin(self.parts.options.limits, &self.totals());
        let (agent, question, text) = (self, &*question, String::new());
        let turn = OpenTurn { agent, view, cancel, question, progress, kept: false, text };
        turn.run(first).await
    }
}

impl OpenTurn<'_> {
    async fn run(mut self, first: TurnStep) -> Result<TurnReport, ConversationError> {
        let mut step = first;
        let end = loop {
            step = match step {
                TurnStep::Ask => self.ask().await?,
                TurnStep::Call(calls) => self.make_calls(calls).await?,
                TurnStep::End(end) => break end,
            };
        };
        self.close(&end).await?;
        if !self.kept {
            self.agent.context.take_back(self.question);
        }
        self.view.show(&AgentEvent::TurnEnded(end.clone()));
        let requests = self.progress.requests();
        Ok(TurnReport { end, text: self.text, requests, kept: self.kept })
    }

    /// Asks the model, and stores what it says.
    async fn ask(&mut self) -> Result<TurnStep, ConversationError> {
        match self.answer().await? {
            AskOutcome::Answered(answer) => {
                if !answer.is_empty() {
                    let model = self.agent.model().full_name();
                    self.keep(answer_node(&model, &answer, self.agent.parts.scanner)).await?;
                }
                let (calls, spent) = (answer.calls(), self.agent.totals());
                let step = self.progress.answered(calls, &answer.completion.stop, &spent);
                if !answer.text.trim().is_empty() {
                    self.text = answer.text;
                }
                Ok(step)
            }
            AskOutcome::Interrupted(said) => {
                if !said.trim().is_empty() {
                    self.keep(interrupted_node(&masked(&said, self.agent.parts.scanner))).await?;
                    self.text = said;
                }
                Ok(TurnStep::End(TurnEnd::Interrupted))
            }
            AskOutcome::NoAnswer(error) => Ok(TurnStep::End(TurnEnd::Failed(error.to_string()))),
        }
    }

    async fn keep(&mut self, node: NewNode) -> Result<(), ConversationError> {
        self.agent.context.conversation.add(node).await?;
        self.kept = true;
        Ok(())
    }

    /// Gets an answer. If the model's context is nearly full, a summary replaces old turns first; if
    /// the provider says that the request is too long, the model is asked once more after a summary.
    async fn answer(&mut self) -> Result<AskOutcome, ConversationError> {
        let (tokens, context) = self.agent.context();
        if is_due(tokens, context) {
            self.compact().await?;
        }
        let mut asked = self.request().await;
        if let AskOutcome::NoAnswer(AnswerError::TooLong(_)) = &asked
            && self.compact().await?
        {
            asked = self.request().await;
        }
        Ok(match asked {
            AskOutcome::Answered(answer) if !self.kept => {
                answer.not_empty().map_or_else(AskOutcome::NoAnswer, AskOutcome::Answered)
            }
            asked => asked,
        })
    }

    /// Sends one request with the conversation and the offered tools.
    async fn request(&mut self) -> AskOutcome {
        let agent = &mut *self.agent;
        let offered = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return AskOutcome::Interrupted(String::new()),
            offered = agent.tools.offered() => offered,
        };
        let mut request = agent.context.request(&agent.parts.model.model, offered);
        let options = &agent.parts.options;
        (request.max_tokens, request.thinking) = (options.max_tokens, options.thinking);
        self.view.show(&AgentEvent::Asked);
        let request = (request, agent.context.tokens);
        let asked = agent.parts.ask(request, Some(self.view), self.cancel).await;
        if let AskOutcome::Answered(answer) = &asked {
            agent.context.answered(answer);
            let (usage, cost) = (answer.completion.usage, answer.completion.cost);
            self.view.show(&AgentEvent::Answered { usage, cost });
        }
        asked
    }

    /// Stores a result for every call that is still open.
    async fn close(&mut self, end: &TurnEnd) -> Result<(), ConversationError> {
        let why = match end {
            TurnEnd::Complete | TurnEnd::Failed(_) => return Ok(()),
            TurnEnd::Interrupted => {
                "interrupted by the person before it ended; it may or may not have had an effect"
                    .to_owned()
            }
            TurnEnd::Limit(limit) => format!("the call was not made: {limit}"),
        };
        for call in self.progress.open_calls() {
            let node = result_node(&call.name, call, why.clone(), ToolOutcome::Failed);
            self.agent.context.conversation.add(node).await?;
        }
        Ok(())
    }
}
