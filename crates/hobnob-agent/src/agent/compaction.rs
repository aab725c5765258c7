//! Compaction: makes room in the model's context, by a summary that replaces old turns.
//!
//! What must stay true: the question that is being answered stays word for word, and a conversation
//! that could not be summarised continues unchanged.

use super::{Agent, AskOutcome, OpenTurn, path_tokens};
use crate::agent_event::{AgentEvent, AgentView};
use crate::conversation::ConversationError;
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

    /// Summarises everything but the open question. Returns `false` if that was not possible.
    pub(super) async fn compact(
        &mut self,
        open: &OpenTurn,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<bool, ConversationError> {
        if !self.parts.conversation.has_answers() {
            return Ok(false);
        }
        let made = match open.kept {
            // The question was answered in part, and the summary contains that part.
            true => self.sum_up(None, Some(&open.question), view, cancel).await?,
            false => {
                self.take_back(&open.question);
                let made = self.sum_up(None, None, view, cancel).await?;
                self.put(&open.question).await?;
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

    async fn sum_up(
        &mut self,
        focus: Option<&str>,
        open_question: Option<&str>,
        view: &Arc<dyn AgentView>,
        cancel: &CancellationToken,
    ) -> Result<Result<String, String>, ConversationError> {
        let text = match self.ask_for_summary(focus, cancel).await {
            Ok(text) => self.masked(&text),
            Err(why) => return Ok(Err(why)),
        };
        self.parts.conversation.add(summary_node(&text, open_question)).await?;
        self.prompt_tokens = path_tokens(&self.parts.conversation);
        view.show(&AgentEvent::Summarised(text.clone()));
        Ok(Ok(text))
    }

    async fn ask_for_summary(
        &mut self,
        focus: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<String, String> {
        let (_, context) = self.context();
        let mut refused = String::new();
        for divisor in CONTEXT_DIVISORS {
            let (model, path) = (&self.parts.model.model, self.parts.conversation.path());
            let request = summary_request(&model.id, path, context / divisor, focus);
            match self.receive(request, None, cancel).await {
                AskOutcome::Answered(answer) => {
                    return answer
                        .not_empty()
                        .map(|answer| answer.text)
                        .map_err(|why| why.to_string());
                }
                AskOutcome::Interrupted(_) => return Err("interrupted".into()),
                AskOutcome::Failed(why) => return Err(why),
                AskOutcome::TooLong(why) => refused = why,
            }
        }
        Err(refused)
    }
}
