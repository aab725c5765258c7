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
mod keyboard;
mod page;
mod pager;
mod person;
mod spinner;
#[cfg(test)]
mod tests;
mod watched_keys;

pub use decision::ShownDecision;
pub use hobnob_gateway::QuestionOrigin;
pub use host::{Consent, Terminal};
pub use keyboard::Keyboard;
pub use spinner::Spinner;
pub use watched_keys::KeyBytes;
