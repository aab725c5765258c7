//! Questions of our own that a person answers by typing or choosing: names, addresses, keys.
//!
//! The set-up of a chat asks them. What must stay true: a secret is not shown while it is typed.

use super::host::Terminal;

impl Terminal {
    /// A line; nothing if the person leaves.
    pub async fn ask_line(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.with_person(move |person| person.text(&question, None)).await.ok()?
    }

    /// A line that is not shown while it is typed; nothing if the person leaves.
    pub async fn ask_secret(&self, question: &str) -> Option<String> {
        let question = question.to_owned();
        self.with_person(move |person| person.secret(&question)).await.ok()?
    }

    /// The index of one of several answers, which must be safe; nothing if the person leaves.
    pub async fn ask_choice(&self, question: &str, answers: Vec<String>) -> Option<usize> {
        let question = question.to_owned();
        self.with_person(move |person| person.one_of(&question, &answers, 0)).await.ok()?
    }
}
