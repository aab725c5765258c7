//! A decision of the person about a text that is shown in full: page by page, then one choice.
//!
//! The chat asks it. What must stay true: without a person nothing is decided, and a key that is
//! pressed too early agrees to nothing, because the refusal is the default.

use super::keyboard::Keyboard;
use super::pager::{self, Shown};
use crate::render::safe;
use hobnob_mcp_types::RpcError;

/// A text to decide about, and the possible answers.
pub struct ShownDecision {
    /// Everything that the person should know; it is made safe here.
    pub text: String,
    /// The question below the text.
    pub question: &'static str,
    /// The answers to choose from.
    pub answers: &'static [&'static str],
    /// The answer that agrees to nothing.
    pub refusal: usize,
}

impl Keyboard {
    /// The index of the person's answer. Once no other question is open, `known` is called first,
    /// because the answer to the other question may answer this one too. `remember` gets the answer
    /// before the next question is asked.
    pub async fn decide(
        &self,
        decision: ShownDecision,
        known: impl FnOnce() -> Option<usize> + Send + 'static,
        remember: impl FnOnce(usize) + Send + 'static,
    ) -> Result<usize, RpcError> {
        self.ask(move |person| {
            if let Some(answer) = known() {
                return answer;
            }
            let ShownDecision { text, question, answers, refusal } = decision;
            if pager::show(&safe(&text), person) == Shown::Refused {
                return refusal;
            }
            let answers: Vec<String> = answers.iter().map(|it| (*it).to_owned()).collect();
            let answer = person.one_of(question, &answers, refusal).unwrap_or(refusal);
            remember(answer);
            answer
        })
        .await
    }
}
