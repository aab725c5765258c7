//! `/ui/api/questions/{number}`: the owner answers a question about a call.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use hobnob_gateway::{NotAnswered, OwnerAnswer};
use serde::Deserialize;

/// The body of an answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerBody {
    answer: OwnerAnswer,
}

pub(super) async fn answer(
    request: &SessionRequest<'_>,
    number: u64,
) -> Result<PageResponse, PageProblem> {
    let AnswerBody { answer } = request.body()?;
    match request.page.options.actions.answer(number, answer).await {
        Ok(question) => json(&question),
        Err(NotAnswered::Unknown) => Err(PageProblem::not_found("there is no such question")),
        Err(NotAnswered::Gone) => Err(PageProblem::not_found(
            "the question is gone: it was answered in the caller's client, its call has ended, it has \
             expired, or it made room for a newer one",
        )),
        Err(NotAnswered::Answered(answer)) => Err(PageProblem::conflict(match answer {
            OwnerAnswer::Yes => "the question was answered already: the call may run once",
            OwnerAnswer::No => "the question was answered already: the call may not run",
            OwnerAnswer::Always => "the question was answered already: a rule allows the tool",
            OwnerAnswer::Never => "the question was answered already: a rule denies the tool",
        })),
        Err(NotAnswered::WritesNoRule) => Err(PageProblem::conflict(
            "no answer to this question may write a rule: answer with yes or no, for this one call",
        )),
        Err(NotAnswered::RuleNotWritten(why)) => Err(PageProblem::internal(format!(
            "the answer counts for this one call, but its rule is not written: {why}"
        ))),
        Err(NotAnswered::NotRecorded(why)) => Err(PageProblem::internal(format!(
            "the answer does not count, since it has to be recorded and was not: {why}"
        ))),
    }
}
