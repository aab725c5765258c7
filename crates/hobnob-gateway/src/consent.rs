//! Consent to one call: what a person or the owner is asked, and how long their answer counts.
//!
//! The guard asks and looks answers up here. A question belongs to one exact call, is answered at
//! most once, and lives in this process only: an answer from before a restart never counts.

mod asked_tool;
mod file;
mod open;
mod open_form;
mod owner_question;
mod owner_questions;
mod question;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use asked_tool::{AskedOrigin, AskedTool};
pub(crate) use open::{CallDigest, ConsentStage, GivenConsent, OpenConsents};
pub(crate) use open_form::OpenForm;
pub use owner_question::{AfterYes, NotAnswered, OwnerAnswer, OwnerQuestion, ShownArguments};
pub(crate) use owner_question::{AskedOwner, CallOf};
pub(crate) use owner_questions::{MAX_QUESTIONS, MetQuestion, OwnerQuestions};
pub(crate) use question::{
    ALWAYS, ConsentQuestion, LastingAnswers, NEVER, ONCE, UNTIL_RESTART, UntilRestart,
};
pub(crate) use state::RequestState;
