//! The questions that a user can answer, and their implementation for a terminal.
//!
//! Forms and pages use the trait, so that tests can answer in the user's place.

use crate::render::{QuietKeys, moves_cursor, select};
use dialoguer::console::{Key, Term};
use dialoguer::{Input, MultiSelect};
use std::io;

/// The user who answers. `None` means that they cancelled.
pub(super) trait Person {
    /// Prints a text, which must be safe.
    fn tell(&mut self, words: &str);
    /// Rows and columns of the screen.
    fn size(&self) -> (usize, usize);
    /// Asks whether to show the next page.
    fn next_page(&mut self, words: &str) -> NextPage;
    /// Asks for a line of text; an empty one stands for the default, if there is one.
    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String>;
    /// Asks for a line that is not shown while it is typed.
    fn secret(&mut self, question: &str) -> Option<String>;
    /// Asks for exactly one of several choices.
    fn one_of(&mut self, question: &str, choices: &[String], default: usize) -> Option<usize>;
    /// Asks for any number of several choices, each chosen at first or not.
    fn any_of(&mut self, question: &str, choices: &[(String, bool)]) -> Option<Vec<usize>>;
}

/// What the user wants after a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextPage {
    Show,
    /// Skip the other pages and ask the question.
    Skip,
    /// Refuse without reading on.
    Refuse,
}

/// The terminal of this process. Everything is asked on standard error.
#[derive(Debug, Default)]
pub(super) struct TypingPerson {
    /// Whether Ctrl-C ended a question.
    pub(super) was_interrupted: bool,
}

impl Person for TypingPerson {
    fn tell(&mut self, words: &str) {
        // If this fails, the question that follows fails too, and that is reported.
        drop(Term::stderr().write_line(words));
    }

    fn size(&self) -> (usize, usize) {
        let (rows, columns) = Term::stderr().size();
        (rows.into(), columns.into())
    }

    fn next_page(&mut self, words: &str) -> NextPage {
        let term = Term::stderr();
        // A terminal that cannot be written to is not read either.
        if term.write_str(words).is_err() {
            return NextPage::Refuse;
        }
        let wish = loop {
            match term.read_key() {
                Ok(Key::Enter | Key::Char(' ') | Key::PageDown | Key::ArrowDown) => {
                    break NextPage::Show;
                }
                Ok(Key::Char('s')) => break NextPage::Skip,
                Ok(Key::CtrlC) => {
                    self.was_interrupted = true;
                    break NextPage::Refuse;
                }
                Ok(Key::Char('q') | Key::Escape) | Err(_) => break NextPage::Refuse,
                Ok(_) => {}
            }
        };
        // The next page takes the place of the prompt.
        match moves_cursor() {
            true => drop(term.clear_line()),
            false => drop(term.write_line("")),
        }
        wish
    }

    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String> {
        let mut input = Input::<String>::new().with_prompt(question).allow_empty(true);
        if let Some(default) = default {
            input = input.default(default.to_owned());
        }
        // Dialoguer restores the keyboard between keys: Ctrl-C must not be a signal then either.
        let _quiet = QuietKeys::for_question();
        self.answer(input.interact_text_on(&Term::stderr()).map(Some))
    }

    fn secret(&mut self, question: &str) -> Option<String> {
        let term = Term::stderr();
        // Before the prompt, so that a secret that is pasted at once is not shown either.
        let quiet = QuietKeys::for_secret();
        let mut line = String::new();
        // `Term::read_line` would echo each letter itself.
        let asked = term
            .write_str(&format!("{question}: "))
            .and_then(|()| io::stdin().read_line(&mut line));
        drop(quiet);
        drop(term.write_line(""));
        let line = line.trim_end_matches(['\r', '\n']).to_owned();
        // Zero bytes are the end of the input, which is no answer.
        self.answer(asked.map(|read| (read != 0).then_some(line)).map_err(Into::into))
    }

    fn one_of(&mut self, question: &str, choices: &[String], default: usize) -> Option<usize> {
        self.answer(select(question, choices, default).map_err(Into::into))
    }

    fn any_of(&mut self, question: &str, choices: &[(String, bool)]) -> Option<Vec<usize>> {
        let choices = choices.iter().map(|(title, chosen)| (title, *chosen));
        let select = MultiSelect::new().with_prompt(question).items_checked(choices);
        let _quiet = QuietKeys::for_question();
        self.answer(select.interact_on_opt(&Term::stderr()))
    }
}

impl TypingPerson {
    /// A terminal that cannot be read counts as a user who cancelled.
    fn answer<T>(&mut self, asked: dialoguer::Result<Option<T>>) -> Option<T> {
        asked.unwrap_or_else(|dialoguer::Error::IO(error)| {
            match error.kind() {
                io::ErrorKind::Interrupted => self.was_interrupted = true,
                _ => tracing::warn!(%error, "cannot read from the terminal"),
            }
            None
        })
    }
}
