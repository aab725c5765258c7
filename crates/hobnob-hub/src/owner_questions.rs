//! Reads and answers the owner's questions at every hub of this project with these settings,
//! through their private sockets.
//!
//! `hobnob questions` and `hobnob answer` call it. Each hub numbers its questions from a random
//! start, so a number identifies one question.

use crate::control::{
    AnswerReceipt, ControlRequest, ControlSocketKind, QuestionsAnswer, WhichHubs, connect, exchange,
};
use hobnob_config::Places;
use hobnob_gateway::{NotAnswered, OwnerAnswer, OwnerQuestion};

const ALL: [ControlSocketKind; 2] = [ControlSocketKind::Whole, ControlSocketKind::QuestionsOnly];

/// The questions of all hubs, the oldest first; `None` if no hub is running.
///
/// # Errors
/// When a hub ends meanwhile, or does not show its questions to this program.
pub async fn list(places: &Places) -> anyhow::Result<Option<Vec<OwnerQuestion>>> {
    let mut all = None;
    for mut hub in connect(places, WhichHubs::Ours, &ALL).await {
        match exchange(&mut hub, &ControlRequest::Questions).await? {
            QuestionsAnswer::Questions(some) => all.get_or_insert_with(Vec::new).extend(some),
            QuestionsAnswer::Failed(why) => anyhow::bail!(why),
        }
    }
    if let Some(all) = &mut all {
        all.sort_by(|one, other| other.age.cmp(&one.age).then(one.number.cmp(&other.number)));
    }
    Ok(all)
}

/// Answers the question with this number; `None` if no hub is running.
///
/// # Errors
/// When a hub ends meanwhile, or accepts no answer from this program.
pub async fn answer(
    places: &Places,
    number: u64,
    answer: OwnerAnswer,
) -> anyhow::Result<Option<Result<OwnerQuestion, NotAnswered>>> {
    let mut outcome = None;
    for mut hub in connect(places, WhichHubs::Ours, &ALL).await {
        match exchange(&mut hub, &ControlRequest::Answer { number, answer }).await? {
            AnswerReceipt::Answered(question) => return Ok(Some(Ok(*question))),
            AnswerReceipt::Failed(why) => anyhow::bail!(why),
            // Another hub may know the question.
            AnswerReceipt::NotAnswered(NotAnswered::Unknown) => {
                outcome.get_or_insert(Err(NotAnswered::Unknown));
            }
            AnswerReceipt::NotAnswered(why) => return Ok(Some(Err(why))),
        }
    }
    Ok(outcome)
}
