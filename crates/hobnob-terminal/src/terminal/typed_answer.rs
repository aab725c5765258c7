//! Questions of our own that a person answers by typing or choosing: names, addresses, keys.
//!
//! The set-up of a chat asks them. What must stay true: a secret is not shown while it is typed.

use super::host::Terminal;

impl Terminal {
    /// Asks for a line; `None` if the person cancels.
    pub async fn ask_line(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.with_person(move |person| person.text(&question, None)).await.ok()?
    }

    /// Asks for a line that is not shown while it is typed; `None` if the person cancels.
    pub async fn ask_secret(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.with_person(move |person| person.secret(&question)).await.ok()?
    }

    /// Asks for one of several answers, which must be safe; returns its index, `None` if cancelled.
    pub async fn ask_choice(&self, question: &str, answers: Vec<String>) -> Option<usize> {
        let question = question.to_owned();
        self.with_person(move |person| person.one_of(&question, &answers, 0)).await.ok()?
    }
}
