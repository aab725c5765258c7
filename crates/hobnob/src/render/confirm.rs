//! A question to the person at the terminal. It is asked on standard error.

use crate::exit::{Code, Ended};
use dialoguer::{Confirm, Select, console::Term};
use std::io::{self, IsTerminal as _};

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Yes.
    Yes,
    /// No, or nothing.
    No,
}

/// Whether somebody is there to be asked.
pub(crate) fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Lets somebody choose one of several answers, and says which; the first is the default. Where
/// nobody can be asked, `instead` says what to type.
pub(crate) fn choose(question: &str, answers: &[&str], instead: &str) -> anyhow::Result<usize> {
    if !somebody_is_there() {
        return Err(nobody(instead));
    }
    let asked = Select::new()
        .with_prompt(super::safe::one_line(question))
        .items(answers)
        .default(0)
        .interact_on_opt(&Term::stderr());
    answered(asked).map(Option::unwrap_or_default)
}

/// Asks; no is the default. Where nobody can be asked, `instead` says what to type.
pub(crate) fn confirm(question: &str, instead: &str) -> anyhow::Result<Answer> {
    if !somebody_is_there() {
        return Err(nobody(instead));
    }
    let asked = Confirm::new()
        .with_prompt(super::safe::one_line(question))
        .default(false)
        // Who types `y` and Enter would answer the next question with that Enter.
        .wait_for_newline(true)
        .interact_on_opt(&Term::stderr());
    Ok(match answered(asked)? {
        Some(true) => Answer::Yes,
        Some(false) | None => Answer::No,
    })
}

fn nobody(instead: &str) -> anyhow::Error {
    Ended::new(Code::Denied, format!("nobody can be asked here: {instead}")).into()
}

fn answered<T>(asked: dialoguer::Result<Option<T>>) -> anyhow::Result<Option<T>> {
    match asked {
        Ok(answer) => Ok(answer),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => {
            Err(Ended::quietly(Code::Interrupted).into())
        }
        Err(error) => Err(anyhow::Error::new(error).context("the terminal cannot be read")),
    }
}
