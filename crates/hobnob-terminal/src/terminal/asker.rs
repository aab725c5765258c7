//! Shows who asks in every line of a question, so that a server's text never looks like a question
//! of Hobnob.
//!
//! Forms and pages are shown through it. What must stay true: every row of a server's text begins
//! with our mark, and every prompt of a server with its name.

use super::person::{NextPage, Person};
use crate::render::{WrapAt, one_line, safe, wrapped};
use hobnob_gateway::QuestionOrigin;
use std::fmt;

/// The mark before each row of a text that is not ours.
const MARK: &str = "  │ ";
/// A terminal that reports fewer columns is taken to have this many.
const MIN_COLUMNS: usize = 20;
/// Columns that a prompt leaves for the answer.
const ANSWER_COLUMNS: usize = 8;

/// The name of the asker, safe to show.
#[derive(Debug, Clone)]
pub(super) struct Asker(String);

impl Asker {
    pub(super) fn of(origin: &QuestionOrigin) -> Self {
        Self(match origin {
            QuestionOrigin::Hobnob => "Hobnob".to_owned(),
            QuestionOrigin::Server { server } => {
                format!("server `{}`", one_line(server).replace('`', "\\u{60}"))
            }
            QuestionOrigin::Unknown => "a server".to_owned(),
        })
    }

    /// Shows what is asked, each row behind a mark.
    pub(super) fn show_question(&self, text: &str, person: &mut dyn Person) {
        let rows = marked(&safe(text), person);
        person.tell(&format!("{self} asks:\n{rows}"));
    }
}

impl fmt::Display for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Wraps the person, so that each prompt begins with the asker's name.
pub(super) struct AskedPerson<'a> {
    pub(super) asker: &'a Asker,
    pub(super) person: &'a mut dyn Person,
}

impl AskedPerson<'_> {
    /// The prompt. A question longer than one row is shown above the prompt, behind our mark.
    fn prompt(&mut self, question: &str) -> String {
        let whole = format!("{}: {question}", self.asker);
        let columns = self.person.size().1.max(MIN_COLUMNS).saturating_sub(ANSWER_COLUMNS);
        if wrapped(&whole, columns, WrapAt::Anywhere).len() <= 1 {
            return whole;
        }
        let rows = marked(question, self.person);
        self.person.tell(&rows);
        format!("{}: answer", self.asker)
    }
}

impl Person for AskedPerson<'_> {
    fn tell(&mut self, words: &str) {
        self.person.tell(words);
    }

    fn size(&self) -> (usize, usize) {
        self.person.size()
    }

    fn next_page(&mut self, words: &str) -> NextPage {
        self.person.next_page(words)
    }

    fn text(&mut self, question: &str, default: Option<&str>) -> Option<String> {
        let prompt = self.prompt(question);
        self.person.text(&prompt, default)
    }

    fn secret(&mut self, question: &str) -> Option<String> {
        let prompt = self.prompt(question);
        self.person.secret(&prompt)
    }

    fn one_of(&mut self, question: &str, choices: &[String], default: usize) -> Option<usize> {
        let prompt = self.prompt(question);
        self.person.one_of(&prompt, choices, default)
    }

    fn any_of(&mut self, question: &str, choices: &[(String, bool)]) -> Option<Vec<usize>> {
        let prompt = self.prompt(question);
        self.person.any_of(&prompt, choices)
    }
}

/// Rows that fit the terminal, each behind a mark.
fn marked(text: &str, person: &dyn Person) -> String {
    let columns = person.size().1.max(MIN_COLUMNS) - MARK.chars().count();
    let rows = wrapped(text, columns, WrapAt::Anywhere);
    rows.iter().map(|row| format!("{MARK}{row}")).collect::<Vec<_>>().join("\n")
}
