//! Consent to one call: what a person is asked, and how long their answer counts.
//!
//! The guard asks and looks answers up here. A question belongs to one exact call and is answered
//! at most once; what is known of it stays in this process, so an old answer never counts again.

mod asked_tool;
mod file;
mod open;
mod question;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use asked_tool::{AskedOrigin, AskedTool};
pub(crate) use open::{CallDigest, ConsentStage, OpenConsents};
pub(crate) use question::{
    ALWAYS, ConsentQuestion, LastingAnswers, NEVER, ONCE, UNTIL_RESTART, UntilRestart,
};
pub(crate) use state::RequestState;
