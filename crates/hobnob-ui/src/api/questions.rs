//! `/ui/api/questions/{number}`: the owner answers a question about another caller's call.

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
            "the question is gone: it has expired, made room for a newer one, or its call has run",
        )),
        Err(NotAnswered::Answered(answer)) => Err(PageProblem::conflict(match answer {
            OwnerAnswer::Yes => "the question was answered already: the call may run once",
            OwnerAnswer::No => "the question was answered already: the call may not run",
        })),
        Err(NotAnswered::NotRecorded(why)) => Err(PageProblem::internal(format!(
            "the answer does not count, since it has to be recorded and was not: {why}"
        ))),
    }
}
