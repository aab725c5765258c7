//! Compaction: makes room in the model's context, by a summary that replaces old turns.
//!
//! What must stay true: the question that is being answered stays word for word, and a conversation
//! that could not be summarised continues unchanged.

use super::Agent;
use super::open_turn::OpenTurn;
use super::parts::AskOutcome;
use crate::agent_event::{AgentEvent, AgentView};
use crate::answer::AnswerError;
use crate::conversation::ConversationError;
use crate::stored_turns::masked;
use crate::summary::{summary_node, summary_request};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Divisors of the assumed context. They are tried in order while the provider says that the
/// request for a summary is too long as well, because the real context of a model may be unknown.
const CONTEXT_DIVISORS: [u64; 3] = [1, 4, 16];

impl Agent {
    /// Replaces what was said with a summary. Returns its text, or why there is none.
    pub async fn summarise(
        &mut self,
        focus: Option<&str>,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Result<String, String>, ConversationError> {
        self.sum_up(focus, None, view, cancel).await
    }

    async fn sum_up(
        &mut self,
        focus: Option<&str>,
        open_question: Option<&str>,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Result<String, String>, ConversationError> {
        let text = match self.ask_for_summary(focus, cancel).await {
            Ok(text) => masked(&text, self.parts.scanner),
            Err(why) => return Ok(Err(why)),
        };
        self.context.conversation.add(summary_node(&text, open_question)).await?;
        self.context.estimate();
        view.show(&AgentEvent::Summarised(text.clone()));
        Ok(Ok(text))
    }

    async fn ask_for_summary(
        &mut self,
        focus: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let (tokens, context) = self.context();
        let mut refused = String::new();
        for divisor in CONTEXT_DIVISORS {
            let (model, path) = (&self.parts.model.model, self.conversation().path());
            let request = summary_request(&model.id, path, context / divisor, focus);
            let answer = match self.parts.ask((request, tokens), None, cancel).await {
                AskOutcome::Answered(answer) => answer.not_empty(),
                AskOutcome::Interrupted(_) => return Err("interrupted".into()),
                AskOutcome::NoAnswer(error) => Err(error),
            };
            match answer {
                Ok(answer) => return Ok(answer.text),
                Err(AnswerError::Failed(why)) => return Err(why),
                Err(AnswerError::TooLong(why)) => refused = why,
            }
        }
        Err(refused)
    }
}

impl OpenTurn<'_> {
    /// Summarises everything but the open question. Returns `false` if that was not possible.
    pub(super) async fn compact(&mut self) -> Result<bool, ConversationError> {
        let Self { agent, view, cancel, question, kept, .. } = self;
        if !agent.conversation().has_answers() {
            return Ok(false);
        }
        let made = match kept {
            // The question was answered in part, and the summary contains that part.
            true => agent.sum_up(None, Some(question), view, cancel).await?,
            false => {
                agent.context.take_back(question);
                let made = agent.sum_up(None, None, view, cancel).await?;
                agent.context.ask(question).await?;
                made
            }
        };
        if let Err(why) = &made
            && !cancel.is_cancelled()
        {
            view.show(&AgentEvent::NotSummarised(why.clone()));
        }
        Ok(made.is_ok())
    }
}
