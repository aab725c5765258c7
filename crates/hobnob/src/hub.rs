//! All servers of the user as a command sees them: through a running `hobnob serve` if there is
//! one, else through a gateway of our own that ends with the command. One way for both.

mod find;
mod lists;
mod names;
mod reach;
mod run;
mod status;
mod trouble;

pub(crate) use find::Found;
pub(crate) use lists::{Entry, server_filter};
pub(crate) use names::Names;
pub(crate) use reach::{Hub, Needs};
pub(crate) use run::{Task, with_hub};
pub(crate) use trouble::{code_of_refusal, failed};
