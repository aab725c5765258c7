//! Questions to the user at the terminal, asked on standard error.
//!
//! `approve` and `import` ask. Without a terminal they end with `Code::Denied` and say what to type
//! instead.

use super::select::select;
use crate::ended::{Code, Ended};
use dialoguer::{Confirm, console::Term};
use std::io::{self, IsTerminal as _};

/// The user's answer to a yes-or-no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// The user typed yes; Enter alone means no.
    Yes,
    /// The user typed no, or gave no answer.
    No,
}

/// Whether a user is there to be asked.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Lets the user choose one of several answers and returns its index; the first is the default.
/// `instead` says what to type where there is no terminal.
pub fn choose(question: &str, answers: &[&str], instead: &str) -> anyhow::Result<usize> {
    if !is_interactive() {
        return Err(not_interactive(instead));
    }
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let asked = select(&super::safe::one_line(question), &answers, 0);
    answered(asked.map_err(Into::into)).map(Option::unwrap_or_default)
}

/// Asks a yes-or-no question; no is the default. `instead` says what to type where there is no
/// terminal.
pub fn confirm(question: &str, instead: &str) -> anyhow::Result<Confirmation> {
    if !is_interactive() {
        return Err(not_interactive(instead));
    }
    let asked = Confirm::new()
        .with_prompt(super::safe::one_line(question))
        .default(false)
        // Otherwise the Enter after `y` would answer the next question.
        .wait_for_newline(true)
        .interact_on_opt(&Term::stderr());
    Ok(match answered(asked)? {
        Some(true) => Confirmation::Yes,
        Some(false) | None => Confirmation::No,
    })
}

fn not_interactive(instead: &str) -> anyhow::Error {
    Ended::new(Code::Denied, format!("this needs an answer at a terminal; {instead}")).into()
}

fn answered<T>(asked: dialoguer::Result<Option<T>>) -> anyhow::Result<Option<T>> {
    match asked {
        Ok(answer) => Ok(answer),
        Err(dialoguer::Error::IO(error)) if error.kind() == io::ErrorKind::Interrupted => {
            Err(Ended::silently(Code::Interrupted).into())
        }
        Err(error) => Err(anyhow::Error::new(error).context("cannot read from the terminal")),
    }
}
