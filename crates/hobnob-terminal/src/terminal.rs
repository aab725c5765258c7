//! The user at the terminal: how questions of servers reach them, and what they see meanwhile.
//!
//! `Terminal` is the host of every command that talks to servers. What must stay true: standard
//! output is not used here, and a server's text is made safe before it is shown.

mod arguments;
mod asker;
mod check;
mod decision;
mod form;
mod host;
mod page;
mod pager;
mod person;
mod progress;
#[cfg(test)]
mod tests;
mod typed_answer;
mod watched_keys;

pub use decision::ShownDecision;
pub use hobnob_gateway::QuestionOrigin;
pub use host::{Consent, Terminal};
pub use watched_keys::KeyBytes;
