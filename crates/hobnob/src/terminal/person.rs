//! What can be asked of a person with a keyboard, and the keyboard itself.

use dialoguer::console::{Key, Term};
use dialoguer::{Input, MultiSelect, Select};
use std::io;

/// Somebody who answers. `None` is a person who gives up.
pub(super) trait Person {
    /// Tells something. The text must be safe.
    fn tell(&mut self, words: &str);
    /// Rows and columns of what they look at.
    fn size(&self) -> (usize, usize);
    /// Asks whether to go on with the next page.
    fn next_page(&mut self, words: &str) -> NextPage;
    /// Asks for a line of text; an empty one stands for the default, if there is one.
    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String>;
    /// Asks for one of several things.
    fn one_of(&mut self, question: &str, things: &[String], default: usize) -> Option<usize>;
    /// Asks for any of several things.
    fn any_of(&mut self, question: &str, things: &[String], chosen: &[bool]) -> Option<Vec<usize>>;
}

/// What a person wants after a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextPage {
    /// The next one.
    Show,
    /// No more pages, but the question.
    Skip,
    /// Nothing of it.
    Refuse,
}

/// The terminal of this process. Everything is asked on standard error.
pub(super) struct Keyboard;

impl Person for Keyboard {
    fn tell(&mut self, words: &str) {
        // A terminal that cannot be written to cannot be asked either, and that is told.
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
                Ok(Key::Char('q') | Key::Escape | Key::CtrlC) | Err(_) => break NextPage::Refuse,
                Ok(_) => {}
            }
        };
        // The words make room for the page.
        drop(term.clear_line());
        wish
    }

    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String> {
        let mut input = Input::<String>::new().with_prompt(question).allow_empty(true);
        if let Some(default) = default {
            input = input.default(default.to_owned());
        }
        answer(input.interact_text_on(&Term::stderr()).map(Some))
    }

    fn one_of(&mut self, question: &str, things: &[String], default: usize) -> Option<usize> {
        let select = Select::new().with_prompt(question).items(things).default(default);
        answer(select.interact_on_opt(&Term::stderr()))
    }

    fn any_of(&mut self, question: &str, things: &[String], chosen: &[bool]) -> Option<Vec<usize>> {
        let select = MultiSelect::new().with_prompt(question).items(things).defaults(chosen);
        answer(select.interact_on_opt(&Term::stderr()))
    }
}

/// A terminal that cannot be read any more has nobody who goes on.
fn answer<T>(asked: dialoguer::Result<Option<T>>) -> Option<T> {
    asked.unwrap_or_else(|dialoguer::Error::IO(error)| {
        if error.kind() != io::ErrorKind::Interrupted {
            tracing::warn!(%error, "the terminal cannot be read");
        }
        None
    })
}
