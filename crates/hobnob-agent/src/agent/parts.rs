//! The parts of an agent, and how it asks its model: every answer is counted, also one that ends
//! early.
//!
//! Turns and summaries ask here; an agent shares its parts with its sub-agents.

use crate::agent_event::{AgentEvent, AgentView};
use crate::answer::{AnswerError, AnswerLimits, AnswerPart, AnswerReceiver, ModelAnswer};
use crate::chat_totals::SharedTotals;
use crate::hooks::AgentHooks;
use crate::turn::TurnLimits;
use hobnob_llm::{
    ModelCompletion, ModelEvent, ModelRequest, ResolvedModel, StopReason, ThinkingWish,
};
use hobnob_secrets::Scanner;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

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

/// The parts that an agent and its sub-agents have in common.
#[derive(Clone)]
pub struct AgentParts {
    /// The model that answers.
    pub model: ResolvedModel,
    /// The hooks around each call.
    pub hooks: Arc<dyn AgentHooks>,
    /// Masks credentials in what is stored.
    pub scanner: Option<Scanner>,
    /// The options of their requests and calls.
    pub options: AskOptions,
    /// The totals that all of them add to. The limits apply to all that is counted there.
    pub spent: SharedTotals,
}

/// The outcome of one request.
pub(super) enum AskOutcome {
    Answered(ModelAnswer),
    /// The person interrupted the answer. This text had arrived.
    Interrupted(String),
    NoAnswer(AnswerError),
}

impl AgentParts {
    /// Sends a request that has about this many tokens, and shows the answer as it arrives.
    pub(super) async fn ask(
        &self,
        (request, tokens): (ModelRequest, u64),
        view: Option<&Arc<dyn AgentView>>,
        cancel: &CancellationToken,
    ) -> AskOutcome {
        let ResolvedModel { provider, model } = &self.model;
        let mut receiver = AnswerReceiver::new(provider.chat(request), AnswerLimits::default());
        let early_end = loop {
            let part = tokio::select! {
                biased;
                () = cancel.cancelled() => break AskOutcome::Interrupted(receiver.text().to_owned()),
                part = receiver.next() => part,
            };
            let event = match part {
                Err(error) => break AskOutcome::NoAnswer(error),
                Ok(AnswerPart::Complete(answer)) => {
                    self.spent.add(&answer.completion);
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
        };
        // The provider charges for an answer that ended early, too.
        if let Some(usage) = receiver.taken(tokens) {
            let cost = model.prices.as_ref().and_then(|prices| prices.cost(&usage));
            let stop = StopReason::Other("interrupted".into());
            self.spent.add(&ModelCompletion { stop, usage: Some(usage), cost });
        }
        early_end
    }
}
