//! `hobnob answer NUMBER yes|no|always|never`: the owner decides about a call that waits for an
//! answer. `main` runs it.
//!
//! What must stay true: only the owner answers, and a program that a hub started cannot.

use super::person::require_owner;
use super::questions::{ListedQuestion, call_of, elsewhere, no_hub};
use crate::context::CommandContext;
use crate::runtime;
use clap::{Args, ValueEnum};
use hobnob_gateway::{AfterYes, NotAnswered, OwnerAnswer, OwnerQuestion};
use hobnob_hub::owner_questions;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::render::{self, Output};
use hobnob_text::visible;

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The number of the question; `hobnob questions` shows all.
    #[arg(value_name = "NUMBER")]
    number: u64,

    /// Whether the call may run.
    #[arg(value_enum)]
    answer: AnswerWord,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AnswerWord {
    /// The call runs, once.
    Yes,
    /// The call is refused.
    No,
    /// The call runs, and a rule allows the tool from now on; for calls of your own clients.
    Always,
    /// The call is refused, and a rule denies the tool from now on; for calls of your own clients.
    Never,
}

impl From<AnswerWord> for OwnerAnswer {
    fn from(answer: AnswerWord) -> Self {
        match answer {
            AnswerWord::Yes => Self::Yes,
            AnswerWord::No => Self::No,
            AnswerWord::Always => Self::Always,
            AnswerWord::Never => Self::Never,
        }
    }
}

pub(crate) fn run(args: AnswerArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    require_owner("questions are answered and rules are", &places)?;
    let (number, answer) = (args.number, args.answer.into());
    let question = runtime::current_thread()?.block_on(async {
        let why = match owner_questions::answer(&places, number, answer).await? {
            Some(Ok(question)) => return Ok(question),
            None => return Err(no_hub(&places).await),
            Some(Err(NotAnswered::Unknown)) => {
                let why = not_answered(number, NotAnswered::Unknown);
                format!("{why}{}", elsewhere(&places).await)
            }
            Some(Err(why)) => not_answered(number, why),
        };
        Err(Ended::new(Code::Failed, why).into())
    })?;
    match context.output {
        Output::Json => render::json(&ListedQuestion::from(&question)),
        Output::People => render::line(&receipt(&question, answer)),
    }
}

/// What the answer does, in one line.
fn receipt(question: &OwnerQuestion, answer: OwnerAnswer) -> String {
    let call = call_of(question);
    let next = match question.after_yes {
        AfterYes::Continues => "the call goes on now",
        AfterYes::ClientReturns => "the call runs when its client comes back with its own answer",
        AfterYes::CallAgain => "the caller has to make the call again now",
    };
    let rule = |rule: &Option<String>| visible(rule.as_deref().unwrap_or_default());
    match answer {
        OwnerAnswer::Yes => format!("yes, once: {call}; {next}"),
        OwnerAnswer::No => format!("no: {call}"),
        OwnerAnswer::Always => {
            format!("yes, always: {call}; {next}; new rule: {}", rule(&question.always_writes))
        }
        OwnerAnswer::Never => {
            format!("never: {call}; new rule: {}", rule(&question.never_writes))
        }
    }
}

fn not_answered(number: u64, why: NotAnswered) -> String {
    match why {
        NotAnswered::Unknown => format!(
            "there is no question {number} at the hub of this project; `hobnob questions` shows all, and a \
             restart of `hobnob serve` forgets them"
        ),
        NotAnswered::Gone => format!(
            "question {number} is over: it was answered in its client, its call has ended, it was asked \
             too long ago, or newer questions of the same caller took its place; the caller may make \
             the call again"
        ),
        NotAnswered::Answered(OwnerAnswer::Yes) => {
            format!(
                "question {number} has the answer yes already; the call has not been made again"
            )
        }
        NotAnswered::Answered(OwnerAnswer::Always) => {
            format!("question {number} has the answer always already: a rule allows the tool")
        }
        NotAnswered::Answered(OwnerAnswer::Never) => {
            format!("question {number} has the answer never already: a rule denies the tool")
        }
        NotAnswered::WritesNoRule => format!(
            "no answer to question {number} may write a rule, because the rule would apply to the calls \
             of others; answer with yes or no"
        ),
        NotAnswered::RuleNotWritten(error) => format!(
            "the answer to question {number} counts for this one call, but its rule is not written: \
             {error}"
        ),
        NotAnswered::Answered(OwnerAnswer::No) => format!(
            "question {number} has the answer no already, which holds for eight hours from when it was \
             asked"
        ),
        NotAnswered::NotRecorded(error) => {
            format!("question {number} still waits, since the answer cannot be recorded: {error}")
        }
    }
}
