//! What can be asked of a person with a keyboard, and the keyboard itself.

use dialoguer::console::Term;
use dialoguer::{Input, MultiSelect, Select};
use std::io;

/// Somebody who answers. `None` is a person who gives up.
pub(super) trait Person {
    /// Tells something. The text must be safe.
    fn tell(&mut self, words: &str);
    /// Asks for a line of text; an empty one stands for the default, if there is one.
    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String>;
    /// Asks for one of several things.
    fn one_of(&mut self, question: &str, things: &[String], default: usize) -> Option<usize>;
    /// Asks for any of several things.
    fn any_of(&mut self, question: &str, things: &[String], chosen: &[bool]) -> Option<Vec<usize>>;
}

/// The terminal of this process. Everything is asked on standard error.
pub(super) struct Keyboard;

impl Person for Keyboard {
    fn tell(&mut self, words: &str) {
        // A terminal that cannot be written to cannot be asked either, and that is told.
        drop(Term::stderr().write_line(words));
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
