//! `hobnob answer NUMBER yes|no`: the owner decides about a call that another caller wants to make.
//! `main` runs it.
//!
//! What must stay true: only the owner answers, and a program that a hub started cannot.

use super::person::require_owner;
use super::questions::{ListedQuestion, call_of, no_hub};
use crate::context::CommandContext;
use crate::runtime;
use clap::{Args, ValueEnum};
use hobnob_gateway::{NotAnswered, OwnerAnswer};
use hobnob_hub::owner_questions;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Output};

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The number of the question; `hobnob questions` shows all.
    #[arg(value_name = "NUMBER")]
    number: u64,

    /// Whether the call may run.
    #[arg(value_enum)]
    answer: YesOrNo,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum YesOrNo {
    /// The same call goes through once.
    Yes,
    /// The same call is refused as long as the question is kept.
    No,
}

impl From<YesOrNo> for OwnerAnswer {
    fn from(answer: YesOrNo) -> Self {
        match answer {
            YesOrNo::Yes => Self::Yes,
            YesOrNo::No => Self::No,
        }
    }
}

pub(crate) fn run(args: AnswerArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("questions are answered and rules are", &places)?;
    let (number, answer) = (args.number, args.answer.into());
    let answering = owner_questions::answer(&places, number, answer);
    let outcome = runtime::current_thread()?.block_on(answering)?;
    let question = match outcome.ok_or_else(|| no_hub(&places))? {
        Ok(question) => question,
        Err(why) => return Err(Ended::new(Code::Failed, not_answered(number, why)).into()),
    };
    match (context.output, answer) {
        (Output::Json, _) => render::json(&ListedQuestion::from(&question)),
        (Output::People, OwnerAnswer::Yes) => {
            let call = call_of(&question);
            render::line(&format!("yes, once: {call}; the caller has to make the call again now"))
        }
        (Output::People, OwnerAnswer::No) => render::line(&format!("no: {}", call_of(&question))),
    }
}

fn not_answered(number: u64, why: NotAnswered) -> String {
    match why {
        NotAnswered::Unknown => format!(
            "there is no question {number}; `hobnob questions` shows all, and a restart of `hobnob \
             serve` forgets them"
        ),
        NotAnswered::Gone => format!(
            "question {number} is over: it was asked more than eight hours ago, newer questions of the \
             same caller took its place, or its call has run; the caller may make the call again"
        ),
        NotAnswered::Answered(OwnerAnswer::Yes) => {
            format!(
                "question {number} has the answer yes already; the call has not been made again"
            )
        }
        NotAnswered::Answered(OwnerAnswer::No) => format!(
            "question {number} has the answer no already, which holds for eight hours from when it was \
             asked"
        ),
        NotAnswered::NotRecorded(error) => {
            format!("question {number} still waits, since the answer cannot be recorded: {error}")
        }
    }
}
