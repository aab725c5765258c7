//! All servers of the user as a command sees them: through a running `hobnob serve` if there is
//! one, else through a gateway of our own that ends with the command. One way for both.

mod names;
mod reach;
mod run;

pub(crate) use names::{Names, Owned};
pub(crate) use reach::{Hub, Needs, Reached};
pub(crate) use run::{Task, with_hub};
