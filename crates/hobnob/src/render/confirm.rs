//! A question to the person at the terminal. It is asked on standard error.

use crate::exit::{Code, Ended};
use dialoguer::{Confirm, console::Term};
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

/// Asks; no is the default. Where nobody can be asked, `instead` says what to type.
pub(crate) fn confirm(question: &str, instead: &str) -> anyhow::Result<Answer> {
    if !somebody_is_there() {
        let message = format!("nobody can be asked here: {instead}");
        return Err(Ended::new(Code::Denied, message).into());
    }
    let asked = Confirm::new()
        .with_prompt(super::safe::one_line(question))
        .default(false)
        .interact_on_opt(&Term::stderr());
    match asked {
        Ok(Some(true)) => Ok(Answer::Yes),
        Ok(Some(false) | None) => Ok(Answer::No),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => {
            Err(Ended::quietly(Code::Interrupted).into())
        }
        Err(error) => Err(anyhow::Error::new(error).context("the terminal cannot be read")),
    }
}
